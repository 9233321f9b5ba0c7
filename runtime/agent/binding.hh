// SPDX-License-Identifier: Apache-2.0
/// Which cores and which memory does each member of a node get?
///
/// A member alone on its node may run wherever the lease may.  Several share
/// the lease's cores evenly, neighbours on neighbouring cores; members with
/// GPUs of their own share the cores near those.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/result.hh"

namespace gleaner::agent {

struct Binding {
  std::string cpus;  ///< hardware threads: "0-3,8"; "": anywhere
  int memory = -1;   ///< the NUMA node they belong to; -1: several
  int threads = 0;   ///< for computing: a core each; 0: not known

  /// For log lines and events: "cpus=0-3,8 memory=0"; "" when it is anywhere.
  std::string text() const;
};

/// The cores of this node that may be used.
class Machine {
 public:
  /// What this process may use of this machine: Slurm's choice.  Fails with
  /// not_found when built without hwloc, with io when it cannot look.
  static Result<Machine> here();

  /// From hwloc's synthetic description: "numa:2 core:4 pu:2", of which the
  /// hardware threads in `allowed` may be used; "": all.
  static Result<Machine> synthetic(std::string const& description,
                                   std::string const& allowed = "");

  Machine(Machine&&) noexcept;
  ~Machine();

  /// A binding for each member.  near[i]: the hardware threads near its GPU,
  /// as Linux writes lists of them; "": no matter.
  std::vector<Binding> share(std::vector<std::string> const& near) const;

 private:
  struct Topology;
  explicit Machine(std::unique_ptr<Topology> topology);
  std::unique_ptr<Topology> topology_;
};

}  // namespace gleaner::agent
