// SPDX-License-Identifier: Apache-2.0
/// What does a member's environment say: who it is, whom to call, which plane?
#pragma once

#include <optional>
#include <string>

#include "core/result.hh"
#include "proto/runtime_messages.hh"
#include "runtime/comm/comm.hh"
#include "runtime/generation/step_shares.hh"

namespace gleaner::member {

/// What the agent says to a member, in its environment.
struct MemberEnvironment {
  std::string coordinator;  ///< "host:port"; "": the program runs alone
  std::string secret;       ///< not itself in the environment
  msg::MemberId member = 1;
  std::string node;
  std::string plane = "auto";
  std::string address;  ///< of the interface to use; "": towards coordinator
  generation::ShareRules rules;
  bool overlap = true;    ///< gradients are reduced while backward runs
  std::string comm_host;  ///< socket of this node's comm host; "": none
  std::string topology;   ///< where its node is in the network; "": unknown
  /// What the network is to be taken for; none: for what it is.
  std::optional<comm::SlowLink> slow_link;
  std::string cpus;  ///< this member's share of the node; "": all of it

  /// GLEANER_*.  Takes the secret from where they say it is, which can be done
  /// once.
  static Result<MemberEnvironment> read();
};

}  // namespace gleaner::member
