// SPDX-License-Identifier: Apache-2.0
/// The life of a plane over TCP; its parts are in tcp/.
///
/// It has no thread: the one that calls moves the bytes.  stop() raises a
/// signal that every wait looks at, and shuts all connections.  So does an
/// operation that fails: a loss goes from neighbour to neighbour, and each that
/// waits hears of it in microseconds.
#include "runtime/comm/comm_tcp.hh"

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>

#include "proto/secret.hh"
#include "runtime/comm/tcp/connecting.hh"
#include "runtime/comm/tcp/doubling_sum.hh"
#include "runtime/comm/tcp/layout.hh"
#include "runtime/comm/tcp/node_sum.hh"
#include "runtime/comm/tcp/ring_sum.hh"

namespace gleaner {
namespace {

using namespace tcp;

/// Up to so many bytes, log2(n) rounds of all of it take less time than 2 (n-1)
/// rounds of a part: measured with 4 and 8 nodes.
constexpr std::size_t doubling_bytes_max = 128 << 10;

class TcpPlane final : public Plane {
 public:
  TcpPlane(PlaneOptions options, Listening listening)
      : options_(std::move(options)),
        listening_(std::move(listening)),
        traffic_(stop_, options_.silence_s) {}

  bool good() const { return stop_.good(); }

  Result<void> connect(Exchange const& exchange, double timeout_s) override;
  Result<void> allreduce(void const* local, void* sum, std::size_t n,
                         Element type) override;
  void stop() override;

 private:
  Result<std::vector<Contact>> meet(Exchange const& exchange, std::string* key);
  Plans plans(std::vector<Contact> const& contacts, std::string key) const;
  Result<void> join_node(std::map<Peer, Fd>& sockets, Clock::time_point end);
  void keep_links(std::map<Peer, Fd>& sockets);
  Result<void> sum_all(void const* local, void* sum, std::size_t n,
                       Element type);
  Result<void> sum_nodes(void const* local, void* sum, std::size_t n,
                         Element type);
  void shut();

  PlaneOptions const options_;
  std::optional<Listening> listening_;  ///< until it is connected
  StopSignal stop_;
  Traffic const traffic_;
  Layout layout_;
  std::uint64_t operation_ = 0;
  bool connected_ = false;

  std::mutex mutex_;  ///< for what stop() needs, while connect() makes it
  std::map<int, Link> links_;  ///< by node
  std::unique_ptr<NodeMemory> node_memory_;

  std::optional<NodeSum> node_sum_;  ///< where there are others on the node
  std::optional<RingSum> ring_;      ///< of the one that speaks for its node
  std::optional<DoublingSum> doubling_;
};

Result<std::vector<Contact>> TcpPlane::meet(Exchange const& exchange,
                                            std::string* key) {
  Contact const own{options_.address,
                    listening_->port(),
                    listening_->local(),
                    random_hex(nonce_bytes / 2),
                    node_identity(options_.node),
                    options_.topology};
  auto const texts = exchange("contact", own.text());
  if (!texts) return texts.error();
  if (texts->size() != std::size_t(options_.size))
    return Error{Errc::invalid_argument,
                 "contact data of " + std::to_string(texts->size()) +
                     " members, expected " + std::to_string(options_.size)};
  std::vector<Contact> contacts;
  for (auto const& text : *texts) {
    auto contact = Contact::parse(text);
    if (!contact) return contact.error();
    contacts.push_back(std::move(*contact));
  }
  *key = key_of_plane(options_.secret, options_.generation, *texts);
  return contacts;
}

/// Of two nodes the lower one calls the other; a seat calls its parent.
Plans TcpPlane::plans(std::vector<Contact> const& contacts,
                      std::string key) const {
  Plans plans{options_.generation, options_.rank, std::move(key), {}, {}};
  auto const& node = layout_.own_node();
  if (auto const seat = parent_seat(layout_.seat); seat >= 0) {
    auto const rank = node[std::size_t(seat)];
    plans.calls.push_back(
        {{rank, Purpose::node}, contacts[std::size_t(rank)].local, 0});
  }
  for (int const seat : child_seats(layout_.seat, int(node.size())))
    plans.awaited.push_back({node[std::size_t(seat)], Purpose::node});
  if (!layout_.leads()) return plans;
  for (int const other : partners(layout_.node, layout_.node_count())) {
    Peer const peer{layout_.leader(other), Purpose::network};
    auto const& contact = contacts[std::size_t(peer.rank)];
    if (layout_.node < other)
      plans.calls.push_back({peer, contact.host, contact.port});
    else
      plans.awaited.push_back(peer);
  }
  return plans;
}

Result<void> TcpPlane::join_node(std::map<Peer, Fd>& sockets,
                                 Clock::time_point end) {
  auto const& node = layout_.own_node();
  auto const seats = int(node.size());
  if (seats == 1) return {};
  auto const socket_of = [&](int seat) {
    return std::move(sockets.at({node[std::size_t(seat)], Purpose::node}));
  };
  auto const parent = parent_seat(layout_.seat);
  std::vector<Fd> children;
  for (int const seat : child_seats(layout_.seat, seats))
    children.push_back(socket_of(seat));
  auto joined = NodeMemory::join(layout_.seat, seats,
                                 parent < 0 ? Fd() : socket_of(parent),
                                 std::move(children), stop_, end);
  if (!joined) return joined.error();
  std::lock_guard lock(mutex_);
  node_memory_ = std::move(*joined);
  node_sum_.emplace(*node_memory_);
  return {};
}

void TcpPlane::keep_links(std::map<Peer, Fd>& sockets) {
  std::lock_guard lock(mutex_);
  for (int node = 0; node < layout_.node_count(); ++node) {
    Peer const peer{layout_.leader(node), Purpose::network};
    if (auto const found = sockets.find(peer); found != sockets.end())
      links_.emplace(node, Link(std::move(found->second), options_.rank,
                                peer.rank, options_.generation));
  }
  auto const count = layout_.node_count();
  if (!layout_.leads() || count == 1) return;
  auto const place = layout_.node;
  ring_.emplace(traffic_, place, count, links_.at((place + count - 1) % count),
                links_.at((place + 1) % count));
  doubling_.emplace(traffic_, place, count,
                    [this](int node) -> Link& { return links_.at(node); });
}

Result<void> TcpPlane::connect(Exchange const& exchange, double timeout_s) {
  auto const end = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                      std::chrono::duration<double>(timeout_s));
  if (stop_.raised()) return StopSignal::error();
  std::string key;
  auto const contacts = meet(exchange, &key);
  if (!contacts) return contacts.error();
  layout_ = Layout::of(*contacts, options_.rank);
  auto sockets =
      connect_peers(*listening_, plans(*contacts, std::move(key)), stop_, end);
  if (!sockets) return sockets.error();
  listening_.reset();
  if (auto joined = join_node(*sockets, end); !joined) return joined;
  keep_links(*sockets);
  if (stop_.raised()) {
    shut();
    return StopSignal::error();
  }
  connected_ = true;
  return {};
}

Result<void> TcpPlane::sum_nodes(void const* local, void* sum, std::size_t n,
                                 Element type) {
  return n * size_of(type) <= doubling_bytes_max
             ? doubling_->run(operation_, local, sum, n, type)
             : ring_->run(operation_, local, sum, n, type);
}

Result<void> TcpPlane::sum_all(void const* local, void* sum, std::size_t n,
                               Element type) {
  if (!node_sum_) return sum_nodes(local, sum, n, type);
  if (layout_.node_count() == 1)
    return node_sum_->run(local, sum, n, type, NodeSum::For::all);
  auto done = node_sum_->run(local, sum, n, type, NodeSum::For::leader);
  if (done && layout_.leads()) done = sum_nodes(sum, sum, n, type);
  if (!done) return done;
  return node_sum_->spread(sum, n * size_of(type));
}

Result<void> TcpPlane::allreduce(void const* local, void* sum, std::size_t n,
                                 Element type) {
  if (stop_.raised()) return StopSignal::error();
  if (!connected_)
    return Error{Errc::unavailable, "data plane is not connected"};
  ++operation_;
  if (n == 0) return {};
  auto done = sum_all(local, sum, n, type);
  if (done) return done;
  connected_ = false;
  shut();
  return done;
}

void TcpPlane::shut() {
  std::lock_guard lock(mutex_);
  for (auto& [node, link] : links_) link.shut();
  if (node_memory_) node_memory_->break_up();
}

void TcpPlane::stop() {
  if (stop_.raised()) return;
  stop_.raise();
  shut();
}

}  // namespace

Result<std::unique_ptr<Plane>> make_tcp_plane(PlaneOptions const& options) {
  auto listening = Listening::open(options.address);
  if (!listening) return listening.error();
  auto plane = std::make_unique<TcpPlane>(options, std::move(*listening));
  if (!plane->good()) return Error{Errc::io, "data plane: no descriptor"};
  return std::unique_ptr<Plane>(std::move(plane));
}

}  // namespace gleaner
