// SPDX-License-Identifier: Apache-2.0
/// The member processes of one node: started, killed, reaped.
///
/// Each member leads a process group of its own, so that what it started can be
/// ended with it, and dies with the agent (PR_SET_PDEATHSIG).  Single-threaded:
/// a member would take the end of the thread that started it for the agent's.
#pragma once

#include <sys/types.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/result.hh"
#include "proto/runtime_messages.hh"

namespace gleaner {

/// What to run as a member.
struct MemberCommand {
  std::vector<std::string> argv;
  std::vector<std::string> env;  ///< "NAME=value": all of it
  std::string cwd;
};

class MemberProcesses {
 public:
  MemberProcesses() = default;
  ~MemberProcesses();  ///< end_all()
  MemberProcesses(MemberProcesses const&) = delete;
  MemberProcesses& operator=(MemberProcesses const&) = delete;

  /// Start a member; its process id.  Fails with io, naming the program or
  /// the directory.
  Result<pid_t> start(msg::MemberId member, MemberCommand const& command);

  /// SIGKILL to the member and what it started; reap() follows.
  void kill(msg::MemberId member);
  void kill_all();

  /// To be called on SIGCHLD: `exited` gets each member that ended and its
  /// exit status, 128 + signal when a signal ended it.
  void reap(std::function<void(msg::MemberId, int)> const& exited);

  /// SIGKILL to all, and wait until they are reaped, at most 5 s: a process in
  /// an uninterruptible system call must not hold the node's agent.
  void end_all();

  bool empty() const { return pids_.empty(); }

 private:
  std::map<msg::MemberId, pid_t> pids_;
};

}  // namespace gleaner
