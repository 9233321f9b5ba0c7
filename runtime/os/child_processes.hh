// SPDX-License-Identifier: Apache-2.0
/// Processes we start: members under the agent, sruns under the coordinator.
///
/// Each child leads a process group of its own, so that what it started can be
/// ended with it, and gets a signal when we die (PR_SET_PDEATHSIG).  For one
/// thread only: a child would take the end of the thread that started it for
/// the end of the process.
#pragma once

#include <signal.h>
#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/result.hh"
#include "runtime/os/fd.hh"

namespace gleaner::os {

/// What to run.  Only the standard files are passed, and `kept_fd`.
struct ChildCommand {
  std::vector<std::string> argv;
  std::vector<std::string> env;  ///< "NAME=value": all of it
  std::string cwd;
  int death_signal = SIGKILL;  ///< what it gets when we die
  int stderr_fd = -1;          ///< becomes its standard error; -1: ours
  std::string cpus = {};       ///< may run on these only: "0-3,8"; "": as we
  int memory = -1;             ///< NUMA node to take memory from first
  int stdin_fd = -1;           ///< becomes its standard input; -1: nothing
  int kept_fd = -1;            ///< stays open under its number; -1: none
  int stdout_fd = -1;          ///< becomes its standard output; -1: ours
  /// Files that are added to, in place of these; "": none.  From `cwd`.
  std::string stdout_path = {};
  std::string stderr_path = {};
};

class ChildProcesses {
 public:
  using Key = std::uint32_t;  ///< the caller's name for a child

  ChildProcesses() = default;
  ~ChildProcesses();  ///< end_all()
  ChildProcesses(ChildProcesses const&) = delete;
  ChildProcesses& operator=(ChildProcesses const&) = delete;

  /// Start a child; its process id.  Fails with io, naming the program, the
  /// directory or the file.
  Result<pid_t> start(Key key, ChildCommand const& command);

  /// Start a child without waiting for its program: on a file system that
  /// stands still, only the child waits.  Where the program cannot be started
  /// the child ends with 127, and failure() says why.
  Result<pid_t> begin(Key key, ChildCommand const& command);

  /// For `exited` of reap(): why the child that it is called for could not be
  /// started, as start() says it; "": it was.
  std::string const& failure() const { return failure_; }

  /// Send a signal to the child and what it started; no-op when it is gone.
  void signal(Key key, int number);

  /// To be called on SIGCHLD: `exited` gets each child that ended and its exit
  /// status, 128 + signal when a signal ended it.
  void reap(std::function<void(Key, int)> const& exited);

  /// Reap processes that others left to us (PR_SET_CHILD_SUBREAPER).
  void reap_orphans();

  /// Give all `grace` to end by themselves, then SIGKILL, and wait until they
  /// are reaped, at most 5 s: a process in an uninterruptible system call must
  /// not hold us.
  void end_all(std::chrono::milliseconds grace = {});

  bool contains(Key key) const { return children_.count(key) != 0; }
  bool empty() const { return children_.empty(); }

 private:
  struct Child {
    pid_t pid = 0;
    Fd report;  ///< of one that was begun: what exec's failure is written to
    std::string program;
    std::string cwd;
    std::string stdout_path;
    std::string stderr_path;
  };

  void reap_until(std::chrono::steady_clock::time_point end);
  static std::string read_failure(Child const& child);

  std::map<Key, Child> children_;
  std::string failure_;
};

}  // namespace gleaner::os
