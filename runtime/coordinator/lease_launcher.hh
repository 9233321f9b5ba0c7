// SPDX-License-Identifier: Apache-2.0
/// The sruns that hold a trainer's leases: started, watched, ended.
///
/// Without Slurm (gleaner run --local) the agent itself is started instead, on
/// this machine.  What srun and the agent write to standard error goes on to
/// ours; the last complaint of srun is kept, to say why a lease was refused.
#pragma once

#include <asio.hpp>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "proto/daemon_messages.hh"
#include "runtime/os/child_processes.hh"

namespace gleaner::coordinator {

class LeaseLauncher {
 public:
  enum class Via { srun, here };
  struct Options {
    Via via = Via::srun;
    std::string agent;        ///< path of gleaner-agent, valid on every node
    std::string coordinator;  ///< "host:port" it connects back to
    /// What goes to the agent's standard input, called in any thread.
    std::function<Result<std::string>()> secret;
    std::string munge_socket;  ///< of agents, "": the system's
    std::string cwd;
    std::vector<std::string> environment = {};  ///< of agents, beside ours
  };
  /// A lease's srun ended.  `why` is srun's last complaint, "" if none.
  using OnEnd =
      std::function<void(std::string const& node, int code, std::string why)>;

  LeaseLauncher(asio::io_context& io, Options options, OnEnd on_end);
  ~LeaseLauncher();  ///< ends what is left at once

  /// From msg::Registered; what every later lease asks for.
  void set_lease_options(std::vector<std::string> options);

  /// Ask Slurm for the granted node.  Does not wait for srun's program, which
  /// may be on a disk that stands still: where it cannot be started, OnEnd
  /// says why.  Fails with io when there can be no process, with
  /// invalid_argument when this node's srun still runs, and with denied when
  /// srun may not be called so (lease_options.hh).
  Result<void> start(msg::Grant const& grant);

  /// Let go of a node whose agent does not end by itself: SIGTERM to its srun,
  /// SIGKILL when it is still there 2 s later.  No-op when it is gone.
  void end(std::string const& node);

  bool empty() const { return sruns_.empty(); }

 private:
  struct Srun;

  void wait_for_children();
  void ended(os::ChildProcesses::Key key, int code,
             std::string const& not_started);
  void read_complaints(std::shared_ptr<Srun> srun);

  asio::io_context& io_;
  asio::signal_set sigchld_;
  Options options_;
  OnEnd on_end_;
  std::vector<std::string> lease_options_;
  os::ChildProcesses children_;
  os::ChildProcesses::Key next_key_ = 1;
  std::map<os::ChildProcesses::Key, std::shared_ptr<Srun>> sruns_;
};

}  // namespace gleaner::coordinator
