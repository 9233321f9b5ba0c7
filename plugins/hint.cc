// SPDX-License-Identifier: Apache-2.0
/// Sending hints.
#include "plugins/hint.hh"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string_view>

namespace gleaner::plugins {
namespace {

/// Does a process listen there?  A receiver with a full buffer does; it has
/// earlier hints.
bool send_to(int socket, std::string const& path, std::string_view text) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) return false;
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  auto const sent =
      sendto(socket, text.data(), text.size(), MSG_DONTWAIT | MSG_NOSIGNAL,
             reinterpret_cast<sockaddr const*>(&address), sizeof address);
  return sent >= 0 || errno == EAGAIN;
}

std::string_view text_of(HintSender::Kind kind) {
  switch (kind) {
    case HintSender::Kind::arrival:
      return R"({"type":"arrival","job":0})";
    case HintSender::Kind::ended:
      return R"({"type":"ended","job":0})";
    case HintSender::Kind::training:
      break;
  }
  return hint_of_training;
}

}  // namespace

HintSender::HintSender()
    : socket_(socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)) {}

HintSender::~HintSender() {
  if (socket_ >= 0) close(socket_);
}

void HintSender::send(Kind kind, std::string const& run_dir) const {
  if (socket_ < 0) return;
  auto const text = text_of(kind);
  if (!send_to(socket_, run_dir + "/wake.sock", text))
    (void)send_to(socket_, run_dir + "/hint.sock", text);
}

}  // namespace gleaner::plugins
