// SPDX-License-Identifier: Apache-2.0
/// On which of this host's addresses does the coordinator listen?
///
/// On the one that its nodes are told, and on no other: who is in another
/// network has nothing to say to it.
#pragma once

#include <asio.hpp>
#include <memory>
#include <string>
#include <vector>

#include "core/result.hh"
#include "proto/channel.hh"

namespace gleaner::coordinator {

/// What `address`, the name or address that nodes are told, leads to on this
/// host, in the order in which to try them: what other hosts reach first.
struct ListeningPlan {
  std::vector<asio::ip::address> addresses;
  /// The name leads to this host's loopback here, as in Debian's /etc/hosts,
  /// and so elsewhere on other nodes: nobody knows where but they.
  bool everywhere = false;
};

/// `chosen`: somebody said this address, so that loopback is what he means.
ListeningPlan listening_plan(std::vector<asio::ip::address> resolved,
                             bool chosen);

/// What the coordinator was told (options.hh).
struct ListeningWish {
  std::string address;  ///< what nodes are told
  std::string listen;   ///< "": the same
  bool chosen = false;  ///< `address` is not just the host's name
};

/// Listen on a free port there.  Fails with io, saying what to do, when the
/// address is unknown or is not this host's.
Result<std::unique_ptr<proto::Listener>> listen_where_nodes_call(
    asio::io_context& io, ListeningWish const& wish,
    proto::Listener::OnAccept const& on_accept);

/// "host:port", with brackets around an IPv6 address.
std::string host_and_port(std::string const& host, int port);

}  // namespace gleaner::coordinator
