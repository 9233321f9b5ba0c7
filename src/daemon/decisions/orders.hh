// SPDX-License-Identifier: Apache-2.0
/// What an administrator ordered: may anything be lent, and which nodes not.
///
/// Two sources, and either can forbid: gleaner.yaml (`mode`, `drained`) and
/// `gleaner admin`.  What the command said outlives a restart of gleanerd: it
/// is kept in STATE_DIR/orders.json (state_dir.hh).  A value; no file here.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "core/config.hh"
#include "core/node_set.hh"
#include "core/place.hh"
#include "core/result.hh"
#include "proto/daemon_messages.hh"

namespace gleaner::daemon {

class Orders {
 public:
  /// What the file says from now on: `mode` and `drained`.
  void configure(Config const& config);

  /// Carry out `gleaner admin`.  `known` are the nodes of the lease partition;
  /// empty when they are not known yet.  Fails with invalid_argument, and
  /// changes nothing, when the order names an unknown node or action, or asks
  /// for what gleaner.yaml forbids.
  Result<void> apply(msg::AdminRequest const& request, NodeSet const& known);

  /// May any node be lent?
  bool lends() const { return file_lends_ && !observe_; }

  /// Is the node of this place to be left alone?
  bool is_drained(std::string const& place) const {
    auto const node = node_of(place);
    return all_ || drained_.contains(node) || file_drained_.contains(node);
  }

  /// "on" or "observe"
  std::string mode() const { return lends() ? "on" : "observe"; }

  /// "n[1-4]", "all", or "": as Slurm writes nodes.
  std::string drained() const;

  /// Who forbids it, for `gleaner status`: "gleaner.yaml", "gleaner admin", "".
  std::string observed_by() const;

  /// What the command said, for STATE_DIR/orders.json, and back.  Fails with
  /// invalid_argument when that is not what to_json() wrote.
  nlohmann::ordered_json to_json() const;
  Result<void> restore(nlohmann::json const& json);

 private:
  Result<void> drain(std::string const& nodes, NodeSet const& known);
  Result<void> resume(std::string const& nodes);

  bool file_lends_ = false;
  NodeSet file_drained_;
  bool observe_ = false;
  bool all_ = false;  ///< every node is drained
  NodeSet drained_;
};

}  // namespace gleaner::daemon
