// SPDX-License-Identifier: Apache-2.0
#include "runtime/comm/tcp/pair_links.hh"

namespace gleaner::comm::tcp {

PairLinks::PairLinks(Listening listening, std::vector<Contact> contacts,
                     std::uint64_t generation, int rank, std::string key,
                     StopSignal const& stop, Traffic const& traffic)
    : listening_(std::move(listening)),
      contacts_(std::move(contacts)),
      generation_(generation),
      rank_(rank),
      key_(std::move(key)),
      stop_(stop),
      traffic_(traffic) {}

Result<PairLinks::Pair*> PairLinks::pair_with(int other, std::mutex& mutex) {
  if (auto const found = pairs_.find(other); found != pairs_.end())
    return &found->second;
  Plans plans{generation_, rank_, key_, {}, {}};
  Peer const peer{other, Purpose::pair};
  auto const& contact = contacts_[std::size_t(other)];
  if (rank_ > other)
    plans.awaited.push_back(peer);
  else if (contact.node == contacts_[std::size_t(rank_)].node)
    plans.calls.push_back({peer, contact.local, 0});
  else
    plans.calls.push_back({peer, contact.host, contact.port});
  // As long as the other one computes; stop() ends it.
  auto const end = Clock::now() + std::chrono::hours(24);
  auto sockets = connect_peers(listening_, plans, stop_, end);
  if (!sockets) return sockets.error();
  std::lock_guard lock(mutex);
  auto& pair = pairs_[other];
  pair.link = Link(std::move(sockets->at(peer)), rank_, other, generation_);
  // A raised signal is seen after this, or shut() has the link.
  if (stop_.raised()) return StopSignal::error();
  return &pair;
}

Result<void> PairLinks::send(void const* data, std::size_t bytes, int to,
                             std::mutex& mutex) {
  auto const pair = pair_with(to, mutex);
  if (!pair) return pair.error();
  return traffic_.exchange({&(*pair)->link, data, bytes}, {}, ++(*pair)->sent,
                           0);
}

Result<void> PairLinks::receive(void* data, std::size_t bytes, int from,
                                std::mutex& mutex) {
  auto const pair = pair_with(from, mutex);
  if (!pair) return pair.error();
  return traffic_.exchange({}, {&(*pair)->link, data, bytes},
                           ++(*pair)->received, 0);
}

void PairLinks::shut() {
  for (auto& [rank, pair] : pairs_) pair.link.shut();
}

}  // namespace gleaner::comm::tcp
