// SPDX-License-Identifier: Apache-2.0
#include "sim/backfill.hh"

#include <algorithm>
#include <utility>

#include "core/contract.hh"

namespace gleaner::sim {
namespace {

std::vector<std::string> node_names(int count) {
  auto const digits = std::to_string(count).size();
  std::vector<std::string> names;
  for (int i = 1; i <= count; ++i) {
    auto const number = std::to_string(i);
    names.push_back("n" + std::string(digits - number.size(), '0') + number);
  }
  return names;
}

}  // namespace

Result<Backfill> Backfill::make(JobLog const& log, BackfillOptions options) {
  if (options.nodes < 1)
    return Error{Errc::invalid_argument,
                 "a machine needs at least one node [give their number]"};
  for (auto const& job : log.jobs)
    if (job.nodes > options.nodes)
      return Error{Errc::invalid_argument,
                   "job " + std::to_string(job.number) + " wants " +
                       std::to_string(job.nodes) + " nodes of " +
                       std::to_string(options.nodes) +
                       " (it could never start) [simulate a larger machine]"};
  return Backfill(log, options);
}

Backfill::Backfill(JobLog const& log, BackfillOptions options)
    : options_(options),
      jobs_(log.jobs),
      names_(node_names(options.nodes)),
      starts_s_(log.jobs.size()),
      idle_(names_.size(), true),
      idle_count_(options.nodes),
      offered_(names_.size()),
      reserved_(names_.size()) {}

std::optional<double> Backfill::next_s() const {
  if (!has_begun_) return 0;
  std::optional<double> next;
  auto const also = [&](double t_s) {
    next = std::min(next.value_or(t_s), t_s);
  };
  if (next_job_ < jobs_.size()) also(std::max(0.0, job(next_job_).submit_s));
  for (auto const& running : running_) also(running.end_s);
  // Leases on reserved nodes end early enough to be gone by then.
  if (reserved_s_ && *reserved_s_ - options_.reclaim_s > now_s_)
    also(*reserved_s_ - options_.reclaim_s);
  return next;
}

HoleChange Backfill::advance(std::vector<bool> const& lent) {
  auto const next = next_s();
  EXPECT(next.has_value(), now_s_);
  ENSURE(*next >= now_s_, *next, now_s_);
  now_s_ = *next;
  if (!std::exchange(has_begun_, true)) begin_window();
  end_jobs();
  while (next_job_ < jobs_.size() && job(next_job_).submit_s <= now_s_) {
    if (!starts_s_[next_job_]) queue_.push_back(next_job_);
    ++next_job_;
  }
  schedule(lent);
  return offer_anew();
}

std::optional<double> Backfill::end_s(NodeNumber node) const {
  EXPECT(node < reserved_.size(), node, reserved_.size());
  return reserved_[node] ? reserved_s_ : std::nullopt;
}

/// What ran when the window began.  Where a log has more than the machine
/// holds, because it shared nodes, the rest waits like everybody.
void Backfill::begin_window() {
  for (JobIndex i = 0; i < jobs_.size(); ++i) {
    auto const& logged = job(i);
    if (logged.submit_s >= 0 || logged.start_s > 0) continue;
    bool const is_over = logged.start_s + logged.run_s <= 0;
    if (!is_over && logged.nodes > idle_count_) continue;
    if (!is_over) start(i, {});
    starts_s_[i] = logged.start_s;
    if (is_over) continue;
    running_.back().end_s = logged.start_s + logged.run_s;
    running_.back().end_s_max = logged.start_s + logged.limit_s;
  }
}

void Backfill::end_jobs() {
  std::erase_if(running_, [&](Running const& running) {
    if (running.end_s > now_s_) return false;
    for (NodeNumber node : running.nodes) idle_[node] = true;
    idle_count_ += static_cast<int>(running.nodes.size());
    return true;
  });
}

void Backfill::schedule(std::vector<bool> const& lent) {
  while (!queue_.empty() && job(queue_.front()).nodes <= idle_count_) {
    start(queue_.front(), lent);
    queue_.pop_front();
  }
  reserve_for_head();
  if (!reserved_s_) return;
  for (std::size_t place = 1; place < queue_.size() && idle_count_ > 0;) {
    auto const& candidate = job(queue_[place]);
    bool const ends_before = now_s_ + candidate.limit_s <= *reserved_s_;
    if (candidate.nodes > idle_count_ ||
        (!ends_before && candidate.nodes > spare_)) {
      ++place;
      continue;
    }
    if (!ends_before) spare_ -= candidate.nodes;
    start(queue_[place], lent);
    queue_.erase(queue_.begin() + static_cast<std::ptrdiff_t>(place));
  }
  reserve_for_head();
}

/// Nodes nobody holds first, so that no lease ends without need; then by
/// number, as Slurm does among nodes of equal weight.
void Backfill::start(JobIndex index, std::vector<bool> const& lent) {
  Running running;
  running.job = index;
  auto const wanted = static_cast<std::size_t>(job(index).nodes);
  bool reclaims = false;
  for (bool take_lent : {false, true})
    for (NodeNumber node = 0;
         node < idle_.size() && running.nodes.size() < wanted; ++node) {
      bool const is_lent = !lent.empty() && lent[node] && offered_[node];
      if (!idle_[node] || is_lent != take_lent) continue;
      running.nodes.push_back(node);
      idle_[node] = false;
      reclaims |= is_lent;
    }
  ENSURE(running.nodes.size() == wanted, job(index).number,
         running.nodes.size(), wanted);
  idle_count_ -= job(index).nodes;
  reclaims_ += reclaims;
  double const start_s = now_s_ + (reclaims ? options_.reclaim_s : 0);
  starts_s_[index] = start_s;
  running.end_s = start_s + job(index).run_s;
  running.end_s_max = start_s + job(index).limit_s;
  running_.push_back(std::move(running));
}

/// A job beyond its limit is expected to end at any moment.
void Backfill::reserve_for_head() {
  reserved_s_.reset();
  std::fill(reserved_.begin(), reserved_.end(), false);
  if (queue_.empty()) return;
  std::vector<std::pair<double, int>> ends;
  for (auto const& running : running_)
    ends.emplace_back(std::max(now_s_, running.end_s_max),
                      static_cast<int>(running.nodes.size()));
  std::sort(ends.begin(), ends.end());
  int const wanted = job(queue_.front()).nodes;
  int freed = 0;
  double at_s = now_s_;
  for (auto const& [end_s, nodes] : ends) {
    if (idle_count_ + freed >= wanted && end_s > at_s) break;
    at_s = end_s;
    freed += nodes;
  }
  ENSURE(idle_count_ + freed >= wanted, idle_count_, freed, wanted);
  reserved_s_ = at_s;
  spare_ = idle_count_ + freed - wanted;
  int keep = wanted - freed;
  for (NodeNumber node = 0; node < idle_.size() && keep > 0; ++node)
    if (idle_[node]) {
      reserved_[node] = true;
      --keep;
    }
}

HoleChange Backfill::offer_anew() {
  HoleChange change;
  bool const is_due = reserved_s_ && options_.reclaim_s > 0 &&
                      *reserved_s_ - options_.reclaim_s <= now_s_;
  for (NodeNumber node = 0; node < idle_.size(); ++node) {
    bool const offer = idle_[node] && !(is_due && reserved_[node]);
    if (offer == offered_[node]) continue;
    offered_[node] = offer;
    (offer ? change.joiners : change.leavers).push_back(node);
  }
  return change;
}

}  // namespace gleaner::sim
