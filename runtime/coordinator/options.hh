// SPDX-License-Identifier: Apache-2.0
/// What `gleaner run` was told, and what it finds in its environment.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/cluster.hh"
#include "core/config.hh"
#include "core/result.hh"
#include "proto/daemon_messages.hh"
#include "runtime/generation/membership.hh"

namespace gleaner::coordinator {

struct CoordinatorOptions {
  std::vector<std::string> argv;  ///< the program and its arguments
  std::string dir;                ///< events.jsonl, checkpoints/
  std::uint64_t events_bytes_max = std::uint64_t(256) << 20;  ///< 0: no limit
  std::string cwd;                    ///< of the program, on every node
  std::string agent;                  ///< path of gleaner-agent
  std::string address;                ///< our host, as other nodes reach it
  bool address_chosen = false;        ///< it is not just the host's name
  std::string listen;                 ///< our address; "": that of `address`
  std::string secret;                 ///< of GLEANER_SECRET_FILE; "": a new one
  std::string comm = "auto";          ///< data plane
  std::string on_loss = "recompute";  ///< or "short"
  /// Of --output, --error and --label: patterns (core/output_pattern.hh).
  std::string output;
  std::string errors;
  bool labels = false;
  std::uint32_t shards = 0;  ///< of a step in deterministic mode; 0: off
  int members_per_node = 0;  ///< 0: one per GPU, at least one
  double checkpoint_interval_s = 60;
  /// Of GLEANER_FOLLOW: auto, on or off.
  generation::membership::Options::Follow follow =
      generation::membership::Options::Follow::automatic;
  double failure_timeout_s = 5;
  double load_timeout_s = 0;      ///< 0: follows from failure_timeout_s
  double connect_timeout_s = 0;   ///< 0: follows from failure_timeout_s
  double stuck_timeout_s = 0;     ///< 0: follows from failure_timeout_s
  double finish_timeout_s = 300;  ///< for the program, after the last step
  double stop_timeout_s = 20;     ///< from a signal to the end
  bool resume = false;            ///< go on from the checkpoint that `dir` has
  int local_nodes = -1;           ///< 0 or more: without Slurm
  int nodes_min = 1;              ///< with local_nodes; else gleanerd says
  /// Of --weight, --deadline, GLEANER_WEIGHT and GLEANER_DEADLINE; none: as
  /// the job was submitted.
  msg::Importance importance;
  JobId job = 0;  ///< our base job
  Config config;  ///< gleaner.yaml; defaults with local_nodes
};

/// Read the command line and the environment.  Fails with invalid_argument,
/// naming the option or variable; a command line that only asks for help or
/// the version prints it and gives an empty argv.
Result<CoordinatorOptions> read_options(int argc, char** argv);

}  // namespace gleaner::coordinator
