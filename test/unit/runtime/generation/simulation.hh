// SPDX-License-Identifier: Apache-2.0
/// Random histories of the real Session and Membership, with everything
/// around them simulated: FIFO channels with any delay, planes, state copies,
/// checkpoints, users' threads, nodes that come, go and die.
///
/// The world checks the invariants of doc/architecture.md, "Generations",
/// after each event, and throws Violation.  A history is a function of its
/// seed.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "runtime/generation/membership.hh"
#include "simulation_counts.hh"
#include "simulation_faults.hh"
#include "simulation_process.hh"
#include "simulation_violation.hh"

namespace gleaner::generation::simulation {

class World {
 public:
  World(std::uint64_t seed, Faults faults, Mutant mutant = Mutant::none,
        ShareRules rules = {});

  /// Besides what chance brings.  Before run().
  void hold(Hold const& hold) { hold_ = hold; }

  /// Run the history to its end.  With a trace, tell it on standard error.
  void run();
  void trace() { trace_ = true; }
  Counts const& counts() const { return counts_; }

 private:
  struct Action {
    enum class Kind {
      to_member,
      to_coordinator,
      user,
      gradient,
      again,
      launch,
      complete,
      connect,
      stopped,
      serve,
      request,
      follow,
      catch_up,
      stripe,
      take_over,
      write,
      load,
      complain,
      end_seen,
      tick,
      kill,
      kill_node,
      lose,
      leave,
      come,
      replace,
      hang,
      hold,
      freeze,
      thaw,
      silent,
      come_back,
      loop,
      end_loop,
      jam,
      jump,
      coordinator,
      gone
    };
    Kind kind;
    msg::MemberId member = 0;
    std::string node = "";
    double weight = 1;
  };
  struct Node {
    int size = 1;
    bool leaving = false;
    bool free = false;
    double deadline_s = 0;  ///< to be left by then
  };
  struct File {
    int state;
    std::string header;
    msg::Step step;
  };
  struct Collective {
    Sum sum;
    std::set<msg::MemberId> damaged;
  };
  using CollectiveKey = std::tuple<msg::Generation, msg::Step, int>;
  struct Shown {  ///< a recorded step
    int state;
    std::uint64_t samples_seen;
    std::map<std::string, std::uint64_t> logged;
  };

  // The schedule (simulation.cc).
  void find_enabled();
  void enabled_of(Process& p);
  void enabled_around();
  void enable(Action::Kind kind, msg::MemberId member, double weight);
  void enable(Action::Kind kind, std::string const& node, double weight);
  Action draw();
  void perform(Action const& action);
  void perform_outside(Action const& action);
  Process& process(msg::MemberId id) { return *processes_.at(id); }
  double chance() { return std::uniform_real_distribution<>()(random_); }
  int pick(int low, int high) {
    return std::uniform_int_distribution<>(low, high)(random_);
  }

  // What it tells (simulation_trace.cc).
  void tell(char const* what, msg::MemberId member, nlohmann::json const& json);
  std::string idle_text();

  // The coordinator and its nodes (simulation_coordinator.cc).
  void hear(msg::MemberId member, msg::FromMember const& message);
  void carry_out(Membership::Orders const& orders);
  void on(membership::Send const& order);
  void on(membership::Record const& order);
  void on(membership::Kill const& order);
  void on(membership::NodeFree const& order);
  void on(membership::Register const& order);
  void on(membership::TrainingFinished const& order);
  void start_members(std::string const& node, int n);
  void replace_coordinator();
  void die(Process& p);

  // What goes wrong, and what time brings (simulation_faults.cc).
  void enable_faults();
  void enable_faults(Process& p);
  double danger() const;
  void perform_fault(Action const& action);
  void kill(Process& p);
  void freeze(Process& p);
  void lose(Process& p);
  void come_back(Process& p);
  void beat();
  void count_loss(nlohmann::json const& lost);
  bool is_waited_for(Process const& p) const;
  bool is_held_back(Process const& p, msg::Step step) const;
  void hold_if_due(Process& p);
  bool stands_between_steps(Process& p) const;

  // A member's program, and its Session (simulation_member.cc).
  void carry_out(Process& p, Session::Actions const& actions);
  Session::Actions checked(Result<Session::Actions> result);
  void on(Process& p, session::BeginsSoon const& action);
  void on(Process& p, session::Started const& action);
  void on(Process& p, session::BeginStep const& action);
  void on(Process& p, session::ApplyReduction const& action);
  void on(Process& p, session::Leave const& action);
  void on(Process& p, session::Done const& action);
  void move_user(Process& p);
  void try_again(Process& p);
  void release_user(Process& p, Process::User to);

  // Its messages, planes and reductions (simulation_planes.cc).
  void on(Process& p, session::Send const& action);
  void on(Process& p, session::ConnectPlane const& action);
  void on(Process& p, session::DropPlane const& action);
  void on(Process& p, session::StopPlanes const& action);
  void on(Process& p, session::Reduce const& action);
  void connect(Process& p);
  void leave_plane(Process& p, msg::Generation generation);
  void stop(Process& p);
  double will_to_complain(Process& p);
  void complain(Process& p);
  void launch(Process& p);
  bool can_complete(Process& p);
  void complete(Process& p);
  void report_early(Process& p);

  // Its state (simulation_state.cc).
  void on(Process& p, session::ServeState const& action);
  void on(Process& p, session::FetchState const& action);
  void on(Process& p, session::PrepareFeed const& action);
  void on(Process& p, session::Feed const& action);
  void on(Process& p, session::EndFeed const& action);
  void on(Process& p, session::FetchReduction const& action);
  void on(Process& p, session::WriteCheckpoint const& action);
  void on(Process& p, session::LoadCheckpoint const& action);
  bool can_take_from(Process& p, msg::MemberId source);
  std::vector<msg::MemberId> state_sources(Process& p);
  void take_state(Process& p, msg::MemberId from);
  void take_piece(Process& p, Process& donor);
  void take_portion(Process& p, Process& joiner);
  bool has_whole_state(Process& p);
  void feed(Process& p, msg::Step step, Sum const& sum);
  std::size_t fed(Process& p);
  bool can_follow(Process& p);
  bool is_feed_over(Process& p);
  void follow(Process& p);
  void take_over(Process& p);
  void write(Process& p);
  void load(Process& p);

  // Invariants (simulation_check.cc).
  void check();
  void check_member(Process& p);
  void check_deadlines();
  void check_extent();
  void check_end();
  void check_values(msg::Step until);
  void show(nlohmann::json const& step);
  std::vector<Process*> full_members();

  std::mt19937_64 random_;
  Faults const faults_;
  Mutant const mutant_;
  ShareRules const rules_;
  SamplerOptions options_;
  membership::Options membership_options_;
  std::unique_ptr<Membership> membership_;
  double now_ = 0;
  msg::MemberId next_id_ = 1;
  int next_node_ = 1;
  int budget_;                ///< events that the environment still causes
  std::optional<Hold> hold_;  ///< still to come
  std::optional<msg::Step> stops_after_;  ///< by the program's word
  bool finished_ = false;
  int idle_ = 0;
  int coordinators_ = 1;
  bool trace_ = false;
  bool dirty_ = true;  ///< something that invariants are about has changed

  std::vector<Action> enabled_;
  std::map<msg::MemberId, std::unique_ptr<Process>> processes_;
  std::vector<Process*> watched_;  ///< of these, who may still do something
  std::map<std::string, Node> nodes_;
  std::map<CollectiveKey, Collective> collectives_;
  std::set<msg::Generation> jammed_;  ///< nothing passes; nobody is told
  std::map<std::string, File> files_;
  std::string latest_;
  Lineages lineages_;
  /// Which member brought how many samples into a state's last step.
  std::map<int, std::map<msg::MemberId, std::uint64_t>> made_by_;
  std::vector<Shown> shown_;  ///< recorded steps; [0] is the initial state
  nlohmann::json finish_record_;
  Counts counts_;
};

}  // namespace gleaner::generation::simulation
