// SPDX-License-Identifier: Apache-2.0
/// Random histories of the real Session and Membership, with everything
/// around them simulated: FIFO channels with any delay, planes, state copies,
/// checkpoints, users' threads, nodes that come, go and die.
///
/// The world checks the invariants of doc/architecture.md, "Generations",
/// after each event, and throws Violation.  A history is a function of its
/// seed.
#pragma once

#include <array>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include "runtime/generation/membership.hh"
#include "runtime/generation/session.hh"

namespace gleaner::simulation {

struct Violation : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A defect put into the world around the classes, to see that it is noticed.
enum class Mutant {
  none,
  early_stable,      ///< a step is reported as stable when it is complete
  hasty_leaver,      ///< a leaver ends at the boundary, unseen
  joiner_as_source,  ///< a member that only received state calls itself full
  mixed_buckets,     ///< a redone step keeps buckets of the first try
  missed_reduction,  ///< a member does not feed a reduction
  late_snapshot,     ///< the state is fed as it is when it is sent
  early_reuse,       ///< buckets are reused before the first bucket is complete
  torn_takeover,     ///< a reduction is taken over before all of it is there
  forgetful_rank_0,  ///< a report of a stable step is lost without a death
  skipped_share,     ///< what a member got of a lost one is not computed
};

/// What may happen to members.
enum class Faults { none, all };

/// One fault, at a point that chance seldom meets: the member that was at this
/// place in the first generation stops when it has all of R(step), and has not
/// launched the first bucket of the next step.
struct Hold {
  enum class Fate { dies, thaws, is_lost };  ///< the last two: it is frozen
  enum class Order { first, last };          ///< to have R(step), of all

  std::size_t rank = 0;
  msg::Step step = 1;
  Fate fate = Fate::dies;
  Order order = Order::first;
};

struct Counts {
  std::uint64_t histories = 0, events = 0, kills = 0, zombies = 0, switches = 0,
                takeovers = 0, redone = 0, short_steps = 0, recoveries = 0,
                parks = 0, rollbacks = 0, withdrawals = 0, late_withdrawals = 0,
                resets = 0, checkpoints = 0, steps = 0, replaced = 0,
                complaints = 0, coordinators = 0, shares = 0, lost_again = 0,
                holds = 0, freezes = 0, thaws = 0, refused = 0, stuck = 0,
                never_ready = 0, overdue = 0, not_quiet = 0, withdrawn = 0,
                foretold = 0, jams = 0, followed = 0, fed = 0;
  void add(Counts const& other);
  std::string text() const;
};

/// States of the training, equal ones only once: what a state is made of.
class Lineages {
 public:
  struct Step {
    int before = 0;
    msg::Step step = 0;
    std::uint64_t pass = 0;
    Positions positions;
    Positions of_pass;  ///< in its pass, up to this step
  };
  Lineages() { steps_.emplace_back(); }

  static constexpr int initial = 0;
  /// The state after one more step.  Throws when a sample is in it twice, or
  /// the pass before is not complete.
  int after(int before, msg::Step step, std::uint64_t pass,
            Positions const& positions, SamplerOptions const& options);
  std::optional<int> find(int before, std::uint64_t pass,
                          Positions const& positions) const;
  Step const& at(int id) const { return steps_[id]; }
  /// The state `step` steps from the start, in the history of `id`.
  int ancestor(int id, msg::Step step) const;

 private:
  using Key = std::tuple<int, std::uint64_t,
                         std::vector<std::pair<std::uint64_t, std::uint64_t>>>;
  static Key key(int before, std::uint64_t pass, Positions const& positions);
  std::vector<Step> steps_;
  std::map<Key, int> ids_;
};

constexpr int buckets = 3;
constexpr int torn = -1;

/// What one member adds to a bucket.
struct Contribution {
  int state = torn;
  Positions positions;
  std::uint64_t not_ready = 1;
  std::uint64_t samples = 0;
};
using Sum = std::map<msg::MemberId, Contribution>;

/// One process with its Session, its user's thread and its planes.
struct Process {
  Process(msg::MemberId id, std::string node, SamplerOptions options,
          ShareRules rules)
      : id(id), node(std::move(node)), session(id, options, rules) {}

  msg::MemberId id;
  std::string node;
  Session session;
  bool alive = true;
  bool cut = false;       ///< the coordinator does not listen any more
  bool released = false;  ///< told to go: its state counts no more
  bool hung = false;      ///< connects no planes
  bool frozen = false;    ///< its process does nothing: SIGSTOP, or a dead link
  double frozen_s = 0;    ///< since when
  bool loops = false;     ///< its program does not come back to the library
  double busy_until_s = 0;
  bool reported = false;  ///< its end was reported to the coordinator
  double from_it = 2;     ///< weights: how fast its messages and results are
  double to_it = 2;
  double results = 2;
  std::deque<msg::ToMember> inbox;
  std::deque<msg::FromMember> outbox;

  enum class User { loading, ready, starting, between, computing, waiting };
  User user = User::loading;
  bool reducing = false;  ///< it waits, in gleaner_reduce()
  double there_s = 0;     ///< since when the user's thread is where it is
  std::uint64_t steps = 0;
  double beat_s = 0;  ///< of the last heartbeat
  msg::Alive told;    ///< the last one that came to the coordinator
  msg::Alive heartbeat(double now) const;
  void go_to(User there, double now) {
    user = there;
    reducing = false;
    there_s = now;
  }
  std::optional<session::BeginStep> step;
  /// A joiner's first share, as it was foretold.
  std::optional<Positions> foretold;
  int state = Lineages::initial;
  int gradients = 0;  ///< buckets of this step that are computed
  Contribution gradient;

  struct Buffer {
    msg::Step step = 0;
    std::optional<Sum> sum;  ///< nullopt: being overwritten
  };
  /// The first bucket alternates between two.
  std::array<Buffer, buckets + 1> buffers;
  Buffer& buffer(msg::Step step, int bucket) {
    return bucket == 0 ? buffers[step % 2] : buffers[bucket + 1];
  }
  std::optional<session::Reduce> reduce;
  int launched = 0;
  int done = 0;

  struct Plane {
    std::vector<msg::MemberId> members;
    bool blobs = false;
    bool connected = false;
    bool broken = false;
  };
  std::map<msg::Generation, Plane> planes;
  bool stopping = false;

  struct Serving {
    session::ServeState what;
    int state;
    std::set<msg::MemberId> waiting;
  };
  std::optional<Serving> serving;
  /// Its own portion comes from the donors, piece by piece; those of the other
  /// joiners from them, once they have got them.
  struct Fetching {
    session::FetchState what;
    bool requested = false;
    bool follows = false;  ///< it has the state that was fed first
    std::size_t applied = 0;
    std::set<msg::MemberId> from;  ///< donors and joiners that have sent
    int state = torn;
    std::string header;
    std::size_t pieces() const;  ///< of its own portion, that are there
  };
  std::optional<Fetching> fetching;
  /// What this member feeds joiners that follow.
  struct Feeding {
    session::PrepareFeed what;
    int state = torn;  ///< until it begins
    struct Reduction {
      msg::Step step;
      std::uint64_t pass;
      Positions positions;
      int before;
      bool operator==(Reduction const&) const = default;
    };
    std::vector<Reduction> reductions = {};
    std::optional<std::string> end = {};
  };
  std::optional<Feeding> feeding;
  struct Takeover {
    session::FetchReduction what;
    std::vector<Sum> sums;
  };
  std::optional<Takeover> takeover;
  struct Writing {
    session::WriteCheckpoint what;
    int state;
  };
  std::vector<Writing> writing;
  std::optional<session::LoadCheckpoint> loading;
};

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
  std::string idle_text();
  double will_to_complain(Process& p);
  void complain(Process& p);
  void replace_coordinator();
  void hear(msg::MemberId member, msg::FromMember const& message);
  void tell(char const* what, msg::MemberId member, nlohmann::json const& json);

  // The coordinator and its nodes (simulation.cc).
  void carry_out(Membership::Orders const& orders);
  void on(membership::Send const& order);
  void on(membership::Record const& order);
  void on(membership::Kill const& order);
  void on(membership::NodeFree const& order);
  void on(membership::Register const& order);
  void on(membership::TrainingFinished const& order);
  void start_members(std::string const& node, int n);
  void die(Process& p);
  bool is_staying(Node const& node) const { return !node.leaving; }

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

  // A member's surroundings (simulation_member.cc).
  void carry_out(Process& p, Session::Actions const& actions);
  void on(Process& p, session::Send const& action);
  void on(Process& p, session::ConnectPlane const& action);
  void on(Process& p, session::DropPlane const& action);
  void on(Process& p, session::StopPlanes const& action);
  void on(Process& p, session::ServeState const& action);
  void on(Process& p, session::FetchState const& action);
  void on(Process& p, session::PrepareFeed const& action);
  void on(Process& p, session::Feed const& action);
  void on(Process& p, session::EndFeed const& action);
  void on(Process& p, session::FetchReduction const& action);
  void on(Process& p, session::WriteCheckpoint const& action);
  void on(Process& p, session::LoadCheckpoint const& action);
  void on(Process& p, session::BeginsSoon const& action);
  void on(Process& p, session::Started const& action);
  void on(Process& p, session::BeginStep const& action);
  void on(Process& p, session::Reduce const& action);
  void on(Process& p, session::ApplyReduction const& action);
  void on(Process& p, session::Leave const& action);
  void on(Process& p, session::Done const& action);
  void move_user(Process& p);
  void release_user(Process& p, Process::User to);
  void launch(Process& p);
  bool can_complete(Process& p);
  void complete(Process& p);
  void connect(Process& p);
  void stop(Process& p);
  void leave_plane(Process& p, msg::Generation generation);
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
  void report_early(Process& p);
  Session::Actions checked(Result<Session::Actions> result);

  // Invariants (simulation_check.cc).
  void check();
  void check_member(Process& p);
  void check_deadlines();
  void check_end();
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
  std::vector<Shown> shown_;  ///< recorded steps; [0] is the initial state
  nlohmann::json finish_record_;
  Counts counts_;
};

}  // namespace gleaner::simulation
