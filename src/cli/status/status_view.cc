// SPDX-License-Identifier: Apache-2.0
#include "cli/status/status_view.hh"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <map>
#include <set>

#include "cli/text_table.hh"
#include "core/importance.hh"
#include "core/place.hh"

namespace gleaner::cli {
namespace {

/// "45 s", "12 min", "3.5 h".
std::string duration(double s) {
  if (s < 120) return fixed(std::max(0.0, s), 0) + " s";
  if (s < 7200) return fixed(s / 60, 0) + " min";
  return fixed(s / 3600, 1) + " h";
}

std::string hole_end(double end_s, double now_s) {
  return end_s > 0 ? "in " + duration(end_s - now_s) : "unknown";
}

/// "8 nodes: 3 lent, 1 idle, 4 with other jobs", and of those lent in parts:
/// "8 nodes: 3 lent, 1 idle, 2 in parts (5 lent, 3 idle), 2 with other jobs".
std::string counts(msg::StatusReply const& s) {
  int lent = 0, idle = 0, parts_lent = 0, parts_idle = 0;
  std::set<std::string> parted;
  auto const count = [&](std::string const& place, int* whole, int* part) {
    if (is_part(place)) parted.insert(node_of(place));
    ++*(is_part(place) ? part : whole);
  };
  for (auto const& lease : s.leases) count(lease.node, &lent, &parts_lent);
  for (auto const& hole : s.holes)
    if (!hole.leased) count(hole.node, &idle, &parts_idle);
  auto const in_parts = static_cast<int>(parted.size());
  std::string text = std::to_string(s.nodes_total) +
                     " nodes: " + std::to_string(lent) + " lent, " +
                     std::to_string(idle) + " idle, ";
  if (in_parts > 0)
    text += std::to_string(in_parts) + " in parts (" +
            std::to_string(parts_lent) + " lent, " +
            std::to_string(parts_idle) + " idle), ";
  return text +
         std::to_string(std::max(0, s.nodes_total - lent - idle - in_parts)) +
         " with other jobs";
}

std::string totals(msg::StatusReply const& s) {
  auto text = counts(s) + ".  mode " + s.mode + ", policy " + s.policy;
  if (s.stall_p50_s > 0)
    text += ", stalls p50 " + fixed(s.stall_p50_s * 1e3, 0) + " ms, p99 " +
            fixed(s.stall_p99_s * 1e3, 0) + " ms";
  if (s.mode == "observe")
    text += "\nnothing is lent (" + s.observed_by + "): of " +
            std::to_string(s.lendable) + " nodes that could be, " +
            std::to_string(s.would_lend) + " would be";
  if (s.plan_bound > s.plan_value * (1 + 1e-6))
    text += "\nthe plan may fall short of the best by " +
            fixed(100 * (s.plan_bound - s.plan_value) / s.plan_bound, 2) + " %";
  if (!s.drained.empty())
    text += "\ndrained, not lent: " +
            (s.drained == "all" ? "all nodes" : s.drained);
  if (s.snapshot_s <= 0)
    text += "\nno look at the cluster yet";
  else if (s.time_s - s.snapshot_s > 60)
    text += "\nlast look at the cluster " + duration(s.time_s - s.snapshot_s) +
            " ago";
  return text + "\n";
}

/// Job ids in order: the first is A.
std::vector<JobId> letters(msg::StatusReply const& status) {
  std::vector<JobId> jobs;
  for (auto const& trainer : status.trainers) jobs.push_back(trainer.job);
  std::sort(jobs.begin(), jobs.end());
  return jobs;
}

struct Cell {
  char sign = '#';
  int colour = 90;  ///< of ECMA-48; grey
};

/// " node", " nodes"; " part", " parts" where all are parts of nodes.
std::string places_word(std::vector<std::string> const& places) {
  bool const parts = !places.empty() &&
                     std::all_of(places.begin(), places.end(),
                                 [](auto& place) { return is_part(place); });
  return std::string(parts ? " part" : " node") +
         (places.size() == 1 ? "" : "s");
}

constexpr int letter_colours[] = {94, 93, 92, 95, 91, 96};

std::string painted(std::string const& text, int colour, Ink ink) {
  if (ink == Ink::plain) return text;
  return "\033[" + std::to_string(colour) + "m" + text + "\033[0m";
}

/// Of several leases on a place the first counts.
Cell cell_of(msg::StatusReply const& status, std::vector<JobId> const& jobs,
             std::string const& place) {
  for (auto const& lease : status.leases) {
    if (lease.node != place) continue;
    auto const at = std::find(jobs.begin(), jobs.end(), lease.trainer);
    if (at == jobs.end()) return {'?', 90};
    auto const i = static_cast<std::size_t>(at - jobs.begin());
    char const letter = static_cast<char>('A' + i % 26);
    bool const taken = lease.state != "offered";
    return {taken ? letter : static_cast<char>(std::tolower(letter)),
            letter_colours[i % std::size(letter_colours)]};
  }
  for (auto const& hole : status.holes)
    if (hole.node == place) return {'.', 90};
  return {'#', 37};
}

/// The parts of a node that are lent or could be, in the order of their
/// numbers; none of one that is lent whole or not at all.
std::vector<std::string> parts_of(msg::StatusReply const& status,
                                  std::string const& node) {
  std::map<int, std::string> parts;
  auto const add = [&](std::string const& place) {
    auto const name = parse_place(place);
    if (name && name->part && name->node == node) parts[*name->part] = place;
  };
  for (auto const& lease : status.leases) add(lease.node);
  for (auto const& hole : status.holes) add(hole.node);
  std::vector<std::string> places;
  for (auto const& [number, place] : parts) places.push_back(place);
  return places;
}

/// The column of a node: its sign, or the signs of its parts.  It never gets
/// narrower; what is missing of its parts has another job.
std::string column(msg::StatusReply const& status,
                   std::vector<JobId> const& jobs, std::string const& node,
                   std::size_t* width, Ink ink) {
  auto places = parts_of(status, node);
  if (places.empty()) places.push_back(node);
  *width = std::max(*width, places.size());
  places.resize(*width);  // "" is no place: another job's
  std::string text;
  for (auto const& place : places) {
    Cell const cell = cell_of(status, jobs, place);
    text += painted(std::string(1, cell.sign), cell.colour, ink);
  }
  return text + " ";
}

bool has_wishes(msg::TrainerStatus const& trainer) {
  return trainer.weight != 1 || trainer.deadline_s > 0;
}

/// Columns that are there only where somebody has said so.
void add_wishes(msg::StatusReply const& status, std::vector<Row>* rows) {
  if (std::none_of(status.trainers.begin(), status.trainers.end(), has_wishes))
    return;
  rows->front().insert(rows->front().end() - 1, {"WEIGHT", "DEADLINE"});
  for (std::size_t i = 0; i < status.trainers.size(); ++i) {
    auto const& trainer = status.trainers[i];
    auto const left_s = trainer.deadline_s - status.time_s;
    auto& row = (*rows)[i + 1];
    row.insert(row.end() - 1, {weight_text(trainer.weight),
                               trainer.deadline_s == 0 ? "-"
                               : left_s > 0 ? "in " + duration(left_s)
                                            : duration(-left_s) + " ago"});
  }
}

}  // namespace

std::string status_table(msg::StatusReply const& status,
                         UserName const& user_name) {
  std::string text = totals(status);
  if (!status.trainers.empty()) {
    std::vector<Row> rows = {{"TRAINER", "NAME", "USER", "WANTS", "HAS",
                              "NODES", "GENERATION", "STEP", "SAMPLES",
                              "SAMPLES/S", "LOSS", "STATE", "WHY NOT MORE"}};
    for (auto const& t : status.trainers)
      rows.push_back(
          {std::to_string(t.job), t.name, user_name(t.uid),
           std::to_string(t.nodes_min) + "-" + std::to_string(t.nodes_max),
           std::to_string(t.nodes.size()), node_list(t.nodes),
           std::to_string(t.generation), std::to_string(t.step),
           std::to_string(t.samples), fixed(t.samples_per_s, 1),
           fixed(t.loss, 4), t.state, t.why.empty() ? "-" : t.why});
    add_wishes(status, &rows);
    text += "\n" + text_table(rows);
  }
  if (!status.leases.empty()) {
    std::vector<Row> rows = {
        {"LEASE", "NODE", "TRAINER", "STATE", "SINCE", "HOLE ENDS"}};
    for (auto const& l : status.leases)
      rows.push_back({l.job == 0 ? "-" : std::to_string(l.job), l.node,
                      std::to_string(l.trainer), l.state,
                      duration(status.time_s - l.since_s),
                      hole_end(l.until_s, status.time_s)});
    text += "\n" + text_table(rows);
  }
  std::vector<Row> idle = {{"IDLE", "HOLE ENDS", "KEPT FOR"}};
  for (auto const& hole : status.holes)
    if (!hole.leased)
      idle.push_back({hole.node, hole_end(hole.end_s, status.time_s),
                      hole.kept_for.empty() ? "-" : hole.kept_for});
  if (idle.size() > 1) text += "\n" + text_table(idle);
  return text;
}

std::string status_strip(msg::StatusReply const& status,
                         std::vector<std::string> const& nodes, double since_s,
                         Ink ink, StripWidths* widths) {
  auto const jobs = letters(status);
  char clock[32];
  std::snprintf(clock, sizeof clock, "%5.0f s  ", status.time_s - since_s);
  std::string line = clock;
  for (auto const& node : nodes)
    line += column(status, jobs, node, &(*widths)[node], ink);
  for (auto const& trainer : status.trainers) {
    auto const i = static_cast<std::size_t>(
        std::find(jobs.begin(), jobs.end(), trainer.job) - jobs.begin());
    std::string said = std::string("  ") + static_cast<char>('A' + i % 26) +
                       ": " + std::to_string(trainer.nodes.size()) +
                       places_word(trainer.nodes);
    if (trainer.step > 0 && std::isfinite(trainer.loss))
      said += ", loss " + fixed(trainer.loss, 2);
    if (trainer.state != "running") said += ", " + trainer.state;
    said.resize(std::max<std::size_t>(said.size(), 30), ' ');
    line += painted(said, letter_colours[i % std::size(letter_colours)], ink);
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

}  // namespace gleaner::cli
