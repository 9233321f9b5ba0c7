// SPDX-License-Identifier: Apache-2.0
/// How long gleanerd takes from a snapshot with new holes to its offers.
///
///     brain_bench NODES TRAINERS REPETITIONS [whole | unlike | parts]
///
/// Each trainer holds five leases of a machine of 10,000 nodes, say; the other
/// nodes are busy, and as many rigid jobs wait as there are trainers.  Then 1,
/// 10 and 100 nodes become idle.  Prints {"rows": [...]}: what the frame from
/// the scavenger takes to be read, and what the brain takes to decide, in ms of
/// the processor.
///
///     whole   nodes are lent whole, and all waiting jobs ask the same
///     unlike  the same, but each waiting job asks for another number of nodes
///     parts   nodes are lent in parts: leases of one GPU beside a regular job
///             that has three, and an idle node is four parts; waiting jobs ask
///             for one to four GPUs on each node
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <variant>

#include "core/clock.hh"
#include "daemon/decisions/brain.hh"
#include "proto/daemon_messages.hh"

namespace gleaner::bench {
namespace {

using Json = nlohmann::ordered_json;

constexpr int leases_each = 5;
constexpr int gpus = 4;
constexpr Uid uid = 1000;
constexpr TimeS day_s = 86400;

std::string node(int i) { return "n" + std::to_string(i); }

enum class Mode { whole, unlike, parts };

std::optional<Mode> mode_of(std::string_view name) {
  if (name == "whole") return Mode::whole;
  if (name == "unlike") return Mode::unlike;
  if (name == "parts") return Mode::parts;
  return std::nullopt;
}

/// So many GPUs of a node with their share of the rest.
Resources share(int count) {
  return {16 * count, 128000 * count, {{"gpu:a", count}}};
}

/// A machine of which trainers hold a part, and now and then get more.
class Machine {
 public:
  Machine(int nodes, int trainers, Mode mode)
      : trainers_(trainers), mode_(mode), brain_(settings(), nonces()) {
    brain_.set_lending(true);
    snapshot_.nodes_total = nodes;
    snapshot_.kinds = {{share(gpus), {}, {"lease", "main"}, {}}};
    if (in_parts()) snapshot_.kinds[0].parts_max = gpus;
    for (int i = 0; i < nodes; ++i) snapshot_.kinds[0].nodes.insert(node(i));
    if (in_parts())
      for (int i = 0; i < nodes; ++i) add_parted(i);
    for (int t = 0; t < trainers; ++t) add_trainer(t);
    for (int j = 0; j < trainers; ++j) add_waiting(j);
    begin();
  }

  /// `holes` nodes become idle, are offered and taken back into use.
  /// Appends what this took, in ms of the processor.
  bool add_holes(int holes, std::vector<double>* read_ms,
                 std::vector<double>* decide_ms) {
    auto next = snapshot_;
    int const first = trainers_ * leases_each;
    for (int i = first; i < first + holes; ++i)
      if (in_parts())
        become_idle(&next, node(i));
      else
        next.holes.push_back({node(i), 0, false, {}, 0, 1});
    sort(&next);
    now_ += 5;
    next.time_s = now_;
    auto const frame =
        msg::to_json(msg::FromPlugin(msg::Holes{next, 0.1})).dump();
    double begin_s = thread_cpu_s();
    auto const message = msg::parse_from_plugin(nlohmann::json::parse(frame));
    read_ms->push_back((thread_cpu_s() - begin_s) * 1e3);
    if (!message) return false;
    begin_s = thread_cpu_s();
    brain_.on_snapshot(std::get<msg::Holes>(*message).snapshot, now_);
    auto const actions = brain_.decide(now_);
    decide_ms->push_back((thread_cpu_s() - begin_s) * 1e3);
    auto const offers =
        std::count_if(actions.begin(), actions.end(), [](auto& action) {
          return std::holds_alternative<daemon::Offer>(action);
        });
    forget_offers(actions);
    return offers == (in_parts() ? holes * gpus : holes);
  }

 private:
  bool in_parts() const { return mode_ == Mode::parts; }

  static Config settings() {
    auto config = default_config();
    config.mode = Config::Mode::on;
    config.scaling = Config::Scaling::assumed;
    config.leases_per_hour_max = 1000000;
    return config;
  }

  static std::function<std::string()> nonces() {
    return [n = 0]() mutable { return "nonce" + std::to_string(++n); };
  }

  void add_trainer(int t) {
    auto const job = static_cast<JobId>(1000 + t);
    snapshot_.trainers.push_back(
        {job, uid, "train", 1, 500,
         "--gres=gpu:a:" + std::to_string(in_parts() ? 1 : gpus), true, now_,
         ""});
    for (int k = 0; k < leases_each; ++k) {
      int const i = t * leases_each + k;
      if (!in_parts()) snapshot_.holes.push_back({node(i), 0, true, {}, 0, 1});
      snapshot_.leases.push_back({static_cast<JobId>(100000 + i), leased(i),
                                  uid, job, "held" + std::to_string(i), true,
                                  now_, now_ + day_s});
      if (in_parts()) snapshot_.leases.back().part = share(1);
    }
  }

  /// The place of a lease.
  std::string leased(int i) const {
    return in_parts() ? node(i) + "+0" : node(i);
  }

  /// A regular job has all of it that no lease has.
  void add_parted(int i) {
    SharedNode shared{node(i), 0, {}, 1, true};
    int const rest = i < trainers_ * leases_each ? gpus - 1 : gpus;
    shared.running.push_back(
        {static_cast<JobId>(200000 + i), share(rest), false, now_ + 1e9});
    snapshot_.shared.push_back(std::move(shared));
  }

  static void become_idle(Snapshot* snapshot, std::string const& name) {
    for (auto& shared : snapshot->shared) {
      if (shared.node != name) continue;
      shared.running.clear();
      shared.free = share(gpus);
    }
  }

  /// More nodes than there are ever idle.
  void add_waiting(int j) {
    PendingJob waiting;
    waiting.job = static_cast<JobId>(500000 + j);
    waiting.partition = "main";
    waiting.nodes = snapshot_.nodes_total - (mode_ == Mode::unlike ? j : 0);
    waiting.each.cpus = 64;
    waiting.whole = true;
    if (in_parts()) waiting.each = share(1 + j % gpus);
    if (in_parts()) waiting.whole = j % 8 == 7;
    snapshot_.pending.push_back(waiting);
  }

  static void sort(Snapshot* snapshot) {
    auto const by_name = [](auto& a, auto& b) { return a.node < b.node; };
    std::sort(snapshot->holes.begin(), snapshot->holes.end(), by_name);
    std::sort(snapshot->shared.begin(), snapshot->shared.end(), by_name);
  }

  /// All coordinators come back with what they hold.
  void begin() {
    sort(&snapshot_);
    snapshot_.time_s = now_;
    brain_.on_snapshot(snapshot_, now_);
    for (int t = 0; t < trainers_; ++t) {
      msg::Register request{static_cast<JobId>(1000 + t), {}, {}};
      for (int k = 0; k < leases_each; ++k) {
        int const i = t * leases_each + k;
        request.leases.push_back({leased(i), static_cast<JobId>(100000 + i)});
      }
      brain_.on_coordinator(request.job, uid, request, now_);
    }
    (void)brain_.decide(now_);
    now_ += 5;
    brain_.on_snapshot(snapshot_, now_);
    (void)brain_.decide(now_);
  }

  /// Slurm needed the nodes itself: the offers come to nothing, and are no
  /// reason to pass over nodes next time, which is long after.
  void forget_offers(daemon::Actions const& actions) {
    for (auto const& action : actions)
      if (auto const* offer = std::get_if<daemon::Offer>(&action))
        brain_.on_coordinator(offer->link, uid,
                              msg::LeaseFailed{offer->ticket.node, "busy"},
                              now_);
    now_ += 3600;
    snapshot_.time_s = now_;
    for (auto& lease : snapshot_.leases) lease.limit_s = now_ + day_s;
    brain_.on_snapshot(snapshot_, now_);
    (void)brain_.decide(now_);
  }

  int trainers_;
  Mode mode_;
  TimeS now_ = 1e9;
  daemon::Brain brain_;
  Snapshot snapshot_;
};

Json row(int holes, std::vector<double> read_ms,
         std::vector<double> decide_ms) {
  std::sort(read_ms.begin(), read_ms.end());
  std::sort(decide_ms.begin(), decide_ms.end());
  return {{"holes", holes},
          {"read_p50_ms", read_ms[read_ms.size() / 2]},
          {"read_max_ms", read_ms.back()},
          {"decide_p50_ms", decide_ms[decide_ms.size() / 2]},
          {"decide_max_ms", decide_ms.back()}};
}

int run(int argc, char** argv) {
  auto const mode = mode_of(argc == 5 ? argv[4] : "whole");
  if (argc < 4 || argc > 5 || !mode || std::atoi(argv[3]) < 1) {
    std::fprintf(stderr,
                 "usage: brain_bench NODES TRAINERS REPETITIONS [whole | "
                 "unlike | parts]\n");
    return 2;
  }
  int const nodes = std::atoi(argv[1]), trainers = std::atoi(argv[2]);
  if (trainers < 1 || nodes < trainers * leases_each + 100) {
    std::fprintf(stderr,
                 "brain_bench: want at least %d nodes for %d trainers\n",
                 trainers * leases_each + 100, trainers);
    return 2;
  }
  Machine machine(nodes, trainers, *mode);
  Json rows = Json::array();
  for (int holes : {1, 10, 100}) {
    std::vector<double> read_ms, decide_ms;
    for (int i = 0; i < std::atoi(argv[3]); ++i)
      if (!machine.add_holes(holes, &read_ms, &decide_ms)) {
        std::fprintf(stderr, "brain_bench: not all of %d holes were offered\n",
                     holes);
        return 1;
      }
    rows.push_back(row(holes, std::move(read_ms), std::move(decide_ms)));
  }
  std::printf("%s\n", Json{{"nodes", nodes},
                           {"trainers", trainers},
                           {"mode", argc == 5 ? argv[4] : "whole"},
                           {"rows", rows}}
                          .dump(2)
                          .c_str());
  return 0;
}

}  // namespace
}  // namespace gleaner::bench

int main(int argc, char** argv) { return gleaner::bench::run(argc, argv); }
