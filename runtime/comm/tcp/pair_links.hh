// SPDX-License-Identifier: Apache-2.0
/// Connections between any two members, made when they first send to each
/// other.
///
/// Of two members the lower rank calls.  Both ends must come, so the first
/// send() waits for the other's receive().
#pragma once

#include <map>
#include <mutex>
#include <vector>

#include "runtime/comm/tcp/connecting.hh"
#include "runtime/comm/tcp/contact.hh"
#include "runtime/comm/tcp/traffic.hh"

namespace gleaner::comm::tcp {

class PairLinks {
 public:
  PairLinks(Listening listening, std::vector<Contact> contacts,
            std::uint64_t generation, int rank, std::string key,
            StopSignal const& stop, Traffic const& traffic);

  // As those of Plane.  `mutex` guards what shut() needs.
  Result<void> send(void const* data, std::size_t bytes, int to,
                    std::mutex& mutex);
  Result<void> receive(void* data, std::size_t bytes, int from,
                       std::mutex& mutex);

  void shut();  ///< under the mutex

 private:
  struct Pair {
    Link link;
    std::uint64_t sent = 0, received = 0;  ///< frames
  };
  Result<Pair*> pair_with(int other, std::mutex& mutex);

  Listening const listening_;
  std::vector<Contact> const contacts_;
  std::uint64_t const generation_;
  int const rank_;
  std::string const key_;
  StopSignal const& stop_;
  Traffic const& traffic_;
  std::map<int, Pair> pairs_;  ///< by rank
};

}  // namespace gleaner::comm::tcp
