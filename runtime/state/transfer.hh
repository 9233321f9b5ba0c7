// SPDX-License-Identifier: Apache-2.0
/// How bytes of the state get from one member's memory into another's.
///
/// Blocking calls on sockets, for threads that have nothing else to do.  They
/// have no time limit of their own: a peer that hangs is the coordinator's to
/// judge, and its word ends them through Transfers::abort().
#pragma once

#include <sys/socket.h>

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "core/result.hh"
#include "proto/frame_seal.hh"
#include "proto/runtime_messages.hh"
#include "runtime/os/fd.hh"
#include "runtime/state/registry.hh"
#include "runtime/state/sealed_socket.hh"

namespace gleaner::state {

/// Connections on which bytes move, so that another thread can end them.
class Transfers {
 public:
  /// Given when a transfer is decided on; void after the next abort().  So a
  /// thread that is late to open its connection finds it closed.
  struct Permit {
    msg::Generation generation = 0;
    std::uint64_t epoch = 0;
  };
  Permit permit(msg::Generation generation);
  bool valid(Permit const& permit);

  /// Ends the transfers of this generation, for good, or all there are: calls
  /// in progress fail soon.
  void abort(msg::Generation generation);
  void abort_all();

  /// A connection is lost after `seconds` of silence of the other machine.
  /// 0, the default: never.  Applies to connections made from now on.
  void set_silence_limit(double seconds);

  /// A socket that abort() reaches as long as this lives.  What passes on it
  /// is sealed with keys that follow from these.
  class Connection {
   public:
    Connection(Transfers& transfers, Permit const& permit, os::Fd fd,
               proto::SealKeys const& keys);
    Connection(Connection&& other) noexcept;
    Connection& operator=(Connection&&) = delete;
    ~Connection();
    SealedSocket* socket() const { return socket_.get(); }
    double silence_s() const { return silence_s_; }

   private:
    Transfers* transfers_;
    os::Fd fd_;
    std::unique_ptr<SealedSocket> socket_;
    double silence_s_ = 0;
  };

 private:
  bool valid_locked(Permit const& permit) const;

  std::mutex mutex_;
  std::map<int, msg::Generation> open_;  ///< by descriptor
  std::set<msg::Generation> aborted_;
  std::uint64_t epoch_ = 0;  ///< counts abort_all()
  double silence_s_ = 0;
};

/// Send or receive these spans, in order.
struct Stream {
  enum class Direction { send, receive };
  /// A span that is received before it can be sent on.
  struct Need {
    std::size_t stream = 0;  ///< of those that move with this one
    std::size_t bytes = 0;   ///< that it must have received
  };

  SealedSocket* socket = nullptr;
  Direction direction = Direction::send;
  std::vector<Span> spans;
  Result<void> done = {};        ///< after move_all()
  std::vector<Need> needs = {};  ///< one for each span, or none at all
  double silence_s = 0;          ///< as set_silence_limit()
};

/// Move all streams at once, until each is complete or has failed.  One that
/// cannot be received ends them all: the rest is of no use.  Fails with denied
/// when what came is not what the peer sent, else with unavailable.
void move_all(std::vector<Stream>& streams);

/// A request, sealed as frames are.
Result<void> send_request(int fd, nlohmann::json const& message,
                          proto::FrameSeal& seal);

/// One message among bulk data; takes no byte beyond it.
Result<nlohmann::json> receive_frame(SealedSocket& socket,
                                     double silence_s = 0);

std::size_t total_bytes(std::vector<Span> const& spans);

/// The address of this machine's interface towards "host:port", numeric; fails
/// with unavailable when there is no route.
Result<std::string> local_address_towards(std::string const& address);

}  // namespace gleaner::state
