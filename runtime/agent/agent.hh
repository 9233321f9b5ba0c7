// SPDX-License-Identifier: Apache-2.0
/// One leased node's share of a training: start members, watch them, end them.
///
/// The agent connects to the coordinator, says what the node has, and obeys
/// StartMembers, KillMembers and AgentExit.  It reports every member that ends.
/// It never outlives the coordinator: when the connection closes or falls
/// silent, when it is told to exit, and on SIGTERM (Slurm takes the node back),
/// it kills its members at once, reaps them and ends.
#pragma once

#include <asio.hpp>
#include <memory>
#include <optional>
#include <string>

#include "proto/channel.hh"
#include "proto/runtime_messages.hh"
#include "runtime/agent/binding.hh"
#include "runtime/agent/comm_host_starter.hh"
#include "runtime/agent/labelled_output.hh"
#include "runtime/agent/places.hh"
#include "runtime/os/child_processes.hh"
#include "runtime/os/fd.hh"

namespace gleaner::agent {

/// Where the agent is and whom it serves.
struct AgentOptions {
  std::string coordinator;  ///< "host:port"
  std::string secret;       ///< comes on standard input
  std::string node;
  std::uint32_t lease_job = 0;
  std::string gpus;   ///< CUDA_VISIBLE_DEVICES
  bool binds = true;  ///< members get cores of their own
  int part_cpus = 0;  ///< of a lease that is a part of the node; 0: all of it
  /// Patterns of files for what members print (core/output_pattern.hh).
  std::string output = {};  ///< standard output; "": ours
  std::string errors = {};  ///< standard error; "": as `output`
  bool labels = false;      ///< each line that they print has their number

  /// GLEANER_COORDINATOR, GLEANER_NODE (else SLURMD_NODENAME), SLURM_JOB_ID,
  /// CUDA_VISIBLE_DEVICES, GLEANER_BIND, GLEANER_PART_CPUS, GLEANER_OUTPUT,
  /// GLEANER_ERROR, GLEANER_LABEL; not the secret.
  /// Fails with invalid_argument, naming the variable that is missing or wrong.
  static Result<AgentOptions> from_environment();
};

class Agent {
 public:
  explicit Agent(AgentOptions options);

  /// Serve until told to exit.  The process's exit status: 0 when the
  /// coordinator said so, 1 when it was lost, 128 + signal after a signal.
  int run();

 private:
  void connect(int attempts_left);
  void connected(Result<std::shared_ptr<proto::Channel>> channel,
                 int attempts_left);
  void greet();
  void on_message(nlohmann::json const& json);
  void start_members(msg::StartMembers const& order);
  Result<pid_t> start_printing(msg::MemberId member, os::ChildCommand& command);
  void start_member(msg::StartMembers const& order, msg::MemberId member,
                    std::size_t place, Binding const& bound);
  std::vector<Binding> bindings() const;
  void on_child();
  void on_signal();
  void beat(double every_s);
  void send(msg::FromAgent const& message);
  void end(int code);

  AgentOptions options_;
  os::Fd secret_;  ///< as members get it
  asio::io_context io_;
  asio::signal_set children_;
  asio::signal_set signals_;
  asio::steady_timer heartbeat_;
  asio::steady_timer retry_;
  std::shared_ptr<proto::Channel> channel_;
  os::ChildProcesses members_;  ///< and the comm host
  CommHostStarter comm_host_;
  Places places_;
  std::optional<LabelledOutput> labelled_;
  int code_ = 1;
};

}  // namespace gleaner::agent
