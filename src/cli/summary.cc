// SPDX-License-Identifier: Apache-2.0
#include "cli/summary.hh"

#include <algorithm>
#include <cmath>
#include <map>

#include "cli/text_table.hh"

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

/// Time in which `a` holds at the same time as any trainer trains on the node.
void add_node(History const& history, std::string const& node, Summary& s) {
  Spans const whole = {history.window};
  auto const rigid = rigid_on(history.rigid, node, history.window.to_s);
  auto const holes = longer(outside(rigid, history.window), s.hole_s_min);
  s.idle_node_s += length_s(holes);
  s.leased_node_s +=
      length_s(common(leased_on(history.leases, node, 0), whole));
  for (std::size_t i = 0; i < history.trainers.size(); ++i) {
    auto const& trainer = history.trainers[i];
    auto const training = common(training_on(trainer, node), whole);
    auto const leased = leased_on(history.leases, node, trainer.job);
    s.trainers[i].node_s += length_s(training);
    s.trained_node_s += length_s(training);
    s.harvested_node_s += length_s(common(holes, common(training, leased)));
  }
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
  auto const with = delays(history.rigid);
  auto const without = delays(history.rigid_without);
  std::vector<double> added;
  for (auto const& [name, delay] : with)
    if (auto it = without.find(name); it != without.end())
      added.push_back(delay - it->second);
  s.rigid_delay_with_s = percentiles(values(with));
  s.rigid_delay_without_s = percentiles(values(without));
  s.rigid_delay_added_s = percentiles(added);
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

nlohmann::ordered_json to_json(Percentiles const& p) {
  return {{"p50", p.p50}, {"p99", p.p99}, {"n", p.n}};
}

nlohmann::ordered_json to_json(TrainerSummary const& t) {
  nlohmann::ordered_json json = {{"job", t.job},
                                 {"name", t.name},
                                 {"steps", t.steps},
                                 {"samples", t.samples},
                                 {"passes", t.passes},
                                 {"duplicate_samples", t.duplicate_samples},
                                 {"missing_samples", t.missing_samples},
                                 {"generations", t.generations},
                                 {"expands", t.expands},
                                 {"shrinks", t.shrinks},
                                 {"grew", t.grew},
                                 {"shrank", t.shrank},
                                 {"parks", t.parks},
                                 {"losses", t.losses},
                                 {"loss_first", t.loss_first},
                                 {"loss_last", t.loss_last},
                                 {"trained_node_s", t.node_s}};
  if (t.loader_waits) {
    json["loader_wait_ms"] = to_json(t.loader_waits->ms);
    json["loader_wait_share"] = t.loader_waits->share;
  }
  return json;
}

std::string to_text(LoaderWaits const& waits) {
  return "waited for samples p50 " + fixed(waits.ms.p50, 1) + " ms, p99 " +
         fixed(waits.ms.p99, 1) + " ms a step, " + fixed(100 * waits.share, 1) +
         " % of the steps' time";
}

}  // namespace

double percentile(std::vector<double> values, double share) {
  if (values.empty()) return 0;
  auto const rank = static_cast<std::size_t>(
      std::ceil(share * static_cast<double>(values.size())));
  auto const nth =
      values.begin() + static_cast<std::ptrdiff_t>(
                           std::clamp<std::size_t>(rank, 1, values.size()) - 1);
  std::nth_element(values.begin(), nth, values.end());
  return *nth;
}

Percentiles percentiles(std::vector<double> const& values) {
  return {percentile(values, 0.50), percentile(values, 0.99), values.size()};
}

Summary summarise(History const& history) {
  Summary s;
  s.failures = history.failures;
  s.window_s = history.window.to_s - history.window.from_s;
  s.nodes = static_cast<int>(history.nodes.size());
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
  for (auto const& node : history.nodes) add_node(history, node, s);
  if (s.idle_node_s > 0) s.harvest_ratio = s.harvested_node_s / s.idle_node_s;
  add_delays(history, s);
  add_failures(history.rigid, "", s);
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

nlohmann::ordered_json to_json(Summary const& s) {
  nlohmann::ordered_json trainers = nlohmann::ordered_json::array();
  for (auto const& t : s.trainers) trainers.push_back(to_json(t));
  return {{"window_s", s.window_s},
          {"nodes", s.nodes},
          {"expands", s.expands},
          {"shrinks", s.shrinks},
          {"generations", s.generations},
          {"stall_ms", to_json(s.stall_ms)},
          {"prepare_ms", to_json(s.prepare_ms)},
          {"hole_s_min", s.hole_s_min},
          {"idle_node_s", s.idle_node_s},
          {"harvested_node_s", s.harvested_node_s},
          {"harvest_ratio", s.harvest_ratio},
          {"leased_node_s", s.leased_node_s},
          {"trained_node_s", s.trained_node_s},
          {"trainers", trainers},
          {"rigid_start_delay_s",
           {{"with", to_json(s.rigid_delay_with_s)},
            {"without", to_json(s.rigid_delay_without_s)},
            {"added", to_json(s.rigid_delay_added_s)}}},
          {"failures", s.failures}};
}

std::string to_text(Summary const& s) {
  std::string text;
  auto const line = [&](std::string const& key, std::string const& value) {
    text += key + std::string(key.size() < 18 ? 18 - key.size() : 1, ' ') +
            value + "\n";
  };
  line("idle node time", fixed(s.idle_node_s, 0) +
                             " node-seconds in holes over " +
                             fixed(s.hole_s_min, 0) + " s");
  line("harvested", fixed(s.harvested_node_s, 0) + " node-seconds, " +
                        fixed(100 * s.harvest_ratio, 1) + " %");
  line("resizes", std::to_string(s.expands) + " expands, " +
                      std::to_string(s.shrinks) + " shrinks, " +
                      std::to_string(s.generations) + " generations");
  line("stall", "p50 " + fixed(s.stall_ms.p50, 0) + " ms, p99 " +
                    fixed(s.stall_ms.p99, 0) + " ms");
  line("rigid jobs start", "after p50 " + fixed(s.rigid_delay_with_s.p50, 2) +
                               " s, p99 " + fixed(s.rigid_delay_with_s.p99, 2) +
                               " s; without Gleaner " +
                               fixed(s.rigid_delay_without_s.p50, 2) + " and " +
                               fixed(s.rigid_delay_without_s.p99, 2) + " s");
  for (auto const& t : s.trainers) {
    line("training " + std::to_string(t.job),
         std::to_string(t.samples) + " samples, " + std::to_string(t.passes) +
             " passes, loss " + fixed(t.loss_first, 3) + " -> " +
             fixed(t.loss_last, 3) + ", " +
             std::to_string(t.duplicate_samples) + " seen twice, " +
             std::to_string(t.missing_samples) + " left out");
    if (t.loader_waits) line("", to_text(*t.loader_waits));
  }
  for (auto const& failure : s.failures) line("failed", failure);
  return text;
}

}  // namespace gleaner::cli
