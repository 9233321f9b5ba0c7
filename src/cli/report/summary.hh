// SPDX-License-Identifier: Apache-2.0
/// The figures of a run: what was idle, what of it trained, who noticed.
///
/// Definitions, used by everything that quotes a figure:
/// - A *hole* is a stretch of time in which no rigid job ran on a node, inside
///   the window.  A rigid job runs from the first to the last moment of its own
///   program.
/// - `idle_node_s` is the node time in holes longer than `hole_s_min`.
/// - A node is *training* while it is a place in a trainer's generation: from
///   the first step it takes part in to the switch that leaves it out.
/// - `harvested_node_s` is the time in those same holes in which a node was
///   both on lease and training; `harvest_ratio` its share of idle_node_s.
///   Time spent on steps that a rollback undid is not in it: that is
///   `undone_node_s`.
/// - A figure that the logs cannot tell is unknown, not 0: without a record of
///   the rigid jobs nobody knows what was idle, without the journal nobody
///   knows what was lent.
/// - `leased_node_s` and `trained_node_s` are each alone, over the whole
/// window.
/// - A *stall* is the longest step around a switch minus the median step.
/// - A step's *loader wait* is that of the member that waited longest for its
///   samples of the step: the others wait for its gradients.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/report/history.hh"

namespace gleaner::cli {

struct Percentiles {
  double p50 = 0;
  double p99 = 0;
  std::size_t n = 0;
};
Percentiles percentiles(std::vector<double> const& values);

struct LoaderWaits {
  Percentiles ms;    ///< over steps
  double share = 0;  ///< of the time of these steps
};

struct TrainerSummary {
  JobId job = 0;
  std::string name;
  std::uint64_t steps = 0;
  std::uint64_t samples = 0;
  std::uint64_t passes = 0;
  std::uint64_t duplicate_samples = 0;
  std::uint64_t missing_samples = 0;
  std::uint64_t generations = 0;
  int expands = 0;
  int shrinks = 0;
  int parks = 0;      ///< times it waited at zero nodes
  int losses = 0;     ///< generations made because a member was lost
  int rollbacks = 0;  ///< times that steps were undone
  std::uint64_t undone_steps = 0;
  std::uint64_t undone_samples = 0;  ///< trained, undone, and trained again
  /// Times its set of nodes got larger, and smaller, for any reason: planned,
  /// parked and resumed, or taken by Slurm.  The start does not count.
  int grew = 0;
  int shrank = 0;
  double loss_first = 0;  ///< mean of the first steps' losses
  double loss_last = 0;
  double node_s = 0;         ///< node time spent training
  double undone_node_s = 0;  ///< of it, on steps that were undone
  std::optional<LoaderWaits> loader_waits;  ///< if its program logs them
};

struct Summary {
  double window_s = 0;
  int nodes = 0;
  /// Leases were of parts of nodes: a part counts like a node, and what is idle
  /// is unknown, for nobody records which part of a node a job has.
  bool in_parts = false;
  double hole_s_min = 5;
  std::optional<double> idle_node_s;       ///< known with the rigid jobs
  std::optional<double> harvested_node_s;  ///< with them and the journal
  std::optional<double> harvest_ratio;     ///< where anything was idle
  std::optional<double> leased_node_s;     ///< known with the journal
  double trained_node_s = 0;
  double undone_node_s = 0;
  int expands = 0;
  int shrinks = 0;
  std::uint64_t generations = 0;
  Percentiles stall_ms;
  Percentiles prepare_ms;
  Percentiles rigid_delay_with_s;
  Percentiles rigid_delay_without_s;
  Percentiles rigid_delay_added_s;       ///< job by job, with minus without
  double rigid_delay_added_worst_s = 0;  ///< the largest of these
  std::vector<TrainerSummary> trainers;
  std::vector<std::string> failures;  ///< each in words
};

Summary summarise(History const& history);

/// What a run of the demo must show and did not; empty when it showed all:
/// every training progressed, was expanded and shrunk at least `resizes_min`
/// times, saw every sample once, and nothing failed.
std::vector<std::string> unmet(Summary const& summary, int resizes_min);

/// As summary.json has it; what is unknown is null.
nlohmann::ordered_json to_json(Summary const& summary);

/// A few lines for a person; what is unknown is called so, with what would
/// tell.
std::string to_text(Summary const& summary);

}  // namespace gleaner::cli
