// SPDX-License-Identifier: Apache-2.0
/// Medians of steps, and means of what members say.
#include "runtime/coordinator/pace_meter.hh"

#include <algorithm>
#include <variant>

#include "core/quantile.hh"

namespace gleaner::coordinator {
namespace {

constexpr std::size_t durations_kept = 256;
constexpr std::size_t durations_min = 3;
/// A mark is this old at least before another is set.
constexpr std::uint64_t mark_steps = 128;
constexpr std::size_t program_bytes_max = 100;
constexpr std::size_t digest_chars = 16;

std::string base_name(std::string const& path) {
  return path.substr(path.rfind('/') + 1);
}

bool is_interpreter(std::string const& name) {
  for (auto const* known : {"python", "bash", "sh", "env", "julia"})
    if (name.rfind(known, 0) == 0) return true;
  return false;
}

bool is_script(std::string const& word) {
  for (auto const* suffix : {".py", ".sh", ".jl"}) {
    std::string const end = suffix;
    if (word.size() > end.size() &&
        word.compare(word.size() - end.size(), end.size(), end) == 0)
      return true;
  }
  return false;
}

}  // namespace

std::string program_of(std::vector<std::string> const& argv) {
  if (argv.empty()) return "";
  auto program = base_name(argv.front());
  if (is_interpreter(program)) {
    auto const script = std::find_if(argv.begin() + 1, argv.end(), is_script);
    if (script != argv.end()) program += ' ' + base_name(*script);
  }
  return program.substr(0, program_bytes_max);
}

PaceMeter::PaceMeter(std::vector<std::string> const& argv)
    : program_(program_of(argv)) {}

void PaceMeter::take(generation::membership::Record const& record) {
  if (record.event == "generation") return begin(record);
  if (record.event != "step") return;
  if (record.fields.at("generation").get<msg::Generation>() != generation_ ||
      record.fields.at("step").get<msg::Step>() < warm_from_)
    return;
  auto const duration_s = record.fields.at("duration_s").get<double>();
  if (duration_s <= 0) return;  // not known
  ++steps_;
  durations_s_.push_back(duration_s);
  if (durations_s_.size() > durations_kept) durations_s_.pop_front();
}

void PaceMeter::begin(generation::membership::Record const& record) {
  generation_ = record.fields.at("generation");
  nodes_ = record.fields.at("to");
  members_ = nodes_ > 0
                 ? record.fields.at("members").get<std::vector<msg::MemberId>>()
                 : std::vector<msg::MemberId>();
  warm_from_ = record.fields.at("step").get<msg::Step>() + cold_steps;
  steps_ = 0;
  durations_s_.clear();
  marks_.clear();
}

void PaceMeter::take(msg::MemberId member, msg::FromMember const& message) {
  if (auto const* alive = std::get_if<msg::Alive>(&message))
    note(member, *alive);
  else if (auto const* stable = std::get_if<msg::Stable>(&message))
    update_s_ = stable->update_s;
  else if (auto const* loaded = std::get_if<msg::Loaded>(&message))
    if (!loaded_) loaded_ = *loaded;
}

/// What it has completed before the generation was warm is where it starts.
void PaceMeter::note(msg::MemberId member, msg::Alive const& alive) {
  if (members_.empty() || alive.step <= warm_from_) return;
  Spent const now{alive.steps, alive.computed_s, alive.waited_s};
  auto const [found, is_new] = marks_.try_emplace(member, Marks{now, now, now});
  if (is_new) return;
  auto& marks = found->second;
  marks.now = now;
  if (now.steps - marks.newer.steps < mark_steps) return;
  marks.older = marks.newer;
  marks.newer = now;
}

/// False: a member has not said enough yet.
bool PaceMeter::add_members(msg::Pace* pace) const {
  double sum_s = 0;
  double least_wait_s = 0;
  for (std::size_t i = 0; i < members_.size(); ++i) {
    auto const found = marks_.find(members_[i]);
    if (found == marks_.end()) return false;
    auto const& [older, newer, now] = found->second;
    if (now.steps <= older.steps) return false;
    auto const steps = static_cast<double>(now.steps - older.steps);
    auto const computed_s = (now.computed_s - older.computed_s) / steps;
    auto const waited_s = (now.waited_s - older.waited_s) / steps;
    sum_s += computed_s;
    pace->compute_max_s = std::max(pace->compute_max_s, computed_s);
    least_wait_s = i == 0 ? waited_s : std::min(least_wait_s, waited_s);
  }
  pace->compute_s = sum_s / static_cast<double>(members_.size());
  pace->exposed_s = least_wait_s;
  return true;
}

std::optional<msg::Pace> PaceMeter::pace() const {
  if (members_.empty() || !loaded_ || durations_s_.size() < durations_min)
    return std::nullopt;
  msg::Pace pace;
  if (!add_members(&pace)) return std::nullopt;
  pace.generation = generation_;
  pace.nodes = nodes_;
  pace.members = static_cast<int>(members_.size());
  pace.steps = steps_;
  std::vector<double> const durations_s(durations_s_.begin(),
                                        durations_s_.end());
  pace.step_s = quantile(durations_s, 0.5);
  pace.step_spread_s =
      quantile(durations_s, 0.75) - quantile(durations_s, 0.25);
  pace.update_s = update_s_;
  pace.family = program_ + ", shapes " +
                loaded_->shapes.substr(0, digest_chars) + ", batch " +
                std::to_string(loaded_->global_batch);
  pace.global_batch = loaded_->global_batch;
  pace.gradient_bytes = loaded_->gradient_bytes;
  return pace;
}

}  // namespace gleaner::coordinator
