// SPDX-License-Identifier: Apache-2.0
/// What a job asks for, as far as it matters to us: Slurm's job_desc_msg_t in
/// plain values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/cluster.hh"

namespace gleaner::job_submit {

/// An option that a lease is asked for with in the words in which it was given.
struct PassedOn {
  std::string option;  ///< "--tmp"
  std::string value;   ///< "100M"; "": nothing in particular
  enum class Says {
    place,   ///< which node
    amount,  ///< how much of it: of a part the ticket alone says that
  } says;
};

/// Strings are "" and numbers are none where the user said nothing.
struct JobRequest {
  Uid submitter = 0;  ///< who asked, as MUNGE says
  Uid uid = 0;        ///< as whom the job is to run
  bool is_batch = false;
  bool is_het = false;  ///< a component of a heterogeneous job
  bool is_array = false;
  bool immediate = false;  ///< start now or fail
  /// It has a begin time, a dependency or a deadline, is held, or repeated.
  bool waits_otherwise = false;
  bool whole_nodes = false;  ///< --exclusive

  // The values of --malleable, and of --malleable-weight and
  // --malleable-deadline as spank_gleaner passes them.
  std::optional<std::string> malleable;
  std::optional<std::string> weight;
  std::optional<std::string> deadline;  ///< seconds since 1970

  // Where, and on whose account.
  std::string partition;
  std::string reservation;
  std::string licences;
  std::string account;
  std::string qos;
  std::string comment;
  std::string admin_comment;

  // Which nodes, and how many.
  std::optional<std::uint32_t> nodes_min;
  std::optional<std::uint32_t> nodes_max;
  std::optional<std::uint32_t> tasks;  ///< -n
  std::string required;                ///< --nodelist
  std::string excluded;                ///< --exclude
  std::string constraint;
  std::optional<std::uint32_t> switches;
  bool contiguous = false;

  // What of each node.
  std::string tres_per_node;    ///< "gres:gpu:4": --gres, --gpus-per-node
  std::string tres_per_job;     ///< --gpus
  std::string tres_per_socket;  ///< --gpus-per-socket
  std::string tres_per_task;    ///< --gpus-per-task
  std::string cpus_per_tres;    ///< "gres:gpu:8": --cpus-per-gpu
  std::string mem_per_tres;     ///< "gres:gpu:4096", MB: --mem-per-gpu
  std::optional<std::uint64_t> mem_per_node_mb;
  std::optional<std::uint64_t> mem_per_cpu_mb;
  std::optional<std::uint32_t> cpus_per_node_min;  ///< --mincpus
  std::optional<std::uint32_t> cpus_per_task;
  std::optional<std::uint32_t> tasks_per_node;
  std::vector<PassedOn> passed_on;

  /// Options given that have no meaning for a node that comes and goes by
  /// itself, as sbatch spells them: "--gpu-bind".
  std::vector<std::string> meaningless;
};

}  // namespace gleaner::job_submit
