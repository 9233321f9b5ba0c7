// SPDX-License-Identifier: Apache-2.0
#include "cli/report/summary.hh"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "core/place.hh"
#include "core/quantile.hh"

namespace gleaner::cli {
namespace {

/// Steps whose losses are meant: one step's loss says little.
constexpr std::size_t loss_steps = 20;

double mean_loss(std::vector<LossPoint> const& points, std::size_t first,
                 std::size_t last) {
  double sum = 0;
  for (auto i = first; i < last; ++i) sum += points[i].loss;
  return first < last ? sum / static_cast<double>(last - first) : 0;
}

std::optional<LoaderWaits> loader_waits(TrainerHistory const& trainer) {
  std::map<msg::Step, double> durations_s;
  for (auto const& step : trainer.steps)
    durations_s[step.step] = step.duration_s;
  std::vector<double> waits_ms;
  double waited_s = 0, lasted_s = 0;
  for (auto const& wait : trainer.loader_waits) {
    auto const step = durations_s.find(wait.step);
    if (step == durations_s.end()) continue;  // not recorded
    waits_ms.push_back(wait.max_ms);
    waited_s += wait.max_ms * 1e-3;
    lasted_s += step->second;
  }
  if (waits_ms.empty()) return std::nullopt;
  return LoaderWaits{percentiles(waits_ms),
                     lasted_s > 0 ? waited_s / lasted_s : 0};
}

TrainerSummary summarise(TrainerHistory const& trainer) {
  TrainerSummary s;
  s.job = trainer.job;
  s.name = trainer.name;
  s.steps = trainer.steps.empty()
                ? 0
                : static_cast<std::uint64_t>(trainer.steps.back().step);
  auto const audit = trainer.audit.findings(trainer.dataset_size);
  s.rollbacks = static_cast<int>(trainer.undone.size());
  for (auto const& undone : trainer.undone)
    s.undone_steps +=
        static_cast<std::uint64_t>(undone.to_step - undone.from_step);
  s.undone_samples = audit.undone;
  s.samples = audit.samples;
  s.passes = audit.passes;
  s.duplicate_samples = audit.duplicates;
  s.missing_samples = audit.missing;
  s.generations = trainer.generations.size();
  for (auto const& g : trainer.generations) {
    if (g.kind == "park") ++s.parks;
    if (g.kind == "loss") ++s.losses;
    bool const planned =
        g.kind == "expand" || g.kind == "shrink" || g.kind == "mixed";
    if (g.to > g.from && g.kind != "start") ++s.grew;
    if (g.to < g.from) ++s.shrank;
    if (planned && g.to > g.from) ++s.expands;
    if (planned && g.to < g.from) ++s.shrinks;
  }
  auto const& losses = trainer.losses;
  auto const n = std::min(loss_steps, (losses.size() + 1) / 2);
  s.loss_first = mean_loss(losses, 0, n);
  s.loss_last = mean_loss(losses, losses.size() - n, losses.size());
  s.loader_waits = loader_waits(trainer);
  return s;
}

/// What one node was used for, added to the figures.
class NodeTime {
 public:
  NodeTime(History const& history, std::string const& node)
      : history_(history), node_(node), whole_{history.window} {}

  void add_to(Summary& s) const {
    if (history_.leases) {
      auto const leased = leased_on(*history_.leases, node_, 0);
      *s.leased_node_s += length_s(common(leased, whole_));
    }
    Spans const holes = history_.rigid ? holes_longer(s.hole_s_min) : Spans{};
    if (s.idle_node_s) *s.idle_node_s += length_s(holes);
    for (std::size_t i = 0; i < history_.trainers.size(); ++i)
      add_trainer(history_.trainers[i], holes, s, s.trainers[i]);
  }

 private:
  Spans holes_longer(double hole_s_min) const {
    auto const rigid = rigid_on(*history_.rigid, node_, history_.window.to_s);
    return longer(outside(rigid, history_.window), hole_s_min);
  }

  void add_trainer(TrainerHistory const& trainer, Spans const& holes,
                   Summary& s, TrainerSummary& t) const {
    auto const training = common(training_on(trainer, node_), whole_);
    auto const undone = common(training, undone_in(trainer));
    t.node_s += length_s(training);
    t.undone_node_s += length_s(undone);
    s.trained_node_s += length_s(training);
    s.undone_node_s += length_s(undone);
    if (!s.harvested_node_s) return;
    auto const leased = leased_on(*history_.leases, node_, trainer.job);
    auto const harvest = common(holes, common(training, leased));
    *s.harvested_node_s +=
        length_s(harvest) - length_s(common(harvest, undone));
  }

  History const& history_;
  std::string const& node_;
  Spans const whole_;
};

void add_node_times(History const& history, Summary& s) {
  if (history.rigid) s.idle_node_s = 0;
  if (history.leases) s.leased_node_s = 0;
  if (history.rigid && history.leases) s.harvested_node_s = 0;
  auto const parted = parted_nodes(history);
  for (auto const& node : history.nodes)
    if (!parted.count(node)) NodeTime(history, node).add_to(s);
  if (!parted.empty()) {
    s.in_parts = true;
    s.idle_node_s = s.harvested_node_s = std::nullopt;
  }
  if (s.harvested_node_s && *s.idle_node_s > 0)
    s.harvest_ratio = *s.harvested_node_s / *s.idle_node_s;
}

std::map<std::string, double> delays(std::vector<RigidJob> const& jobs) {
  std::map<std::string, double> result;
  for (auto const& job : jobs)
    if (job.start_s) result[job.name] = *job.start_s - job.submit_s;
  return result;
}

std::vector<double> values(std::map<std::string, double> const& named) {
  std::vector<double> result;
  for (auto const& [name, value] : named) result.push_back(value);
  return result;
}

void add_delays(History const& history, Summary& s) {
  if (!history.rigid) return;
  auto const with = delays(*history.rigid);
  auto const without = delays(history.rigid_without);
  std::vector<double> added;
  for (auto const& [name, delay] : with)
    if (auto it = without.find(name); it != without.end())
      added.push_back(delay - it->second);
  s.rigid_delay_with_s = percentiles(values(with));
  s.rigid_delay_without_s = percentiles(values(without));
  s.rigid_delay_added_s = percentiles(added);
  if (!added.empty())
    s.rigid_delay_added_worst_s = *std::max_element(added.begin(), added.end());
}

void add_failures(std::vector<RigidJob> const& jobs, std::string const& where,
                  Summary& s) {
  for (auto const& job : jobs) {
    std::string const what = "rigid job " + job.name + where;
    if (!job.start_s)
      s.failures.push_back(what + " never started");
    else if (!job.end_s)
      s.failures.push_back(what + " did not end");
    else if (job.code != 0)
      s.failures.push_back(what + " ended with status " +
                           std::to_string(job.code));
  }
}

}  // namespace

Percentiles percentiles(std::vector<double> const& values) {
  return {quantile(values, 0.50), quantile(values, 0.99), values.size()};
}

Summary summarise(History const& history) {
  Summary s;
  s.failures = history.failures;
  s.window_s = history.window.to_s - history.window.from_s;
  std::set<std::string> nodes;
  for (auto const& place : history.nodes) nodes.insert(node_of(place));
  s.nodes = static_cast<int>(nodes.size());
  std::vector<double> stalls_ms, prepares_ms;
  for (auto const& trainer : history.trainers) {
    s.trainers.push_back(summarise(trainer));
    auto const& t = s.trainers.back();
    s.expands += t.expands;
    s.shrinks += t.shrinks;
    s.generations += t.generations;
    for (auto const& resize : trainer.resizes) {
      if (resize.from == 0 || resize.to == 0) continue;  // nothing to stall
      stalls_ms.push_back(resize.stall_s * 1e3);
      prepares_ms.push_back(resize.prepare_s * 1e3);
    }
    for (auto const& error : trainer.errors)
      s.failures.push_back("training " + std::to_string(trainer.job) + ": " +
                           error);
    if (trainer.code.value_or(0) != 0)
      s.failures.push_back("training " + std::to_string(trainer.job) +
                           " ended with status " +
                           std::to_string(*trainer.code));
  }
  s.stall_ms = percentiles(stalls_ms);
  s.prepare_ms = percentiles(prepares_ms);
  add_node_times(history, s);
  add_delays(history, s);
  if (history.rigid) add_failures(*history.rigid, "", s);
  add_failures(history.rigid_without, " (without Gleaner)", s);
  return s;
}

std::vector<std::string> unmet(Summary const& summary, int resizes_min) {
  std::vector<std::string> result = summary.failures;
  if (summary.trainers.empty()) result.push_back("there was no training");
  for (auto const& t : summary.trainers) {
    auto const demand = [&](bool met, std::string const& what) {
      if (!met)
        result.push_back("training " + std::to_string(t.job) + " " + what);
    };
    auto const times = [](int n) { return std::to_string(n) + " times"; };
    demand(t.samples > 0 && t.loss_last < t.loss_first, "did not learn");
    demand(t.grew >= resizes_min, "grew only " + times(t.grew));
    demand(t.shrank >= resizes_min, "shrank only " + times(t.shrank));
    demand(t.duplicate_samples == 0,
           "saw " + std::to_string(t.duplicate_samples) + " samples twice");
    demand(t.missing_samples == 0,
           "left out " + std::to_string(t.missing_samples) + " samples");
  }
  return result;
}

}  // namespace gleaner::cli
