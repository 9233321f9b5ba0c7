// SPDX-License-Identifier: Apache-2.0
#include "runtime/generation/checkpoint_schedule.hh"

#include <cassert>
#include <utility>

namespace gleaner::generation {
namespace {

/// Later than so many intervals, it is not coming.
constexpr double intervals_max = 10;
constexpr double park_pause_s = 1;

}  // namespace

std::string CheckpointSchedule::next_path() {
  return prefix_ + std::to_string(++number_) + ".safetensors";
}

bool CheckpointSchedule::is_due(double now) const {
  return interval_s_ > 0 && !asked_ && now - asked_s_ >= interval_s_;
}

bool CheckpointSchedule::is_overdue(double now) const {
  return interval_s_ > 0 && asked_ &&
         now - asked_s_ > intervals_max * interval_s_;
}

CheckpointSchedule::Asked const& CheckpointSchedule::ask(double now,
                                                         msg::MemberId member) {
  assert(!asked_);
  asked_s_ = now;
  return asked_.emplace(Asked{member, next_path()});
}

std::string CheckpointSchedule::take_back() {
  assert(asked_);
  return std::exchange(asked_, std::nullopt)->path;
}

std::optional<std::string> CheckpointSchedule::take_back_from(
    msg::MemberId member) {
  if (!asked_ || asked_->member != member) return std::nullopt;
  return take_back();
}

bool CheckpointSchedule::take_answer(msg::MemberId member,
                                     std::string const& path) {
  if (!asked_ || asked_->path != path || asked_->member != member) return false;
  asked_.reset();
  return true;
}

std::optional<CheckpointSchedule::Written> CheckpointSchedule::take_registered(
    std::string const& path) {
  auto const it = written_.find(path);
  if (it == written_.end()) return std::nullopt;
  auto written = std::move(it->second);
  written_.clear();
  return written;
}

void CheckpointSchedule::park_failed(double now) {
  park_again_s_ = now + park_pause_s;
}

}  // namespace gleaner::generation
