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
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hh"
#include "runtime/comm/device.hh"
#include "runtime/comm/element.hh"

namespace gleaner::comm {

/// Gives `blob` to every member and returns the blobs of all, in rank order.
/// connect() calls it on its thread, zero or more times, with another key each
/// time and the same keys on all members.  Blocks.  The function must return an
/// error when the generation is given up, or when the time limit of connect()
/// is over.
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
  /// nothing writes to it any more (see at_rest()).  Blocks as long as another
  /// member does not come.
  virtual Result<void> allreduce(void const* local, void* sum, std::size_t n,
                                 Element type) = 0;

  /// Begin what allreduce() does, behind sums that were begun before.  Planes
  /// that do one thing at a time do it here.
  virtual Result<void> begin(void const* local, void* sum, std::size_t n,
                             Element type) {
    return allreduce(local, sum, n, type);
  }

  /// Wait for all sums that were begun: they are there, or this fails as
  /// allreduce() does.  Called after begin() whether that failed or not, before
  /// any of these buffers is used.
  virtual Result<void> finish() { return {}; }

  /// After a failure: whether indeed nothing writes to a sum any more.  If not,
  /// the member can do nothing but end.
  virtual bool at_rest() const { return true; }

  // The others are for algorithms that need more than a sum; they fail as
  // allreduce() does.  Planes that lack them, all but tcp and self, fail with
  // not_found, on all members alike.

  /// part[i] = the sum of local[cuts[rank] + i], for the elements up to
  /// cuts[rank + 1].  `cuts` has size + 1 entries, from 0 upwards, the same on
  /// all members.
  virtual Result<void> reduce_scatter(void const* local, void* part,
                                      std::span<std::size_t const> cuts,
                                      Element type) {
    (void)local, (void)part, (void)cuts, (void)type;
    return lacks("reduce_scatter");
  }

  /// all[cuts[r] + i] = part[i] of rank r.  `part` may be its place in `all`.
  virtual Result<void> all_gather(void const* part, void* all,
                                  std::span<std::size_t const> cuts,
                                  Element type) {
    (void)part, (void)all, (void)cuts, (void)type;
    return lacks("all_gather");
  }

  /// What `root` has in `data`, to all.
  virtual Result<void> broadcast(void* data, std::size_t bytes, int root) {
    (void)data, (void)bytes, (void)root;
    return lacks("broadcast");
  }

  /// To one other member, which calls receive() with as many bytes; one at a
  /// time with all other operations.  Either may block until the other comes.
  virtual Result<void> send(void const* data, std::size_t bytes, int to) {
    (void)data, (void)bytes, (void)to;
    return lacks("send");
  }
  virtual Result<void> receive(void* data, std::size_t bytes, int from) {
    (void)data, (void)bytes, (void)from;
    return lacks("receive");
  }

  /// A plane of some of the members, by ascending rank, which count from 0 in
  /// it.  All members call it together, each with the group it is in: groups
  /// are disjoint, or equal.  The new plane is connected; it is stopped by
  /// itself, and outlives this one.
  virtual Result<std::unique_ptr<Plane>> group(std::vector<int> const& ranks,
                                               double timeout_s) {
    (void)ranks, (void)timeout_s;
    return lacks("groups");
  }

  /// End what is in progress and make later calls fail.  From any thread, any
  /// number of times; never waits for another member.
  virtual void stop() = 0;

 private:
  // In the header, as all that is not pure: libgleaner_gpu.so, whose plane
  // derives from this, would else need symbols that libgleaner.so hides.
  static Error lacks(char const* operation) {
    return {Errc::not_found, std::string("this data plane has no ") +
                                 operation + " [plane tcp has]"};
  }
};

/// Memory that another process can map through its descriptor.  Stays as it is
/// while a plane that was told of it lives.
struct SharedRegion {
  void* data = nullptr;
  std::size_t bytes = 0;
  int descriptor = -1;
};

/// A link that is to be imitated (comm_slowed.hh).
struct SlowLink {
  double latency_s = 0;
  double bytes_per_s = 0;
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
  /// A link to another member is lost after this time without data, if the
  /// plane can detect that.  0: as its transport decides.
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
  /// Whether send() and receive() will be called: a member then listens as long
  /// as the plane lives.
  bool pairs = false;
  /// Take as long as this link would.
  std::optional<SlowLink> slow_link{};
};

/// "self", "tcp", "mpi", "nccl" or "auto": NCCL for buffers on a GPU,
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

}  // namespace gleaner::comm
