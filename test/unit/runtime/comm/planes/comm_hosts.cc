// SPDX-License-Identifier: Apache-2.0
#include "planes/comm_hosts.hh"

#include <unistd.h>

#include <cstdlib>
#include <map>
#include <stdexcept>

namespace gleaner::comm::test {
namespace {

comm_host::CommDirectory made_directory() {
  auto directory = comm_host::CommDirectory::make();
  if (!directory) throw std::runtime_error(directory.error().message);
  return std::move(*directory);
}

}  // namespace

CommHostProcess::CommHostProcess() : directory_(made_directory()) {
  char const* top = std::getenv("top_builddir");
  os::ChildCommand command;
  command.argv = {
      std::string(top ? top : ".") + "/runtime/comm_host/gleaner-comm-host",
      "--dir", directory_.path()};
  for (char** entry = environ; *entry; ++entry)
    command.env.emplace_back(*entry);
  command.cwd = std::string(".");  // GCC 12 misreads the assignment of "."
  command.stdin_fd = directory_.listening();
  auto const pid = processes_.start(1, command);
  if (!pid) throw std::runtime_error(pid.error().message);
  pid_ = *pid;
}

std::string comm_host_of_node(int node) {
  static std::map<int, CommHostProcess> hosts;
  return hosts[node].socket_path();
}

}  // namespace gleaner::comm::test
