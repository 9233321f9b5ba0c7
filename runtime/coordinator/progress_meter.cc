// SPDX-License-Identifier: Apache-2.0
/// How a training is getting on, as `gleaner status` shows it.
#include "runtime/coordinator/progress_meter.hh"

#include <limits>

namespace gleaner::coordinator {
namespace {

constexpr double window_s = 3;

char const* name_of(generation::membership::Summary const& summary) {
  switch (summary.state) {
    case generation::membership::State::waiting:
      return summary.parked ? "parked" : "waiting";
    case generation::membership::State::finished:
      return "finished";
    case generation::membership::State::running:
    case generation::membership::State::recovering:
      break;
  }
  return "running";
}

}  // namespace

void ProgressMeter::take(double now,
                         generation::membership::Record const& record) {
  if (record.event == "step") {
    recent_.push_back({now, record.fields.at("samples_seen")});
    // One older point stays, so that the window is always covered.
    while (recent_.size() > 2 && recent_[1].time_s < now - window_s)
      recent_.pop_front();
  } else if (record.event == "log" && record.fields.at("key") == "loss") {
    loss_ = record.fields.at("value").get<double>();
  } else if (record.event == "rollback" || record.event == "generation") {
    recent_.clear();
  }
}

void ProgressMeter::take(msg::FromMember const& message) {
  if (auto const* loaded = std::get_if<msg::Loaded>(&message))
    samples_total_ = loaded->samples_total;
}

msg::Progress ProgressMeter::report(
    double now, generation::membership::Summary const& summary) const {
  msg::Progress progress;
  progress.generation = summary.generation;
  progress.members = static_cast<int>(summary.members.size());
  progress.nodes = summary.nodes;
  progress.step = summary.step;
  progress.samples = summary.samples_seen;
  if (samples_total_ > summary.samples_seen)
    progress.samples_left = samples_total_ - summary.samples_seen;
  progress.state = name_of(summary);
  progress.loss = loss_.value_or(std::numeric_limits<double>::quiet_NaN());
  if (recent_.size() > 1 && recent_.back().time_s > now - window_s) {
    auto const& first = recent_.front();
    auto const& last = recent_.back();
    if (last.time_s > first.time_s)
      progress.samples_per_s =
          static_cast<double>(last.samples - first.samples) /
          (last.time_s - first.time_s);
  }
  return progress;
}

}  // namespace gleaner::coordinator
