// SPDX-License-Identifier: Apache-2.0
/// How do both ends of a TCP connection to gleanerd prove their uid by MUNGE?
///
///     S->C {"type":"challenge","version":5,"nonce":a,"uid":s}
///     C->S {"type":"munge","credential":M(s, "gleaner client a b k")}
///     S->C {"type":"accepted","credential":M(c, "gleaner server a b l")}
/// M(u, text) is a MUNGE credential that only processes of uid u can open; c is
/// the uid that MUNGE reports for the first one.  a, b are nonces of 16 bytes
/// and k and l secrets of 32, in hex.  The client continues only if s is a uid
/// that gleanerd may have, and if MUNGE reports s for the answer.
///
/// From then on each frame is sealed (frame_seal.hh) with a key derived from k
/// and l.  A man in the middle who relays credentials can open neither, so he
/// can only read and end the connection.
///
/// The client signs no text that another can choose: a credential of free text
/// would be one for any service that believes MUNGE, Slurm's included.
///
/// In its own library, so that only gleanerd, the coordinator, agents and
/// `gleaner` link libmunge.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/cluster.hh"
#include "proto/channel.hh"

namespace gleaner::proto {

/// What remains to do in the event loop once munged has answered.
using Finish = std::function<void()>;
/// Calls its argument outside the event loop, because a hanging munged blocks
/// for seconds, and calls what that returns, if anything, in the event loop.
/// False: there is no room, and nothing will be called.
using Elsewhere = std::function<bool(std::function<Finish()>)>;

/// Calls both where it is: for a program that has nothing else to do.
Elsewhere wait_here();

/// `munge_socket`: munged's socket, "" for the system's.  Both run on an open
/// channel that was not started, and start it; `done` is called once, after at
/// most `timeout_s`, and `on_close` is for closes after success.
void munge_server(std::shared_ptr<Channel> channel, std::string munge_socket,
                  double timeout_s, Elsewhere elsewhere,
                  Channel::OnClose on_close,
                  std::function<void(Result<Uid>)> done);

/// `trusted`: the uids that gleanerd may have (core/slurm_user.hh).  Nothing
/// is signed for others.
void munge_client(std::shared_ptr<Channel> channel, std::string munge_socket,
                  std::vector<Uid> trusted, double timeout_s,
                  Elsewhere elsewhere, Channel::OnClose on_close,
                  std::function<void(Result<void>)> done);

}  // namespace gleaner::proto
