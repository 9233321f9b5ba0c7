// SPDX-License-Identifier: Apache-2.0
/// Random histories of gleanerd's decisions against a small model of Slurm and
/// of coordinators, good and bad.  GLEANER_SEED repeats a run, GLEANER_CASES
/// lengthens it.
///
/// Throughout: a node is offered only to whom it may be, while nothing of ours
/// is on it; only leases are ever ended, and none is released while another one
/// is being left for a job that waits.  In the end, when jobs stop coming,
/// all nodes are lent; when trainings end, no lease is left.
#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <random>
#include <set>

#include "daemon/decisions/brain.hh"
#include "test/unit/catch.hh"

namespace gleaner::daemon {
namespace {

constexpr int nodes_total = 6;
constexpr Uid uid = 1000;

struct Running {
  JobId job = 0;  ///< 0: the node is idle
  bool lease = false;
  JobId trainer = 0;
  std::string nonce;
  TimeS end_s = 0;       ///< of a rigid job
  bool vacated = false;  ///< no member is on it
};

/// A rigid job in the queue.
struct Waiting {
  JobId job = 0;
  int nodes = 1;
  TimeS begin_s = 0;    ///< not before
  bool notice = false;  ///< which is of job_submit_gleaner
};

class History {
 public:
  explicit History(unsigned seed) : random_(seed), brain_(make_brain()) {
    for (int n = 1; n <= nodes_total; ++n) nodes_["n" + std::to_string(n)];
    for (JobId job : {7u, 8u}) bases_[job] = true;
  }

  void run() {
    for (int i = 0; i < 300; ++i) {
      advance(pick(1, 100) / 50.0);
      disturb();
      turn();
    }
    calm_down();
    CHECK(lent() == nodes_total);
    bases_.clear();
    for (int i = 0; i < 40; ++i) advance(0.5), turn();
    CHECK(lent() == 0);
    CHECK(brain_.leases().all().empty());
  }

 private:
  static Config settings() {
    auto config = default_config();
    config.mode = Config::Mode::on;
    config.scaling = Config::Scaling::assumed;
    config.leases_per_hour_max = 1000000;
    return config;
  }

  Brain make_brain() {
    Brain brain(settings(), [this] { return std::to_string(++nonce_); });
    brain.set_lending(true);
    return brain;
  }

  int pick(int least, int most) {
    return std::uniform_int_distribution<>(least, most)(random_);
  }
  bool chance(int percent) { return pick(1, 100) <= percent; }

  void advance(double seconds) {
    now_ += seconds;
    for (auto& [name, on] : nodes_)
      if (on.job && !on.lease && on.end_s <= now_) on = {};
  }

  // --- what befalls a cluster ----------------------------------------------

  void disturb() {
    if (chance(20)) submit();
    if (chance(40)) start_jobs();
    if (chance(3)) restart();
    if (chance(5)) lose_link();
    if (chance(5)) lose_lease();
    if (chance(2)) bases_[pick(7, 8)] = false;
    stubborn_ = chance(20);
    deaf_ = chance(20);
  }

  void submit() {
    Waiting waiting{++last_job_, pick(1, 4)};
    if (chance(20)) waiting.begin_s = now_ + pick(1, 30);
    if (waiting.begin_s == 0 && chance(20)) {
      waiting.begin_s = now_ + 2;
      waiting.notice = true;
    }
    pending_.push_back(waiting);
  }

  /// The first job that may begin starts if it fits; Slurm preempts leases for
  /// it.
  void start_jobs() {
    auto const first =
        std::find_if(pending_.begin(), pending_.end(),
                     [&](auto& waiting) { return waiting.begin_s <= now_; });
    if (first == pending_.end()) return;
    auto const job = first->job;
    auto const count = first->nodes;
    std::vector<Running*> free;
    for (auto& [name, on] : nodes_)
      if (!on.job || on.lease) free.push_back(&on);
    if (static_cast<int>(free.size()) < count) return;
    for (int i = 0; i < count; ++i)
      *free[static_cast<std::size_t>(i)] = {
          job, false, 0, "", now_ + pick(1, 20), false};
    pending_.erase(first);
  }

  void restart() {
    brain_ = make_brain();
    links_.clear();
    known_.clear();
    leaving_.clear();
  }

  void lose_link() {
    auto const job = static_cast<JobId>(pick(7, 8));
    if (links_.count(job)) brain_.on_link_lost(links_[job], now_);
    links_.erase(job);
  }

  void lose_lease() {
    for (auto& [name, on] : nodes_)
      if (on.lease && chance(30)) on = {};
  }

  // --- coordinators --------------------------------------------------------

  void reconnect() {
    for (auto& [job, running] : bases_) {
      if (!running || links_.count(job)) continue;
      links_[job] = ++last_link_;
      msg::Register request{job, {}, {}};
      for (auto& [name, on] : nodes_)
        if (on.lease && on.trainer == job)
          request.leases.push_back({name, on.job});
      brain_.on_coordinator(links_[job], uid, request, now_);
      returns_.insert(job);
    }
  }

  /// Members leave in their time; then the coordinator says so, once more
  /// after it was away.
  void vacate() {
    for (auto& [name, on] : nodes_) {
      if (!on.lease || !links_.count(on.trainer)) continue;
      bool const leaves = leaving_.count(name) && (calm_ || chance(60));
      bool const again = on.vacated && returns_.count(on.trainer);
      if (!leaves && !again) continue;
      on.vacated = true;
      leaving_.erase(name);
      brain_.on_coordinator(links_[on.trainer], uid, msg::Vacated{{name}},
                            now_);
    }
    returns_.clear();
  }

  /// Coordinators notice what became of their leases.
  void report() {
    for (auto& [nonce, place] : known_)
      if (nodes_[place.second].nonce != nonce && links_.count(place.first))
        brain_.on_coordinator(links_[place.first], uid,
                              msg::LeaseEnded{place.second, 0, "lost"}, now_),
            gone_.insert(nonce);
    for (auto const& nonce : gone_) known_.erase(nonce);
    gone_.clear();
  }

  // --- gleanerd ------------------------------------------------------------

  void turn() {
    if (!calm_ && chance(20)) return;  // a snapshot comes late
    reconnect();
    report();
    brain_.on_snapshot(snapshot(), now_);
    for (auto const& action : brain_.decide(now_))
      std::visit([this](auto const& a) { act(a); }, action);
    vacate();
    for (auto const& action : brain_.decide(now_))
      std::visit([this](auto const& a) { act(a); }, action);
    REQUIRE(brain_.next_s(now_) > now_);
  }

  Snapshot snapshot() {
    Snapshot s;
    s.time_s = now_;
    s.nodes_total = nodes_total;
    s.kinds = {{{4, 16000, {{"gpu", 4}}}, {}, {"lease", "main"}, {}}};
    for (auto const& [name, on] : nodes_) {
      s.kinds[0].nodes.insert(name);
      if (!on.job || on.lease) s.holes.push_back({name, 0, on.lease, {}, 0, 1});
      if (on.lease)
        s.leases.push_back(
            {on.job, name, uid, on.trainer, on.nonce, true, now_, now_ + 3600});
    }
    for (auto const& waiting : pending_) {
      PendingJob p;
      p.job = waiting.job;
      p.partition = "main";
      p.nodes = waiting.nodes;
      p.each.cpus = 4;
      p.eligible_s = waiting.begin_s;
      p.on_notice = waiting.notice;
      (waiting.begin_s > now_ ? s.coming : s.pending).push_back(p);
    }
    std::stable_sort(s.coming.begin(), s.coming.end(), [](auto& a, auto& b) {
      return a.eligible_s < b.eligible_s;
    });
    for (auto const& [job, running] : bases_)
      if (running)
        s.trainers.push_back({job, uid, "t", 1, nodes_total, "", true, 0, ""});
    return s;
  }

  void act(Offer const& offer) {
    auto& on = nodes_.at(offer.ticket.node);
    CHECK(links_.count(offer.ticket.trainer));
    CHECK(links_[offer.ticket.trainer] == offer.link);
    CHECK(offer.ticket.uid == uid);
    CHECK(on.job == 0);
    if (deaf_) return;
    if (chance(calm_ ? 0 : 10)) {
      brain_.on_coordinator(offer.link, uid,
                            msg::LeaseFailed{offer.ticket.node, "no"}, now_);
      return;
    }
    on = {++last_job_,        true, offer.ticket.trainer,
          offer.ticket.nonce, 0,    false};
    leaving_.erase(offer.ticket.node);
    known_[on.nonce] = {on.trainer, offer.ticket.node};
    brain_.on_coordinator(offer.link, uid,
                          msg::LeaseStarted{offer.ticket.node, on.job, 0.1},
                          now_);
  }

  void act(Tell const& tell) {
    if (auto const* back = std::get_if<msg::GiveBack>(&tell.message))
      give_back(*back);
    auto const* release = std::get_if<msg::ReleaseNodes>(&tell.message);
    if (!release) return;
    for (auto const& [node, deadline_s] : leaving_)
      CHECK((deadline_s <= now_ || !nodes_.at(node).lease));
    for (auto const& node : release->nodes)
      if (nodes_.at(node).vacated) nodes_.at(node) = {};
  }

  /// Some coordinators hold nothing: their leases end as they leave.
  void give_back(msg::GiveBack const& back) {
    for (auto const& node : back.nodes) {
      if (!nodes_.at(node).lease || stubborn_) continue;
      if (!back.hold || chance(10))
        nodes_.at(node) = {};
      else if (!nodes_.at(node).vacated)
        leaving_[node] =
            back.cause == "arrival" || back.cause == "planned_start"
                ? back.deadline_s
                : 0;
    }
  }

  /// Only leases may be ended; sometimes Slurm does not do it.  Either way it
  /// is no longer waited for that members leave.
  void act(EndLease const& end) {
    for (auto& [name, on] : nodes_) {
      if (on.job != end.job) continue;
      CHECK(on.lease);
      leaving_.erase(name);
      if (calm_ || chance(80)) on = {};
    }
  }

  void act(CloseLink const& close) {
    std::erase_if(links_,
                  [&](auto& link) { return link.second == close.link; });
  }
  void act(ExtendLease const&) {}
  /// Only jobs that wait because of us may be told to begin.
  void act(BeginJob const& begin) {
    for (auto& waiting : pending_) {
      if (waiting.job != begin.job) continue;
      CHECK(waiting.notice);
      waiting.begin_s = 0;
    }
  }
  void act(LookAtQueue const&) {}
  void act(LookAgain const&) {}
  void act(Record const&) {}
  void act(SaveProblem const&) {}
  void act(KeepProfiles const&) {}

  // --- the end -------------------------------------------------------------

  void calm_down() {
    calm_ = true;
    stubborn_ = deaf_ = false;
    pending_.clear();
    bases_ = {{7, true}, {8, true}};
    for (int i = 0; i < 400; ++i) advance(0.5), turn();
  }

  int lent() const {
    return static_cast<int>(
        std::count_if(nodes_.begin(), nodes_.end(),
                      [](auto& node) { return node.second.lease; }));
  }

  std::mt19937 random_;
  int nonce_ = 0;
  Brain brain_;
  TimeS now_ = 1000;
  std::map<std::string, Running> nodes_;
  std::vector<Waiting> pending_;
  std::map<JobId, bool> bases_;  ///< of trainers: running?
  std::map<JobId, LinkId> links_;
  /// Leases whose coordinators believe in them: nonce -> trainer, node.
  std::map<std::string, std::pair<JobId, std::string>> known_;
  std::set<std::string> gone_;
  /// Nodes being left: by when, for a job that waits; else 0.
  std::map<std::string, TimeS> leaving_;
  std::set<JobId> returns_;  ///< coordinators that were away
  JobId last_job_ = 100;
  LinkId last_link_ = 0;
  bool stubborn_ = false, deaf_ = false, calm_ = false;
};

unsigned from_environment(char const* name, unsigned fallback) {
  char const* text = std::getenv(name);
  return text ? static_cast<unsigned>(std::strtoul(text, nullptr, 10))
              : fallback;
}

TEST_CASE("whatever happens, leases come and go as they should") {
  auto const seed = from_environment("GLEANER_SEED", std::random_device{}());
  std::cout << "history_test: GLEANER_SEED=" << seed << '\n';
  auto const cases = from_environment("GLEANER_CASES", 200);
  for (unsigned i = 0; i < cases; ++i) {
    INFO("GLEANER_SEED=" << seed + i << " GLEANER_CASES=1");
    History(seed + i).run();
  }
}

}  // namespace
}  // namespace gleaner::daemon
