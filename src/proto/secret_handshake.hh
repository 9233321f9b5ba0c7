// SPDX-License-Identifier: Apache-2.0
/// How do two processes of one training prove its secret to each other?
///
///     S->C {"type":"challenge","version":7,"nonce":a}
///     C->S {"type":"answer","role":r,"id":i,"nonce":b,
///           "hmac":H(k,"c:"+a+":"+b+":"+r+":"+i)}
///     S->C {"type":"accepted","hmac":H(k,"s:"+b+":"+a)}
///       or {"type":"refused","why":w}
/// H is HMAC-SHA256 in hex, a and b are nonces of 16 bytes in hex; both sides
/// are proven.  The secret is random, one per `gleaner run`; how it reaches
/// agents and members is in runtime/os/handed_secret.hh.
///
/// From then on each frame is sealed (frame_seal.hh) with a key derived from
/// the secret and both nonces.  A man in the middle who relays the handshake
/// can only read and end the connection.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "proto/channel.hh"

namespace gleaner::proto {

struct PeerRole {
  std::string role;  ///< "agent" or "member"
  std::string id;    ///< node name, or member id
};

/// Both run on an open channel that was not started, and start it.  On success
/// the caller sets its handler with on_message() inside `done`; on failure the
/// channel is closed.  `done` is called once, after at most `timeout_s`;
/// `on_close` is for closes after success.
void secret_server(std::shared_ptr<Channel> channel, std::string secret,
                   double timeout_s, Channel::OnClose on_close,
                   std::function<void(Result<PeerRole>)> done);
void secret_client(std::shared_ptr<Channel> channel, std::string secret,
                   PeerRole self, double timeout_s, Channel::OnClose on_close,
                   std::function<void(Result<void>)> done);

}  // namespace gleaner::proto
