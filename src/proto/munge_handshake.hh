// SPDX-License-Identifier: Apache-2.0
/// Who is at the other end of a TCP connection to gleanerd: MUNGE tells.
///
///     S->C {"type":"challenge","nonce":a}
///     C->S {"type":"munge","credential":munge_encode(a)}
///     S->C {"type":"accepted"}
/// The nonce inside the credential makes a stolen one useless elsewhere.  In
/// its own library, so that only gleanerd, the coordinator and `gleaner` link
/// libmunge.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "core/cluster.hh"
#include "proto/channel.hh"

namespace gleaner {

/// `munge_socket`: munged's socket, "" for the system's.
void munge_server(std::shared_ptr<Channel> channel, std::string munge_socket,
                  double timeout_s, Channel::OnClose on_close,
                  std::function<void(Result<Uid>)> done);
void munge_client(std::shared_ptr<Channel> channel, std::string munge_socket,
                  double timeout_s, Channel::OnClose on_close,
                  std::function<void(Result<void>)> done);

}  // namespace gleaner
