// SPDX-License-Identifier: Apache-2.0
/// What happened on a cluster with Gleaner, as the logs tell it.
///
/// Plain values.  Made from gleanerd's journal (journal.hh), the event logs of
/// the trainers (event_log.hh) and the record of the rigid jobs (rigid_log.hh);
/// the summary and the timeline are functions of it.  Times are seconds since
/// the epoch.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cli/report/sample_audit.hh"
#include "cli/report/time_spans.hh"
#include "core/cluster.hh"

namespace gleaner::cli {

/// A job that is not ours: it takes its nodes whole, from start to end.
struct RigidJob {
  std::string name;
  int nodes_wanted = 0;
  double submit_s = 0;            ///< when it was eligible to start
  std::optional<double> start_s;  ///< when its program began
  std::optional<double> end_s;
  NodeSet nodes;
  int code = 0;  ///< exit status
};

struct Lease {
  JobId job = 0;
  JobId trainer = 0;
  std::string node;
  Span held;
  std::string cause;  ///< why it ended; "" if it had not
};

/// A trainer's member set from `t_s` on.
struct Generation {
  double t_s = 0;
  std::uint64_t number = 0;
  std::string kind;  ///< "start", "expand", "shrink", "mixed", "loss", …
  int from = 0;      ///< members
  int to = 0;
  NodeSet nodes;
};

struct Resize {
  double t_s = 0;
  std::string kind;
  int from = 0;
  int to = 0;
  double prepare_s = 0;
  double stall_s = 0;
};

struct StepDone {
  double t_s = 0;
  msg::Step step = 0;
  std::uint64_t samples_seen = 0;
  double duration_s = 0;
  int world = 0;
};

/// The loss of one step, averaged over all its samples.
struct LossPoint {
  double t_s = 0;
  msg::Step step = 0;
  double loss = 0;
};

/// How long the member that waited longest for its samples of a step did so.
struct LoaderWait {
  msg::Step step = 0;
  double max_ms = 0;
};

/// Work that a rollback undid: it is computed a second time.
struct Undone {
  Span span;  ///< from the beginning of its first step to the end of its last
  msg::Step from_step = 0;  ///< the last step that still counts
  msg::Step to_step = 0;    ///< the last step that was undone
  std::vector<LossPoint> losses;
};

struct TrainerHistory {
  JobId job = 0;
  std::string name;
  std::uint64_t dataset_size = 0;
  std::vector<Generation> generations;
  std::vector<Resize> resizes;
  std::vector<StepDone> steps;
  std::vector<LossPoint> losses;
  std::vector<LoaderWait> loader_waits;  ///< of programs that log them
  SampleAudit audit;
  std::vector<Undone> undone;  ///< in order of time
  int members_lost = 0;
  std::vector<std::string> errors;
  std::optional<double> end_s;  ///< last event
  std::optional<int> code;      ///< of the training, if it finished itself
};

struct History {
  Span window;  ///< what the figures are about
  /// The rows of the picture: nodes, and after a node that was lent in parts
  /// those parts ("n3", "n3+0", "n3+1"); then leases are of the parts alone.
  std::vector<std::string> nodes;
  /// Jobs that are not ours; none: nobody told us of any, which is not the same
  /// as a cluster without jobs.
  std::optional<std::vector<RigidJob>> rigid;
  std::vector<RigidJob> rigid_without;       ///< the same jobs without Gleaner
  std::optional<std::vector<Lease>> leases;  ///< none: no journal was read
  std::vector<TrainerHistory> trainers;
  std::vector<std::string> failures;  ///< reported by the caller
};

/// When `node` was a member's place in `trainer`.
Spans training_on(TrainerHistory const& trainer, std::string const& node);

/// When `trainer` computed steps that were undone later.
Spans undone_in(TrainerHistory const& trainer);

/// When any rigid job ran on `node`.  One without an end runs until `now_s`.
Spans rigid_on(std::vector<RigidJob> const& jobs, std::string const& node,
               double now_s);

/// When `node` was lent out; `trainer` 0: to anyone.
Spans leased_on(std::vector<Lease> const& leases, std::string const& node,
                JobId trainer);

/// The nodes that were lent in parts.
std::set<std::string> parted_nodes(History const& history);

/// The jobs of rigid_without at the times of the run with Gleaner; none if the
/// two runs have no job in common.
std::vector<RigidJob> without_beside(History const& history);

/// Where they are not given, the window becomes the time, and the nodes become
/// those, that the logs tell of.  Parts follow their nodes.
void complete(History& history);

}  // namespace gleaner::cli
