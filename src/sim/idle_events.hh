// SPDX-License-Identifier: Apache-2.0
/// When which node of a machine was idle, as it was recorded.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/result.hh"

namespace gleaner::sim {

/// A node of the machine that is simulated: its place in a list of names.
using NodeNumber = std::uint32_t;

/// A node becomes idle, or stops being so.
struct IdleEvent {
  double t_s = 0;
  NodeNumber node = 0;
  bool idle = false;
};

struct IdleEvents {
  std::vector<std::string> nodes;  ///< in order of appearance
  std::vector<IdleEvent> events;   ///< in order of time, then of the file
};

/// Read `t_s,node,state` with state 1 for idle, in order of time, as text or
/// compressed by gzip.  No node is idle before its first line.  Fails, naming
/// the line, where time runs backwards or a node's state does not change.
Result<IdleEvents> read_idle_events(std::string const& file);

}  // namespace gleaner::sim
