// SPDX-License-Identifier: Apache-2.0
/// What sums the gradients of one generation's members: its data plane.
///
/// A plane serves one generation and is thrown away with it.  Life cycle:
///
///     auto plane = make_plane("tcp", {rank, size, address});
///     (*plane)->connect(exchange, timeout_s);       // on any thread, blocks
///     (*plane)->allreduce(local, sum, n, Element::float32);   // one at a time
///     (*plane)->stop();                             // from another thread
///
/// connect() of generation g+1 runs beside allreduce() of generation g: they
/// are different planes.  The results of allreduce() are equal to the last bit
/// on all members; the recovery from losses relies on it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hh"
#include "runtime/comm/device.hh"
#include "runtime/comm/element.hh"

namespace gleaner {

/// Gives `blob` to every member and returns everybody's, in rank order.
/// Called by connect(), on its thread, zero or more times, with another key
/// each time and the same keys on all members.  Blocks; whoever makes it ends
/// it with an error when the generation is given up, or when the time that
/// connect() was given is over.
using Exchange = std::function<Result<std::vector<std::string>>(
    std::string const& key, std::string const& blob)>;

class Plane {
 public:
  /// Nobody may be inside another call.  May take milliseconds.
  virtual ~Plane() = default;

  /// Connect to the other members, within `timeout_s`.  Fails with timed_out,
  /// or with unavailable after stop() and when a member cannot be reached.
  virtual Result<void> connect(Exchange const& exchange, double timeout_s) = 0;

  /// sum[i] = local[i] of all members, added up (see add()).  `local` is left
  /// as it is; the two do not overlap.  n may be 0.  Fails with unavailable
  /// after stop() and when a neighbour is lost: then `sum` is undefined, but
  /// nothing writes to it any more.  Blocks as long as another member does not
  /// come.
  virtual Result<void> allreduce(void const* local, void* sum, std::size_t n,
                                 Element type) = 0;

  /// End connect() or allreduce() in progress and make later ones fail.  From
  /// any thread, any number of times; never waits for another member.
  virtual void stop() = 0;
};

/// Memory that another process can map through its descriptor.  Stays as it is
/// while a plane that was told of it lives.
struct SharedRegion {
  void* data = nullptr;
  std::size_t bytes = 0;
  int descriptor = -1;
};

struct PlaneOptions {
  int rank = 0;
  int size = 1;
  std::string address;  ///< numeric address of this member's interface
  /// Where the buffers of allreduce() lie; NULL: in memory of the host.
  std::shared_ptr<Device> device{};
  std::string comm_host{};  ///< socket of this node's comm host; "": none
  std::string cpus{};       ///< where processes of the plane run; "": anywhere
  /// Where most of what is summed lies; a plane that needs it elsewhere copies.
  std::vector<SharedRegion> shared{};
  /// A link to another member on which nothing passes for so long is lost, if
  /// the plane can tell.  0: as its transport sees fit.
  double silence_s = 0;
  /// What both ends of a connection prove that they know, and for which
  /// generation.
  std::string secret{};
  std::uint64_t generation = 0;
  /// Members with equal names share memory, if they can.
  std::string node{};
  /// Where the node is in the network, as SLURM_TOPOLOGY_ADDR says it; "":
  /// unknown.  Rings are sorted by it, and then by the node's name.
  std::string topology{};
};

/// "self", "tcp", "gloo", "mpi", "nccl" or "auto": NCCL for buffers on a GPU,
/// else the best there is.  A generation of one member uses "self" whatever is
/// asked. Planes of the host sum buffers on a GPU through copies.  Fails with
/// not_found for a plane that was not built or is unknown, with
/// invalid_argument for NCCL between buffers of the host, with unavailable when
/// it needs a comm host and there is none, with io when its resources cannot be
/// had.
Result<std::unique_ptr<Plane>> make_plane(std::string_view kind,
                                          PlaneOptions const& options);

/// What was built for memory of the host, best first: "tcp,mpi,self".
std::string planes_available();

/// Does this plane work best on memory that other processes can map?
bool shares_memory(std::string_view kind);

}  // namespace gleaner
