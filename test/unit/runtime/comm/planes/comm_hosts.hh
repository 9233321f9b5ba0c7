// SPDX-License-Identifier: Apache-2.0
/// Comm hosts for tests, started as the agent does.
#pragma once

#include <sys/types.h>

#include <string>

#include "runtime/comm_host/comm_directory.hh"
#include "runtime/os/child_processes.hh"

namespace gleaner::comm::test {

/// gleaner-comm-host in a process of its own, ended with this object.  Throws
/// when it cannot be started.
class CommHostProcess {
 public:
  CommHostProcess();
  std::string socket_path() const { return directory_.socket_path(); }
  std::string const& dir() const { return directory_.path(); }
  pid_t pid() const { return pid_; }

 private:
  comm_host::CommDirectory directory_;
  os::ChildProcesses processes_;
  pid_t pid_ = 0;
};

/// The socket of a comm host that lives as long as the program; two of them
/// are two nodes to Open MPI.  To be called before members are forked.
std::string comm_host_of_node(int node);

}  // namespace gleaner::comm::test
