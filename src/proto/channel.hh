// SPDX-License-Identifier: Apache-2.0
/// A connection that carries messages, on Asio.
///
/// One event loop, one thread: callbacks run on the io_context, never inside
/// the call that caused them.  A channel closes itself on a malformed frame, on
/// silence longer than its timeout and when more than `frame_bytes_max * 4` are
/// waiting to be sent: a peer that does not read cannot make us grow.
#pragma once

#include <asio.hpp>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "core/result.hh"
#include "proto/frame.hh"
#include "proto/frame_seal.hh"

namespace gleaner::proto {

class Channel : public std::enable_shared_from_this<Channel> {
 public:
  using Socket = asio::generic::stream_protocol::socket;
  using OnMessage = std::function<void(nlohmann::json const&)>;
  /// Called exactly once unless close() was called; says why it closed.
  using OnClose = std::function<void(Error const&)>;

  static std::shared_ptr<Channel> make(Socket socket);
  ~Channel();

  /// Begin to read.  Callbacks are dropped (with what they hold) at close.
  void start(OnMessage on_message, OnClose on_close);

  /// Replace the handler, after a handshake.
  void on_message(OnMessage on_message);

  /// Queue a message; dropped when closed.
  void send(nlohmann::json const& json);

  /// The same with the message as JSON text (frame.hh).
  void send_text(std::string_view text);

  /// Bytes of the message that the handler was called with last.
  std::size_t message_bytes() const;

  /// Accept messages of up to so many bytes from the next one on.
  void limit_frames(std::uint32_t bytes_max);

  /// From the next message on, in each direction, frames carry a seal
  /// (frame_seal.hh); one whose seal is wrong closes the channel.
  void seal(SealKeys keys);

  /// Close with this reason after `seconds` without any data.  0: never.
  void set_silence_limit(double seconds);

  /// Close once what is queued has been sent, within a second.  No callback
  /// follows.
  void close();
  bool closed() const;

  /// Take the connection out of the event loop, to move bulk data: a blocking
  /// socket, the caller's to close.  No callback follows.  Call it only if the
  /// peer sends nothing unasked.  Fails with unavailable when closed or when
  /// data is still to be sent, with invalid_argument when the peer has sent
  /// more than was taken.
  struct Released {
    int fd = -1;
    SealKeys keys = {};  ///< as given to seal(); empty when it was not called
  };
  Result<Released> release();

  /// "10.0.0.7:41212", or "uid 0" on a UNIX socket; for logs.
  std::string const& peer() const;

  /// Where its callbacks run; for timers that belong to it.
  Socket::executor_type executor();

  /// The peer's uid on a UNIX socket (SO_PEERCRED), -1 elsewhere.
  int peer_uid() const;

 private:
  struct Impl;
  explicit Channel(Socket socket);
  std::unique_ptr<Impl> impl_;
};

/// Connect to "host:port"; the handler gets a channel not yet started, or an
/// error (unavailable, timed_out).  Names are resolved.
using OnConnect = std::function<void(Result<std::shared_ptr<Channel>>)>;
void connect_tcp(asio::io_context& io, std::string const& address,
                 double timeout_s, OnConnect on_connect);

/// Connect to a UNIX stream socket.
void connect_unix(asio::io_context& io, std::string const& path,
                  double timeout_s, OnConnect on_connect);

/// Accepts until destroyed.
class Listener {
 public:
  using OnAccept = std::function<void(std::shared_ptr<Channel>)>;

  /// "host:port"; port 0 takes a free one.
  static Result<std::unique_ptr<Listener>> tcp(asio::io_context& io,
                                               std::string const& address,
                                               OnAccept on_accept);
  /// A UNIX stream socket, mode 0600; a stale one is replaced.
  static Result<std::unique_ptr<Listener>> unix_socket(asio::io_context& io,
                                                       std::string const& path,
                                                       OnAccept on_accept);
  ~Listener();

  int port() const;  ///< of a TCP listener

 private:
  struct Impl;
  explicit Listener(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace gleaner::proto
