// SPDX-License-Identifier: Apache-2.0
/// Which steps, samples and checkpoints does the training have for certain?
#include "runtime/generation/ledger.hh"

#include <algorithm>
#include <utility>

#include "core/contract.hh"

namespace gleaner::generation {
namespace {

std::uint64_t overlap(Positions const& a, Positions const& b) {
  std::uint64_t n = 0;
  for (auto const& x : a)
    for (auto const& y : b) {
      auto const first = std::max(x.first, y.first);
      auto const last = std::min(x.last, y.last);
      if (first < last) n += last - first;
    }
  return n;
}

/// Enter one more step; returns what is wrong with it.
SampleAudit enter(PassRecord& record, msg::Stable const& step,
                  std::uint64_t dataset_size) {
  SampleAudit found;
  if (record.pass && step.pass != *record.pass) {
    if (record.whole) found.missing = dataset_size - count(record.taken);
    record = PassRecord{};
  }
  record.pass = step.pass;
  found.duplicate = overlap(record.taken, step.taken);
  if (found.duplicate == 0) record.taken = merged(record.taken, step.taken);
  return found;
}

}  // namespace

Ledger::Ledger(std::optional<membership::Checkpoint> start_from) {
  if (!start_from) return;
  recorded_ = start_from->step;
  values_shown_ = start_from->step;
  samples_seen_ = start_from->samples_seen;
  now_.whole = false;
  kept_.push_back({*start_from, now_});
}

std::vector<msg::Stable> Ledger::on_stable(msg::Stable const& report) {
  if (report.step <= recorded_) return {};
  if (report.tentative) {
    tentative_ = report;
    return {};
  }
  early_.emplace(report.step, report);
  std::vector<msg::Stable> now;
  while (!early_.empty() && early_.begin()->first == recorded_ + 1) {
    now.push_back(early_.begin()->second);
    early_.erase(early_.begin());
    record(now.back());
  }
  return now;
}

std::vector<msg::Stable> Ledger::commit_tentative(msg::Step step) {
  auto report = std::exchange(tentative_, std::nullopt);
  if (!report || report->step != step) return {};
  report->tentative = false;
  return on_stable(*report);
}

void Ledger::forget_unrecorded() {
  early_.clear();
  tentative_.reset();
}

void Ledger::record(msg::Stable const& report) {
  EXPECT(report.step == recorded_ + 1, report.step, recorded_);
  recorded_ = report.step;
  samples_seen_ = report.samples_seen;
  auto const found = enter(now_, report, dataset_size_);
  audit_.duplicate += found.duplicate;
  audit_.missing += found.missing;
  if (asked_at_) since_asked_.push_back(report);
  settle_checkpoint();
}

void Ledger::end_training() {
  if (now_.whole && now_.pass)
    audit_.missing += dataset_size_ - count(now_.taken);
}

void Ledger::checkpoint_asked() {
  asked_at_ = now_;
  since_asked_.clear();
}

void Ledger::add_checkpoint(membership::Checkpoint checkpoint) {
  if (!kept_.empty() && checkpoint.step < kept_.back().checkpoint.step)
    return add_orphan(std::move(checkpoint.path));
  if (waiting_) add_orphan(std::move(waiting_->path));
  waiting_ = std::move(checkpoint);
  settle_checkpoint();
}

void Ledger::values_shown(msg::Step until) {
  values_shown_ = std::max(values_shown_, until);
  settle_checkpoint();
}

void Ledger::settle_checkpoint() {
  if (!waiting_ || waiting_->step > std::min(recorded_, values_shown_)) return;
  Kept kept{*std::exchange(waiting_, std::nullopt), now_};
  if (kept.checkpoint.step < recorded_) {
    // The record has gone on since: what it was at the checkpoint's step.
    kept.at = asked_at_.value_or(PassRecord{std::nullopt, {}, false});
    for (auto const& step : since_asked_)
      if (step.step <= kept.checkpoint.step)
        enter(kept.at, step, dataset_size_);
  }
  asked_at_.reset();
  since_asked_.clear();
  kept_.push_back(std::move(kept));
  unannounced_ = true;
  if (kept_.size() > 2) {
    superseded_.push_back(kept_.front().checkpoint.path);
    kept_.erase(kept_.begin());
  }
}

std::optional<membership::Register> Ledger::take_registered() {
  if (!std::exchange(unannounced_, false)) return std::nullopt;
  ENSURE(!kept_.empty(), recorded_);
  auto const& newest = kept_.back().checkpoint;
  return membership::Register{newest.path, std::exchange(superseded_, {}),
                              newest.step, newest.samples_seen};
}

std::optional<membership::Checkpoint> Ledger::newest() const {
  if (kept_.empty()) return std::nullopt;
  return kept_.back().checkpoint;
}

void Ledger::discard_newest() {
  EXPECT(!kept_.empty(), recorded_);
  superseded_.push_back(kept_.back().checkpoint.path);
  kept_.pop_back();
  unannounced_ = !kept_.empty();
}

void Ledger::roll_back() {
  forget_unrecorded();
  if (waiting_) add_orphan(std::exchange(waiting_, std::nullopt)->path);
  asked_at_.reset();
  since_asked_.clear();
  recorded_ = kept_.empty() ? 0 : kept_.back().checkpoint.step;
  values_shown_ = std::min(values_shown_, recorded_);
  samples_seen_ = kept_.empty() ? 0 : kept_.back().checkpoint.samples_seen;
  now_ = kept_.empty() ? PassRecord{} : kept_.back().at;
}

}  // namespace gleaner::generation
