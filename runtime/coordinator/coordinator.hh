// SPDX-License-Identifier: Apache-2.0
/// One trainer: its nodes, its members, its record, from start to finish.
///
/// The I/O shell around Membership.  Nodes come from a NodeSource (gleanerd)
/// as grants; for each an srun starts an agent, which connects back and starts
/// members, which connect too.  What Membership orders is carried out; what
/// happens is told to it.  One event loop, one thread.
/// How far a node has got says node_life.hh.
#pragma once

#include <asio.hpp>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/clock.hh"
#include "core/throttle.hh"
#include "proto/channel.hh"
#include "proto/secret_door.hh"
#include "runtime/coordinator/checkpoint_pointer.hh"
#include "runtime/coordinator/departures.hh"
#include "runtime/coordinator/event_log.hh"
#include "runtime/coordinator/lease_launcher.hh"
#include "runtime/coordinator/node_life.hh"
#include "runtime/coordinator/node_source.hh"
#include "runtime/coordinator/options.hh"
#include "runtime/coordinator/pace_meter.hh"
#include "runtime/coordinator/progress_meter.hh"
#include "runtime/coordinator/replacements.hh"
#include "runtime/generation/membership.hh"

namespace gleaner::coordinator {

class Coordinator {
 public:
  /// Makes the run directory and listens.  Fails with io.
  static Result<std::unique_ptr<Coordinator>> make(CoordinatorOptions options);
  ~Coordinator();

  /// Until the training is finished, failed, or a signal came.  The exit
  /// status of the program; 128 + signal; 1 when the training was given up.
  int run();

 private:
  struct NodePeer {
    explicit NodePeer(double now) : life(now) {}

    NodeLife life;
    JobId lease_job = 0;
    std::shared_ptr<proto::Channel> agent;
    std::set<msg::MemberId> members;
    std::string cause;          ///< why it is left
    Replacements replacements;  ///< of members that were lost
  };
  struct MemberPeer {
    std::string node;
    std::shared_ptr<proto::Channel> channel;  ///< null until it has connected
    bool may_end = false;      ///< it was told to: its end is no loss
    bool is_out = false;       ///< it trains no more
    bool is_killed = false;    ///< by us: its exit code says nothing
    bool has_trained = false;  ///< it was in a generation
    std::string why_ended;     ///< as we told it, "": we did not
  };

  Coordinator(CoordinatorOptions options, EventLog events);
  Result<void> listen();
  Result<void> make_source();

  // Nodes (coordinator_nodes.cc).
  void on_source(msg::ToCoordinator const& message);
  void on_registered(msg::Registered const& message);
  void on_grant(msg::Grant const& grant);
  void on_give_back(msg::GiveBack const& order);
  void leave(std::string const& node, double deadline, msg::GiveBack const&);
  void settle_departures();
  void on_agent(std::string const& node,
                std::shared_ptr<proto::Channel> channel);
  void on_agent_message(std::string const& node, nlohmann::json const& json);
  void on_agent_hello(std::string const& node, msg::AgentHello const& hello);
  void start_members(std::string const& node, int count);
  std::vector<std::string> member_environment() const;
  void end_node(std::string const& node);
  void on_lease_end(std::string const& node, int code, std::string const& why);
  void check_nodes();

  // Members (coordinator_members.cc).
  void on_member(msg::MemberId id, std::shared_ptr<proto::Channel> channel);
  void on_member_message(msg::MemberId id, nlohmann::json const& json);
  void on_member_exit(msg::MemberExited const& exited);
  void replace(std::string const& node, MemberPeer const& lost);
  void give_up_place(std::string const& node, std::string const& why);
  void note_generation(nlohmann::json const& members);
  void member_gone(msg::MemberId id, std::string const& why);
  void program_failed(int code, std::string const& why);
  void carry_out(generation::Membership::Orders const& orders);
  void carry_out(generation::membership::Send const& order);
  void carry_out(generation::membership::Record const& order);
  void carry_out(generation::membership::Kill const& order);
  void carry_out(generation::membership::NodeFree const& order);
  void carry_out(generation::membership::Register const& order);
  void carry_out(generation::membership::TrainingFinished const& order);

  // The whole (coordinator.cc).
  void on_connection(std::shared_ptr<proto::Channel> channel);
  void connection_refused(std::string const& peer, Error const& why);
  void on_signal();
  void stop(int signal);
  void every(double seconds, std::shared_ptr<asio::steady_timer> timer,
             std::function<void()> what);
  void beat();
  void report_progress();
  void end(int code);
  void check_end();
  msg::Register registration();
  void set_weight(double weight);
  double now() const { return clock_.monotonic_s(); }
  double heartbeat_s() const { return options_.failure_timeout_s / 5; }

  SystemClock clock_;
  CoordinatorOptions options_;
  EventLog events_;
  CheckpointPointer pointer_;
  std::string checkpoint_prefix_;  ///< of this run; "" before it is registered
  asio::io_context io_;
  asio::signal_set signals_;
  std::unique_ptr<proto::Listener> listener_;
  std::optional<proto::SecretDoor> door_;
  Throttle throttle_;
  std::unique_ptr<NodeSource> source_;
  std::optional<LeaseLauncher> launcher_;
  std::optional<generation::Membership>
      membership_;  ///< from the first Registered on
  Departures departures_;
  msg::Importance importance_;       ///< as it is now
  msg::Importance importance_told_;  ///< as gleanerd knows it
  ProgressMeter progress_;
  PaceMeter pace_;
  std::map<std::string, NodePeer> nodes_;
  std::map<msg::MemberId, MemberPeer> members_;
  /// Nodes that get no more members, and why.
  std::map<std::string, std::string> given_up_;
  msg::MemberId last_member_ = 0;
  std::shared_ptr<msg::ToMember const> written_;  ///< message sent last
  std::string written_text_;
  int failures_ = 0;  ///< of the program, since it got further
  msg::Step furthest_ = 0;
  bool finished_ = false;
  double finished_since_s_ = 0;
  int program_code_ = 0;          ///< of members that ended after the finish
  bool ended_by_itself_ = false;  ///< the program returned 0 before the end
  std::optional<int> stop_code_;  ///< set: a signal came, all nodes are left
  double stopped_s_ = 0;
  double stop_deadline_s_ = 0;
  std::optional<int> code_;  ///< set: we are ending with it
  double ending_since_s_ = 0;
};

}  // namespace gleaner::coordinator
