// SPDX-License-Identifier: Apache-2.0
/// How does a member get an authenticated connection to each of its peers?
///
/// Listen first, then exchange contact data, then connect(): so a peer that
/// refuses a connection is gone.  Everything happens on the caller's thread, in
/// one loop over poll(), within one time limit.  A stranger that connects uses
/// a descriptor for a while, but takes no peer's place: a connection counts
/// only after its proof (handshake.hh), and of the others the oldest is closed.
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "core/result.hh"
#include "runtime/comm/tcp/handshake.hh"
#include "runtime/comm/tcp/stop_signal.hh"
#include "runtime/os/fd.hh"

namespace gleaner::comm::tcp {

using Clock = std::chrono::steady_clock;

/// Where peers call: on the network, and within the node.
class Listening {
 public:
  /// On this numeric address.  Fails with invalid_argument and with io.
  static Result<Listening> open(std::string const& address);

  int port() const { return port_; }
  std::string const& local() const { return local_; }
  int network() const { return network_.get(); }
  int node() const { return node_.get(); }

 private:
  os::Fd network_, node_;
  int port_ = 0;
  std::string local_;
};

struct Peer {
  int rank = 0;
  Purpose purpose = Purpose::network;
  auto operator<=>(Peer const&) const = default;
};

struct Call {
  Peer peer;
  std::string host;
  int port = 0;  ///< 0: within the node, and `host` names a UNIX socket
};

struct Plans {
  std::uint64_t generation = 0;
  int rank = 0;  ///< this member's
  std::string key;
  std::vector<Call> calls;    ///< whom to call
  std::vector<Peer> awaited;  ///< who will call
};

/// Non-blocking, one socket for each peer.  Fails with timed_out, with
/// unavailable when a peer is gone or the signal was raised, with denied when
/// what answers at a peer's address is not the peer.
Result<std::map<Peer, os::Fd>> connect_peers(Listening const& listening,
                                             Plans const& plans,
                                             StopSignal const& stop,
                                             Clock::time_point end);

}  // namespace gleaner::comm::tcp
