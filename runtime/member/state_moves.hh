// SPDX-License-Identifier: Apache-2.0
/// How the state gets to a joiner, and a reduction to who lacks it.
///
/// Each call blocks until all is moved or the transfer is aborted; none runs
/// in the event loop.  What is sent must not change meanwhile.
#pragma once

#include <string>
#include <vector>

#include "core/result.hh"
#include "runtime/generation/session.hh"
#include "runtime/member/data_service.hh"
#include "runtime/state/checkpoint_file.hh"
#include "runtime/state/registry.hh"

namespace gleaner::member {

/// Send its piece to every joiner that asks for it.  A joiner that goes away
/// is no failure; only the program's blobs can fail.
Result<void> serve_state(DataService& data, DataService::Permit const& permit,
                         generation::session::ServeState const& action,
                         state::Registry const& registry,
                         std::string const& schema);

/// Connections over which a joiner has asked for the state.
struct StateSources {
  int self = 0;  ///< its rank among the joiners
  std::vector<DataService::Connection> donors = {};
  std::vector<msg::MemberId> others = {};  ///< the other joiners, in order
  std::vector<DataService::Connection> joiners = {};  ///< to those
};

/// Connect to all that will send, and get memory ready for what they send.
Result<StateSources> ask_for_state(
    DataService& data, DataService::Permit const& permit,
    generation::session::FetchState const& action, msg::MemberId self,
    state::Registry const& registry);

struct FetchedState {
  state::StateHeader header;
  double took_s = 0;  ///< since the donors were at the switch
};

/// Fill the registry's tensors, and relay this joiner's portion to the others.
/// Waits until the donors are at the switch.
Result<FetchedState> fetch_state(DataService& data,
                                 DataService::Permit const& permit,
                                 StateSources const& sources,
                                 state::Registry const& registry,
                                 std::string const& schema);

/// Send a reduction to a member that asked for it.
void serve_reduction(DataService::Connection const& connection,
                     std::vector<state::Span> reduction);

/// Take a whole reduction of `bytes` bytes.
Result<std::vector<char>> fetch_reduction(
    DataService& data, DataService::Permit const& permit,
    generation::session::FetchReduction const& action, std::size_t bytes);

}  // namespace gleaner::member
