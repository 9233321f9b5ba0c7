// SPDX-License-Identifier: Apache-2.0
/// A small cluster for the tests of gleanerd's decisions, and the notation in
/// which they are compared: "offer n1->7; back n2 of 7 (arrival, 1s);
/// release n2 of 7; end 101".
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "daemon/decisions/brain.hh"
#include "test/unit/catch.hh"

namespace gleaner::daemon {

class World {
 public:
  explicit World(std::string const& mode = "on")
      : brain(settings(mode), nonces()) {
    brain.set_lending(true);
    cluster.kinds = {{{4, 16000, {{"gpu", 4}}}, {}, {"lease", "main"}, {}}};
  }

  static Config settings(std::string const& mode) {
    auto config = default_config();
    config.mode = parse_choice<Config::Mode>(mode).value();
    config.hole_s_min = 5;
    config.release_lead_s = 2;
    config.give_back_s = 1;
    config.arrival_hold_s = 10;
    config.agent_wait_s = 15;
    config.lease_minutes_max = 60;
    config.ticket_valid_s = 10;
    return config;
  }

  // --- the cluster ---------------------------------------------------------

  /// Idle nodes; those that leases hold stay leased.
  void holes(std::string_view text) {
    cluster.holes.clear();
    auto const names = NodeSet::parse(text);
    for (auto const& name : *names)
      cluster.holes.push_back({name, kind_of(name), false, {}, 0, 1});
    cluster.nodes_total = static_cast<int>(cluster.holes.size());
    mark_leased();
  }

  /// These nodes, named before they are holes, are like the others but for
  /// what the caller changes of the kind that is returned.
  NodeKind& other_kind(std::string_view nodes) {
    auto kind = cluster.kinds.front();
    kind.nodes = *NodeSet::parse(nodes);
    for (auto const& name : kind.nodes) cluster.kinds.front().nodes.erase(name);
    cluster.kinds.push_back(std::move(kind));
    for (auto& hole : cluster.holes) hole.kind = kind_of(hole.node);
    return cluster.kinds.back();
  }

  Hole& hole(std::string const& node) {
    for (auto& hole : cluster.holes)
      if (hole.node == node) return hole;
    FAIL("no hole " << node);
    throw 0;
  }

  /// A rigid job in the queue, of default priority, that needs all CPUs of each
  /// node.
  void pending(JobId job, int nodes, std::string_view required = "") {
    PendingJob p;
    p.job = job;
    p.partition = "main";
    p.nodes = nodes;
    p.each.cpus = 4;
    p.required = *NodeSet::parse(required);
    cluster.pending.push_back(p);
  }

  /// One with --begin, in `seconds`.
  void coming(JobId job, int nodes, double seconds) {
    pending(job, nodes);
    auto p = std::move(cluster.pending.back());
    cluster.pending.pop_back();
    p.eligible_s = now + seconds;
    cluster.coming.push_back(std::move(p));
  }

  void base_job(JobId job, int nodes_min, int nodes_max, Uid uid = 1000,
                std::string lease_template = "--gres=gpu:4") {
    cluster.trainers.push_back({job, uid, "train", nodes_min, nodes_max,
                                std::move(lease_template), true, now, ""});
  }

  /// A lease that runs, as Slurm shows it.
  void lease(JobId job, std::string const& node, JobId trainer,
             std::string const& ticket, Uid uid = 1000) {
    cluster.leases.push_back(
        {job, node, uid, trainer, ticket, true, now, now + 3600});
    mark_leased();
  }

  void end_of_lease(JobId job) {
    std::erase_if(cluster.leases, [&](auto& l) { return l.job == job; });
    mark_leased();
  }

  /// Slurm preempts a lease: it completes now, and is over at the next look.
  void preempts(JobId job) {
    for (auto const& lease : cluster.leases)
      if (lease.job == job) cluster.preempted.push_back({job, lease.node, now});
    end_of_lease(job);
  }

  void end_of_base_job(JobId job) {
    std::erase_if(cluster.trainers, [&](auto& t) { return t.job == job; });
  }

  // --- events --------------------------------------------------------------

  /// Look at the cluster, decide, and say what is to be done.
  std::string look() {
    cluster.time_s = now;
    brain.on_snapshot(cluster, now);
    return decide();
  }

  std::string later(double seconds) {
    now += seconds;
    return look();
  }

  /// The coordinator of `job` connects; its link has the number of the job.
  std::string registers(JobId job, std::vector<msg::HeldLease> leases = {},
                        Uid uid = 1000) {
    brain.on_coordinator(job, uid, msg::Register{job, std::move(leases), {}},
                         now);
    return decide();
  }

  template <class Message>
  std::string says(JobId job, Message message) {
    brain.on_coordinator(job, 1000, message, now);
    return decide();
  }

  /// The offer of this node is taken up: Slurm's lease gets the number `lease`.
  std::string takes(JobId trainer, std::string const& node, JobId number) {
    auto const* offer = brain.leases().on_node(node);
    REQUIRE(offer);
    lease(number, node, trainer, offer->nonce);
    says(trainer, msg::LeaseStarted{node, number, 0.03});
    return look();
  }

  /// Its members have left these nodes.
  std::string vacates(JobId job, std::vector<std::string> nodes) {
    return says(job, msg::Vacated{std::move(nodes)});
  }

  std::string loses_link(JobId job) {
    brain.on_link_lost(job, now);
    return decide();
  }

  /// `gleaner admin ACTION [NODES]`
  std::string order(std::string const& action, std::string const& nodes = "") {
    auto orders = brain.orders();
    REQUIRE(orders.apply({action, nodes}, {}));
    brain.set_orders(orders);
    return decide();
  }

  std::string decide() { return text(brain.decide(now)); }

  /// A registered trainer that holds these nodes; leases from 101 on.
  void running_trainer(JobId job, int nodes_min, int nodes_max,
                       std::vector<std::string> const& nodes) {
    base_job(job, nodes_min, nodes_max);
    look();
    registers(job);
    JobId number = 101;
    for (auto const& node : nodes) takes(job, node, number++);
    look();
  }

  Snapshot cluster;
  Brain brain;
  TimeS now = 1000;
  std::vector<Record> records;     ///< all so far
  int asked_to_look = 0;           ///< how often gleanerd wanted a new snapshot
  std::vector<SaveProblem> saved;  ///< all so far
  std::vector<ProfileRow> kept;    ///< all so far

  /// How often this was recorded.
  long recorded(std::string const& event) const {
    return std::count_if(records.begin(), records.end(),
                         [&](auto& r) { return r.event == event; });
  }

 private:
  static std::function<std::string()> nonces() {
    return [n = 0]() mutable { return "nonce" + std::to_string(++n); };
  }

  /// The kind of a node; of the first kind unless it was said to be of another.
  KindIndex kind_of(std::string const& node) {
    auto const known = cluster.kind_of(node);
    if (known != no_kind) return known;
    cluster.kinds.front().nodes.insert(node);
    return 0;
  }

  void mark_leased() {
    for (auto& hole : cluster.holes)
      hole.leased =
          std::any_of(cluster.leases.begin(), cluster.leases.end(),
                      [&](auto& lease) { return lease.node == hole.node; });
  }

  std::string text(Actions const& actions) {
    std::vector<std::string> parts;
    for (auto const& action : actions)
      if (auto part = std::visit([&](auto& a) { return text(a); }, action);
          !part.empty())
        parts.push_back(part);
    std::string all;
    for (auto const& part : parts) all += (all.empty() ? "" : "; ") + part;
    return all;
  }

  std::string text(Offer const& offer) {
    return "offer " + offer.ticket.node + "->" + std::to_string(offer.link);
  }
  std::string text(Tell const& tell) {
    auto const link = std::to_string(tell.link);
    auto const set = [](std::vector<std::string> const& names) {
      NodeSet nodes;
      for (auto const& name : names) nodes.insert(name);
      return nodes.to_string();
    };
    if (auto* back = std::get_if<msg::GiveBack>(&tell.message)) {
      return "back " + set(back->nodes) + " of " + link + " (" + back->cause +
             ", " + std::to_string(static_cast<int>(back->deadline_s - now)) +
             "s)";
    }
    if (auto* release = std::get_if<msg::ReleaseNodes>(&tell.message))
      return "release " + set(release->nodes) + " of " + link;
    if (auto* refused = std::get_if<msg::RegisterRefused>(&tell.message))
      return "refuse " + link + " (" + refused->why + ")";
    return "welcome " + link;
  }
  std::string text(CloseLink const& close) {
    return "close " + std::to_string(close.link);
  }
  std::string text(EndLease const& end) {
    return "end " + std::to_string(end.job);
  }
  std::string text(ExtendLease const& extend) {
    return "extend " + std::to_string(extend.job) + " to " +
           std::to_string(extend.minutes) + "min";
  }
  std::string text(BeginJob const& begin) {
    return "begin " + std::to_string(begin.job);
  }
  std::string text(LookAtQueue const&) { return "look at queue"; }
  std::string text(LookAgain const&) { return ++asked_to_look, ""; }
  std::string text(KeepProfiles const& keep) {
    kept.insert(kept.end(), keep.rows.begin(), keep.rows.end());
    return "";
  }
  std::string text(SaveProblem const& solved) {
    saved.push_back(solved);
    return "";
  }
  std::string text(Record const& record) {
    records.push_back(record);
    return "";
  }
};

}  // namespace gleaner::daemon
