// SPDX-License-Identifier: Apache-2.0
/// How a training's secret goes through srun, which encrypts nothing.
#include "proto/wrapped_secret.hh"

#include <unistd.h>

#include "proto/munge_credential.hh"

namespace gleaner::proto {
namespace {

constexpr std::string_view head = "gleaner secret ";

}  // namespace

Result<std::string> wrap_secret(std::string const& munge_socket,
                                std::string const& secret) {
  return munge_seal(munge_socket, static_cast<Uid>(::geteuid()),
                    std::string(head) + secret);
}

Result<std::string> unwrap_secret(std::string const& munge_socket,
                                  std::string const& line) {
  auto const opened = munge_open(munge_socket, line);
  if (!opened) return opened.error();
  if (opened->uid != static_cast<Uid>(::geteuid()) ||
      !opened->text.starts_with(head))
    return Error{Errc::denied, "the MUNGE credential holds no secret of ours"};
  return opened->text.substr(head.size());
}

}  // namespace gleaner::proto
