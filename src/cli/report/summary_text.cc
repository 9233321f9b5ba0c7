// SPDX-License-Identifier: Apache-2.0
/// How the figures of a run are written: as JSON, and for a person.
#include "cli/report/summary.hh"
#include "cli/text_table.hh"

namespace gleaner::cli {
namespace {

nlohmann::ordered_json known(std::optional<double> const& figure) {
  return figure ? nlohmann::ordered_json(*figure) : nullptr;
}

nlohmann::ordered_json to_json(Percentiles const& p) {
  if (p.n == 0) return {{"p50", nullptr}, {"p99", nullptr}, {"n", 0}};
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
                                 {"rollbacks", t.rollbacks},
                                 {"undone_steps", t.undone_steps},
                                 {"undone_samples", t.undone_samples},
                                 {"loss_first", t.loss_first},
                                 {"loss_last", t.loss_last},
                                 {"trained_node_s", t.node_s},
                                 {"undone_node_s", t.undone_node_s}};
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

/// The lines of the text, each a key and what it says.
class Lines {
 public:
  void add(std::string const& key, std::string const& value) {
    text_ += key + std::string(key.size() < 18 ? 18 - key.size() : 1, ' ') +
             value + "\n";
  }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

void add_harvest(Summary const& s, Lines& lines) {
  lines.add("idle node time",
            s.idle_node_s
                ? fixed(*s.idle_node_s, 0) + " node-seconds in holes over " +
                      fixed(s.hole_s_min, 0) + " s"
            : s.in_parts ? std::string("unknown (which part of a node "
                                       "a job has is not recorded)")
                         : "unknown (no record of the other jobs) "
                           "[--sacct, or --rigid FILE]");
  if (s.in_parts && s.leased_node_s)
    lines.add("lent", fixed(*s.leased_node_s, 0) + " node-seconds, of which " +
                          fixed(s.trained_node_s, 0) +
                          " trained; a part of a node counts like a node");
  if (s.harvest_ratio)
    lines.add("harvested", fixed(*s.harvested_node_s, 0) + " node-seconds, " +
                               fixed(100 * *s.harvest_ratio, 1) + " %");
  else if (!s.leased_node_s)
    lines.add("harvested",
              "unknown (no record of the leases) [--journal FILE]");
  else
    lines.add("harvested",
              s.idle_node_s ? "nothing was idle" : "unknown (see above)");
  if (s.undone_node_s > 0)
    lines.add("undone", fixed(s.undone_node_s, 0) +
                            " node-seconds of steps that rollbacks undid, not "
                            "counted as harvested");
}

void add_resizes(Summary const& s, Lines& lines) {
  if (s.trainers.empty()) return;
  lines.add("resizes", std::to_string(s.expands) + " expands, " +
                           std::to_string(s.shrinks) + " shrinks, " +
                           std::to_string(s.generations) + " generations");
  if (s.stall_ms.n > 0)
    lines.add("stall", "p50 " + fixed(s.stall_ms.p50, 0) + " ms, p99 " +
                           fixed(s.stall_ms.p99, 0) + " ms");
}

void add_starts(Summary const& s, Lines& lines) {
  auto const text = [](Percentiles const& p) {
    return "p50 " + fixed(p.p50, 2) + " s, p99 " + fixed(p.p99, 2) + " s";
  };
  if (s.rigid_delay_with_s.n == 0) return;
  lines.add("other jobs start",
            "after " + text(s.rigid_delay_with_s) +
                (s.rigid_delay_without_s.n > 0
                     ? "; without Gleaner " + text(s.rigid_delay_without_s)
                     : "; without Gleaner unknown"));
  if (s.rigid_delay_added_s.n > 0)
    lines.add("added to starts",
              "median " + fixed(s.rigid_delay_added_s.p50, 2) + " s, worst " +
                  fixed(s.rigid_delay_added_worst_s, 2) + " s, of " +
                  std::to_string(s.rigid_delay_added_s.n) + " jobs");
}

std::string seen(TrainerSummary const& t) {
  std::string text = std::to_string(t.duplicate_samples) + " seen twice, " +
                     std::to_string(t.missing_samples) + " left out";
  if (t.rollbacks == 0) return text;
  return text + "; " + std::to_string(t.undone_steps) + " steps (" +
         std::to_string(t.undone_samples) + " samples) undone by " +
         std::to_string(t.rollbacks) +
         (t.rollbacks == 1 ? " rollback" : " rollbacks") +
         " and computed again";
}

void add_trainer(TrainerSummary const& t, Lines& lines) {
  lines.add("training " + std::to_string(t.job),
            std::to_string(t.samples) + " samples, " +
                std::to_string(t.passes) + " passes, loss " +
                fixed(t.loss_first, 3) + " -> " + fixed(t.loss_last, 3) + ", " +
                seen(t));
  if (t.loader_waits) lines.add("", to_text(*t.loader_waits));
}

}  // namespace

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
          {"in_parts", s.in_parts},
          {"hole_s_min", s.hole_s_min},
          {"idle_node_s", known(s.idle_node_s)},
          {"harvested_node_s", known(s.harvested_node_s)},
          {"harvest_ratio", known(s.harvest_ratio)},
          {"leased_node_s", known(s.leased_node_s)},
          {"trained_node_s", s.trained_node_s},
          {"undone_node_s", s.undone_node_s},
          {"trainers", trainers},
          {"rigid_start_delay_s",
           {{"with", to_json(s.rigid_delay_with_s)},
            {"without", to_json(s.rigid_delay_without_s)},
            {"added", to_json(s.rigid_delay_added_s)},
            {"added_worst",
             s.rigid_delay_added_s.n > 0
                 ? nlohmann::ordered_json(s.rigid_delay_added_worst_s)
                 : nullptr}}},
          {"failures", s.failures}};
}

std::string to_text(Summary const& s) {
  Lines lines;
  add_harvest(s, lines);
  add_resizes(s, lines);
  add_starts(s, lines);
  if (s.trainers.empty())
    lines.add("trainings", "unknown (no event log) [--trainer DIR]");
  for (auto const& t : s.trainers) add_trainer(t, lines);
  for (auto const& failure : s.failures) lines.add("failed", failure);
  return lines.take();
}

}  // namespace gleaner::cli
