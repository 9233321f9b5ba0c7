// SPDX-License-Identifier: Apache-2.0
#include "runtime/comm/tcp/link.hh"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "runtime/os/tcp_silence.hh"

namespace gleaner::comm::tcp {

Link::Link(os::Fd socket, int self, int peer, std::uint64_t generation)
    : socket_(std::move(socket)), peer_(peer) {
  out_.from = std::uint32_t(self);
  expected_.from = std::uint32_t(peer);
  out_.generation = expected_.generation = generation;
  int const on = 1;
  (void)::setsockopt(socket_.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  os::keep_alive(socket_.get());
}

Error Link::gone(char const* what) const {
  return {Errc::unavailable, "data plane: rank " + std::to_string(peer_) +
                                 " is gone (" + what + ")"};
}

void Link::begin_send(std::uint64_t operation, std::uint32_t piece,
                      std::size_t bytes) {
  out_.operation = operation;
  out_.piece = piece;
  out_.bytes = bytes;
  out_sent_ = 0;
}

Result<std::size_t> Link::send(void const* data, std::size_t bytes) {
  iovec parts[2] = {
      {reinterpret_cast<char*>(&out_) + out_sent_, sizeof out_ - out_sent_},
      {const_cast<void*>(data), bytes}};
  bool const headed = out_sent_ == sizeof out_;
  msghdr message{};
  message.msg_iov = parts + headed;
  message.msg_iovlen = headed ? 1 : 2;
  auto const n =
      ::sendmsg(socket_.get(), &message, MSG_NOSIGNAL | MSG_DONTWAIT);
  if (n < 0) {
    if (errno == EAGAIN || errno == EINTR) return std::size_t(0);
    return gone(std::strerror(errno));
  }
  auto const of_header = std::min(std::size_t(n), sizeof out_ - out_sent_);
  out_sent_ += of_header;
  return std::size_t(n) - of_header;
}

void Link::begin_receive(std::uint64_t operation, std::uint32_t piece,
                         std::size_t bytes) {
  expected_.operation = operation;
  expected_.piece = piece;
  expected_.bytes = bytes;
  in_come_ = 0;
}

Result<std::size_t> Link::receive(void* to, std::size_t bytes) {
  iovec parts[2] = {
      {reinterpret_cast<char*>(&in_) + in_come_, sizeof in_ - in_come_},
      {to, bytes}};
  bool const headed = in_come_ == sizeof in_;
  msghdr message{};
  message.msg_iov = parts + headed;
  message.msg_iovlen = headed ? 1 : 2;
  auto const n = ::recvmsg(socket_.get(), &message, MSG_DONTWAIT);
  if (n < 0) {
    if (errno == EAGAIN || errno == EINTR) return std::size_t(0);
    return gone(std::strerror(errno));
  }
  if (n == 0) return gone("it closed the connection");
  auto const of_header = std::min(std::size_t(n), sizeof in_ - in_come_);
  in_come_ += of_header;
  if (of_header > 0 && in_come_ == sizeof in_ && in_ != expected_)
    return Error{Errc::invalid_argument,
                 "data plane: rank " + std::to_string(peer_) + " sent piece " +
                     std::to_string(in_.piece) + " of operation " +
                     std::to_string(in_.operation) + " with " +
                     std::to_string(in_.bytes) + " bytes, expected piece " +
                     std::to_string(expected_.piece) + " of " +
                     std::to_string(expected_.operation) + " with " +
                     std::to_string(expected_.bytes) +
                     " [do all members call the same?]"};
  return std::size_t(n) - of_header;
}

void Link::shut() { ::shutdown(socket_.get(), SHUT_RDWR); }

}  // namespace gleaner::comm::tcp
