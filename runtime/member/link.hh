// SPDX-License-Identifier: Apache-2.0
/// Who decides about generations, as a member sees it: the coordinator at the
/// other end of a connection, or, for a program that runs alone, the same
/// logic in its own process.
#pragma once

#include <asio.hpp>
#include <functional>
#include <memory>
#include <string>

#include "core/result.hh"
#include "proto/runtime_messages.hh"

namespace gleaner::member {

/// All calls and callbacks are in the event loop.
class Link {
 public:
  using OnMessage = std::function<void(msg::ToMember const&)>;
  using OnLost = std::function<void(Error const&)>;
  /// What a heartbeat says; asked whenever one is due.
  using Report = std::function<msg::Alive()>;

  virtual ~Link() = default;

  /// Say hello.  The first message is Welcome or Refused.  on_lost comes once,
  /// when there is no coordinator or no more.
  virtual void start(msg::MemberHello const& hello, Report report,
                     OnMessage on_message, OnLost on_lost) = 0;
  virtual void send(msg::FromMember const& message) = 0;
  /// No callback follows; what was sent still goes out.
  virtual void close() = 0;
};

std::unique_ptr<Link> make_remote_link(asio::io_context& io,
                                       std::string address, std::string secret);
std::unique_ptr<Link> make_alone_link(asio::io_context& io);

}  // namespace gleaner::member
