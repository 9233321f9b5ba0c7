// SPDX-License-Identifier: Apache-2.0
/// Which connections are not authenticated yet, and which of them is closed
/// when there are too many?
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace gleaner::proto {

/// An honest client is authenticated in milliseconds.  So of the address with
/// the most connections the oldest is closed: a client that makes many loses
/// its own, and others are served.
class Strangers {
 public:
  using Id = std::uint64_t;  ///< the caller's name for a connection

  explicit Strangers(std::size_t most) : most_(most) {}

  /// A connection came from this address; ids only grow.  Returns the one to
  /// be closed for it, if any.
  std::optional<Id> add(Id id, std::string const& address) {
    std::optional<Id> leaver;
    if (address_of_.size() >= most_) {
      leaver = oldest_of_crowd();
      remove(*leaver);
    }
    address_of_[id] = address;
    ++count_[address];
    return leaver;
  }

  /// The connection is authenticated, or gone.
  void remove(Id id) {
    auto const found = address_of_.find(id);
    if (found == address_of_.end()) return;
    auto const crowd = count_.find(found->second);
    if (--crowd->second == 0) count_.erase(crowd);
    address_of_.erase(found);
  }

  std::size_t size() const { return address_of_.size(); }

 private:
  Id oldest_of_crowd() const {
    std::size_t most = 0;
    for (auto const& [address, count] : count_) most = std::max(most, count);
    for (auto const& [id, address] : address_of_)
      if (count_.at(address) == most) return id;
    return address_of_.begin()->first;
  }

  std::size_t most_;
  std::map<Id, std::string> address_of_;  ///< oldest first
  std::map<std::string, std::size_t> count_;
};

/// "10.0.0.7" of "10.0.0.7:41212".
inline std::string address_of_peer(std::string const& peer) {
  return peer.substr(0, peer.rfind(':'));
}

}  // namespace gleaner::proto
