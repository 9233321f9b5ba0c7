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
#include "runtime/comm/comm_self.hh"
#include "runtime/comm/tcp/collectives.hh"
#include "runtime/comm/tcp/connecting.hh"
#include "runtime/comm/tcp/pair_links.hh"

namespace gleaner::comm {
namespace {

using namespace tcp;

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
  Result<void> reduce_scatter(void const* local, void* part,
                              std::span<std::size_t const> cuts,
                              Element type) override;
  Result<void> all_gather(void const* part, void* all,
                          std::span<std::size_t const> cuts,
                          Element type) override;
  Result<void> broadcast(void* data, std::size_t bytes, int root) override;
  Result<void> send(void const* data, std::size_t bytes, int to) override;
  Result<void> receive(void* data, std::size_t bytes, int from) override;
  Result<std::unique_ptr<Plane>> group(std::vector<int> const& ranks,
                                       double timeout_s) override;
  void stop() override;

 private:
  Result<std::vector<Contact>> meet(Exchange const& exchange, std::string* key);
  Plans plans(std::vector<Contact> const& contacts, std::string key) const;
  Result<void> join_node(std::map<Peer, os::Fd>& sockets,
                         Clock::time_point end);
  void keep_links(std::map<Peer, os::Fd>& sockets);
  Result<void> operate(auto operation);
  Result<std::vector<std::string>> tell_all(std::string const& text);
  void shut();

  PlaneOptions const options_;
  std::optional<Listening> listening_;
  StopSignal stop_;
  Traffic const traffic_;
  Layout layout_;
  bool connected_ = false;

  std::mutex mutex_;           ///< for what stop() needs, while others make it
  std::map<int, Link> links_;  ///< by node
  std::unique_ptr<NodeMemory> node_memory_;
  std::optional<PairLinks> pairs_;
  Plane* group_ = nullptr;  ///< that is being connected

  std::optional<Collectives> collectives_;
};

// --- connecting
// ---------------------------------------------------------------

Result<std::vector<Contact>> TcpPlane::meet(Exchange const& exchange,
                                            std::string* key) {
  Contact const own{options_.address,
                    listening_->port(),
                    listening_->local(),
                    proto::random_hex(nonce_bytes / 2),
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

Result<void> TcpPlane::join_node(std::map<Peer, os::Fd>& sockets,
                                 Clock::time_point end) {
  auto const& node = layout_.own_node();
  auto const seats = int(node.size());
  if (seats == 1) return {};
  auto const socket_of = [&](int seat) {
    return std::move(sockets.at({node[std::size_t(seat)], Purpose::node}));
  };
  auto const parent = parent_seat(layout_.seat);
  std::vector<os::Fd> children;
  for (int const seat : child_seats(layout_.seat, seats))
    children.push_back(socket_of(seat));
  auto joined = NodeMemory::join(layout_.seat, seats,
                                 parent < 0 ? os::Fd() : socket_of(parent),
                                 std::move(children), stop_, end);
  if (!joined) return joined.error();
  std::lock_guard lock(mutex_);
  node_memory_ = std::move(*joined);
  return {};
}

void TcpPlane::keep_links(std::map<Peer, os::Fd>& sockets) {
  std::lock_guard lock(mutex_);
  for (int node = 0; node < layout_.node_count(); ++node) {
    Peer const peer{layout_.leader(node), Purpose::network};
    if (auto const found = sockets.find(peer); found != sockets.end())
      links_.emplace(node, Link(std::move(found->second), options_.rank,
                                peer.rank, options_.generation));
  }
}

Result<void> TcpPlane::connect(Exchange const& exchange, double timeout_s) {
  auto const end = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                      std::chrono::duration<double>(timeout_s));
  if (stop_.raised()) return StopSignal::error();
  std::string key;
  auto contacts = meet(exchange, &key);
  if (!contacts) return contacts.error();
  layout_ = Layout::of(*contacts, options_.rank);
  auto sockets = connect_peers(*listening_, plans(*contacts, key), stop_, end);
  if (!sockets) return sockets.error();
  if (auto joined = join_node(*sockets, end); !joined) return joined;
  keep_links(*sockets);
  collectives_.emplace(layout_, options_.rank, traffic_, links_,
                       node_memory_.get());
  if (options_.pairs) {
    std::lock_guard lock(mutex_);
    pairs_.emplace(std::move(*listening_), std::move(*contacts),
                   options_.generation, options_.rank, key, stop_, traffic_);
  }
  listening_.reset();
  if (stop_.raised()) {
    shut();
    return StopSignal::error();
  }
  connected_ = true;
  return {};
}

// --- operations
// -----------------------------------------------------------------

/// A plane of which one operation failed is of no more use, here and elsewhere.
Result<void> TcpPlane::operate(auto operation) {
  if (stop_.raised()) return StopSignal::error();
  if (!connected_)
    return Error{Errc::unavailable, "data plane is not connected"};
  Result<void> done = operation();
  if (done) return done;
  connected_ = false;
  shut();
  return done;
}

Result<void> TcpPlane::allreduce(void const* local, void* sum, std::size_t n,
                                 Element type) {
  return operate([&] {
    return n == 0 ? Result<void>()
                  : collectives_->allreduce(local, sum, n, type);
  });
}

Result<void> TcpPlane::reduce_scatter(void const* local, void* part,
                                      std::span<std::size_t const> cuts,
                                      Element type) {
  assert(cuts.size() == std::size_t(options_.size) + 1);
  return operate([&] {
    return cuts.back() == 0
               ? Result<void>()
               : collectives_->reduce_scatter(local, part, cuts, type);
  });
}

Result<void> TcpPlane::all_gather(void const* part, void* all,
                                  std::span<std::size_t const> cuts,
                                  Element type) {
  assert(cuts.size() == std::size_t(options_.size) + 1);
  return operate([&] {
    return cuts.back() == 0 ? Result<void>()
                            : collectives_->all_gather(part, all, cuts, type);
  });
}

Result<void> TcpPlane::broadcast(void* data, std::size_t bytes, int root) {
  assert(root >= 0 && root < options_.size);
  return operate([&] {
    return bytes == 0 ? Result<void>()
                      : collectives_->broadcast(data, bytes, root);
  });
}

Result<void> TcpPlane::send(void const* data, std::size_t bytes, int to) {
  assert(options_.pairs && to != options_.rank && to < options_.size);
  return operate([&] { return pairs_->send(data, bytes, to, mutex_); });
}

Result<void> TcpPlane::receive(void* data, std::size_t bytes, int from) {
  assert(options_.pairs && from != options_.rank && from < options_.size);
  return operate([&] { return pairs_->receive(data, bytes, from, mutex_); });
}

/// A text of each member, to each.
Result<std::vector<std::string>> TcpPlane::tell_all(std::string const& text) {
  auto const size = std::size_t(options_.size);
  std::vector<std::int64_t> lengths(size);
  std::vector<std::size_t> cuts(size + 1);
  for (std::size_t i = 0; i <= size; ++i) cuts[i] = i;
  std::int64_t const own = std::int64_t(text.size() + 1) / 2;  // of 16 bits
  auto told = all_gather(&own, lengths.data(), cuts, Element::int64);
  if (!told) return told.error();
  for (std::size_t i = 0; i < size; ++i)
    cuts[i + 1] = cuts[i] + std::size_t(lengths[i]);
  std::string all(2 * cuts.back(), '\0');
  auto const padded = text + '\0';
  told = all_gather(padded.data(), all.data(), cuts, Element::float16);
  if (!told) return told.error();
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < size; ++i)
    texts.emplace_back(
        all.substr(2 * cuts[i], 2 * (cuts[i + 1] - cuts[i])).c_str());
  return texts;
}

Result<std::unique_ptr<Plane>> TcpPlane::group(std::vector<int> const& ranks,
                                               double timeout_s) {
  assert(std::is_sorted(ranks.begin(), ranks.end()));
  auto options = options_;
  options.size = int(ranks.size());
  options.rank =
      int(std::find(ranks.begin(), ranks.end(), options_.rank) - ranks.begin());
  assert(options.rank < options.size);
  std::unique_ptr<Plane> made;
  if (options.size > 1) {
    auto plane = make_tcp_plane(options);
    if (!plane) return plane.error();
    made = std::move(*plane);
  } else {
    made = std::make_unique<SelfPlane>();
  }
  auto const exchange =
      [&](std::string const&,
          std::string const& blob) -> Result<std::vector<std::string>> {
    auto const all = tell_all(blob);
    if (!all) return all.error();
    std::vector<std::string> of_group;
    for (int const rank : ranks) of_group.push_back((*all)[std::size_t(rank)]);
    return of_group;
  };
  {
    std::lock_guard lock(mutex_);
    group_ = made.get();
  }
  // A member that is alone in its group has nothing to say, but is waited for.
  auto connected = stop_.raised() ? Result<void>(StopSignal::error())
                                  : options.size == 1
                       ? [&]() -> Result<void> {
    auto const told = tell_all("");
    return told ? Result<void>() : Result<void>(told.error());
  }()
      : made->connect(exchange, timeout_s);
  std::lock_guard lock(mutex_);
  group_ = nullptr;
  if (!connected) return connected.error();
  return made;
}

// --- the end
// --------------------------------------------------------------------

void TcpPlane::shut() {
  std::lock_guard lock(mutex_);
  for (auto& [node, link] : links_) link.shut();
  if (pairs_) pairs_->shut();
  if (node_memory_) node_memory_->break_up();
}

void TcpPlane::stop() {
  if (stop_.raised()) return;
  stop_.raise();
  shut();
  std::lock_guard lock(mutex_);
  if (group_) group_->stop();
}

}  // namespace

Result<std::unique_ptr<Plane>> make_tcp_plane(PlaneOptions const& options) {
  auto listening = Listening::open(options.address);
  if (!listening) return listening.error();
  auto plane = std::make_unique<TcpPlane>(options, std::move(*listening));
  if (!plane->good()) return Error{Errc::io, "data plane: no descriptor"};
  return std::unique_ptr<Plane>(std::move(plane));
}

}  // namespace gleaner::comm
