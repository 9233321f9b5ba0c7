// SPDX-License-Identifier: Apache-2.0
/// The wiring of gleanerd.
#include "daemon/daemon.hh"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <utility>

#include "alloc/problem_json.hh"
#include "daemon/decisions/count_free.hh"
#include "daemon/decisions/profile_reply.hh"
#include "daemon/decisions/status.hh"
#include "daemon/io/orders_file.hh"
#include "daemon/io/problem_log.hh"
#include "daemon/io/state_dir.hh"

namespace gleaner::daemon {
namespace {

constexpr double stop_wait_s = 2;
constexpr double rest_factor = 4;  ///< of the time a decision took
constexpr double rest_s_max = 1;
constexpr double status_look_gap_s = 5;
constexpr double silence_s = 10;  ///< without a snapshot: worth a line

LogLine to_line(Record const& record) {
  LogLine line(record.event);
  for (auto const& [key, value] : record.data.items())
    if (value.is_string())
      line.kv(key, value.get_ref<std::string const&>());
    else
      line.kv(key, value.dump());
  return line;
}

}  // namespace

Daemon::Daemon(asio::io_context& io, Config const& config, Clock const& clock,
               Outside outside)
    : io_(io),
      clock_(clock),
      brain_(config, proto::make_nonce),
      control_(std::move(outside.control)),
      worker_(io),
      ender_(worker_, control_,
             [this](std::size_t leases, Result<void> const& done) {
               leases_ended(leases, done);
             }),
      timer_(io),
      rest_(io),
      source_(std::move(outside.source)) {}

Result<std::unique_ptr<Daemon>> Daemon::start(asio::io_context& io,
                                              Config const& config,
                                              Clock const& clock,
                                              Outside outside) {
  std::unique_ptr<Daemon> daemon(
      new Daemon(io, config, clock, std::move(outside)));
  if (auto done = daemon->open(config); !done) return done.error();
  daemon->record({"started",
                  {{"mode", daemon->brain_.orders().mode()},
                   {"drained", daemon->brain_.orders().drained()},
                   {"policy", config.policy},
                   {"scavenger", config.scavenger},
                   {"port", daemon->port()}}});
  daemon->arm();
  return daemon;
}

Result<void> Daemon::open(Config const& config) {
  auto key = proto::load_ticket_key(config.state_dir + "/ticket.key",
                                    proto::KeyFile::create);
  if (!key) return key.error();
  ticket_key_ = *key;
  auto orders = load_orders(config.state_dir);
  if (!orders) return orders.error();
  brain_.set_orders(std::move(*orders));
  auto journal =
      Journal::open(config.state_dir + "/journal.sqlite",
                    {config.journal_days_max, config.journal_mb_max});
  if (!journal) return journal.error();
  journal_ = std::move(*journal);
  load_profiles(config);
  auto clients = ClientDoor::open(io_, config, clock_, client_handlers());
  if (!clients) return clients.error();
  clients_ = std::move(*clients);
  auto plugins = PluginDoor::open(io_, config, clock_, plugin_handlers());
  if (!plugins) return plugins.error();
  plugins_ = std::move(*plugins);
  setup_ = std::make_unique<SetupWatch>(
      io_, worker_, clock_, control_, [this](bool possible, auto& setup) {
        lease_nodes_ = setup.nodes;
        default_partition_ = setup.default_partition;
        brain_.set_lending(possible);
        brain_.set_preempt_again(setup.preempt_again_s);
        brain_.set_bf_interval(setup.bf_interval_s);
        brain_.set_memory(setup.counts_memory ? JobMemory::counted
                                              : JobMemory::ignored);
        decide();
      });
  setup_->start(config);
  if (config.scavenger == Config::Scavenger::poll) {
    poller_ = std::make_unique<Poller>(
        io_, worker_, clock_, std::move(source_),
        [this](Snapshot snapshot) { on_snapshot(std::move(snapshot)); });
    poller_->start(config);
  }
  free_nodes_ = std::make_unique<FreeNodesFile>(config.run_dir);
  silent_since_s_ = clock_.wall_s();
  return {};
}

/// Without a store gleanerd learns as well, and forgets it with its end.
void Daemon::load_profiles(Config const& config) {
  auto store = ProfileStore::open(config.state_dir + "/profiles.sqlite");
  auto loaded =
      store ? (*store)->load() : Result<ProfileStore::Loaded>(store.error());
  if (!loaded) {
    log_to_stderr(
        LogLevel::error,
        LogLine("profiles_not_loaded").kv("why", loaded.error().message));
    return;
  }
  if (loaded->unreadable > 0)
    log_to_stderr(
        LogLevel::warn,
        LogLine("profiles_unreadable").kv("rows", loaded->unreadable));
  brain_.load_profiles(std::move(loaded->rows));
  profiles_ = std::move(*store);
}

PluginDoor::Handlers Daemon::plugin_handlers() {
  return {[this](Snapshot snapshot) {
            // With `poll` the plugin may still be loaded; one source is enough.
            if (!poller_) on_snapshot(std::move(snapshot));
          },
          [this](slurm::ScanPacer::Cause cause) {
            if (poller_)
              poller_->hint(cause);
            else
              look_again();
          },
          [this](std::optional<msg::PluginHello> const& hello) {
            brain_.set_looks_at_queue(hello && hello->looks_at_queue);
            // slurmctld has (re)started, or is going: its setup may differ.
            if (setup_) setup_->check_soon();
          }};
}

ClientDoor::Handlers Daemon::client_handlers() {
  return {[this](LinkId link, Uid uid, msg::FromCoordinator const& message) {
            brain_.on_coordinator(link, uid, message, clock_.wall_s());
            // What was measured has time until the next decision.
            if (!std::holds_alternative<msg::Progress>(message) &&
                !std::holds_alternative<msg::Pace>(message))
              decide_soon();
          },
          [this](LinkId link) {
            brain_.on_link_lost(link, clock_.wall_s());
            decide_soon();
          },
          [this] {
            look_for_status();
            return make_status(brain_, clock_.wall_s());
          },
          [this](msg::ProfileRequest const& request) {
            return make_profile(brain_, request.job);
          },
          [this](Uid uid, msg::AdminRequest const& request) {
            return on_order(uid, request);
          }};
}

/// Orders count at once, even if they cannot be saved: a full disk must not
/// keep nodes lent.
msg::AdminReply Daemon::on_order(Uid uid, msg::AdminRequest const& request) {
  msg::AdminReply reply;
  auto orders = brain_.orders();
  if (uid != 0 && uid != ::geteuid()) {
    reply.why = "only root and SlurmUser may give orders";
  } else if (auto done = orders.apply(request, lease_nodes_); !done) {
    reply.why = done.error().message;
  } else {
    reply.done = true;
    if (auto saved = save_orders(brain_.config().state_dir, orders); !saved)
      reply.why = "in force, but a restart of gleanerd will forget it: " +
                  saved.error().message;
    record(
        {"order",
         {{"action", request.action}, {"nodes", request.nodes}, {"uid", uid}}});
    brain_.set_orders(std::move(orders));
    decide();
  }
  reply.mode = brain_.orders().mode();
  reply.drained = brain_.orders().drained();
  for (auto const& [nonce, lease] : brain_.leases().all())
    if (!brain_.orders().lends() || brain_.orders().is_drained(lease.node))
      reply.returning.push_back(lease.node);
  return reply;
}

void Daemon::on_snapshot(Snapshot snapshot) {
  auto const now = clock_.wall_s();
  silent_since_s_ = now;
  brain_.on_snapshot(std::move(snapshot), now);
  decide();
}

/// A machine on which nobody trains is seldom looked at, but who asks for its
/// status means now: one of the next answers has it.
void Daemon::look_for_status() {
  auto const now_s = clock_.monotonic_s();
  if (brain_.is_in_use() || now_s < status_look_s_ + status_look_gap_s) return;
  status_look_s_ = now_s;
  look_again();
}

void Daemon::look_again() {
  if (poller_)
    poller_->look_again();
  else
    plugins_->look_again();
}

/// Users cause this as often as they like.  What decisions took lately is what
/// is left to everything else first, four times over.
void Daemon::decide_soon() {
  if (clock_.monotonic_s() >= rested_s_) return decide();
  if (std::exchange(deciding_soon_, true)) return;
  rest_.expires_after(
      std::chrono::duration_cast<std::chrono::steady_clock::duration>(
          std::chrono::duration<double>(rested_s_ - clock_.monotonic_s())));
  rest_.async_wait([this](asio::error_code error) {
    deciding_soon_ = false;
    if (!error) decide();
  });
}

void Daemon::decide() {
  auto const began_s = clock_.monotonic_s();
  for (auto const& action : brain_.decide(clock_.wall_s()))
    std::visit([this](auto const& a) { act(a); }, action);
  ender_.flush();
  publish_free_nodes();
  arm();
  auto const now_s = clock_.monotonic_s();
  rested_s_ = now_s + std::min(rest_s_max, rest_factor * (now_s - began_s));
}

/// So that jobs which cannot start without leased nodes wait for trainings to
/// leave.
void Daemon::publish_free_nodes() {
  FreeNodes free;
  auto const now = clock_.wall_s();
  if (auto const notice_s = brain_.notice_s(); notice_s > 0) {
    free =
        count_free(brain_.snapshot(), brain_.leases(), default_partition_, 0);
    free.notice_s = notice_s;
  }
  if (auto done = free_nodes_->publish(std::move(free), now); !done)
    throttle_.log(LogLevel::warn, "free_nodes",
                  LogLine("free_nodes_failed").kv("why", done.error().message),
                  clock_.monotonic_s());
}

void Daemon::arm() {
  auto const now = clock_.wall_s();
  timer_.expires_after(
      std::chrono::duration_cast<std::chrono::steady_clock::duration>(
          std::chrono::duration<double>(brain_.next_s(now) - now)));
  timer_.async_wait([this](asio::error_code error) {
    if (error) return;
    auto const silent_s = clock_.wall_s() - silent_since_s_;
    if (silent_s > std::max(silence_s, brain_.snapshot_age_s_max() - 5))
      throttle_.log(LogLevel::warn, "silence",
                    LogLine("no_snapshot")
                        .kv("for_s", silent_s)
                        .kv("scavenger", to_string(brain_.config().scavenger)),
                    clock_.monotonic_s());
    decide();
  });
}

void Daemon::act(Offer const& offer) {
  clients_->send(
      offer.link,
      msg::Grant{offer.ticket.node,
                 proto::sign_ticket(offer.ticket, ticket_key_),
                 offer.ticket.minutes, offer.until_s, offer.ticket.part});
}

void Daemon::act(Tell const& tell) { clients_->send(tell.link, tell.message); }

void Daemon::act(CloseLink const& close) { clients_->close(close.link); }

void Daemon::act(EndLease const& end) { ender_.add(end.job); }

/// When this fails the brain asks again: they are still in snapshots.
void Daemon::leases_ended(std::size_t leases, Result<void> const& done) {
  if (done) return look_again();
  throttle_.log(LogLevel::error, "end_leases",
                LogLine("lease_end_failed")
                    .kv("leases", leases)
                    .kv("why", done.error().message),
                clock_.monotonic_s());
}

void Daemon::act(ExtendLease const& extend) {
  worker_.submit(SlurmWorker::Urgency::in_turn,
                 [this, control = control_, extend]() -> SlurmWorker::Then {
                   auto const done =
                       control->set_time_limit(extend.job, extend.minutes);
                   if (done) return nullptr;
                   return [this, done, extend] {
                     throttle_.log(LogLevel::warn, "extend",
                                   LogLine("lease_extend_failed")
                                       .kv("job", extend.job)
                                       .kv("why", done.error().message),
                                   clock_.monotonic_s());
                   };
                 });
}

/// If this fails the job begins when its time comes.
void Daemon::act(BeginJob const& begin) {
  worker_.submit(SlurmWorker::Urgency::now,
                 [this, control = control_, begin]() -> SlurmWorker::Then {
                   auto const done = control->begin_now(begin.job);
                   return [this, done, begin] {
                     if (done) return plugins_->look_at_queue();
                     throttle_.log(LogLevel::warn, "begin",
                                   LogLine("job_begin_failed")
                                       .kv("job", begin.job)
                                       .kv("why", done.error().message),
                                   clock_.monotonic_s());
                   };
                 });
}

void Daemon::act(LookAtQueue const&) { plugins_->look_at_queue(); }

void Daemon::act(LookAgain const&) { look_again(); }

void Daemon::act(Record const& record) { this->record(record); }

void Daemon::act(SaveProblem const& solved) {
  auto const& config = brain_.config();
  nlohmann::ordered_json const line{
      {"t_s", clock_.wall_s()},
      {"policy", solved.policy},
      {"problem", alloc::problem_to_json(solved.problem)},
      {"plan", alloc::plan_to_json(solved.problem, solved.plan)}};
  ProblemLog const log(config.problem_log,
                       static_cast<std::uint64_t>(config.problem_log_mb_max)
                           << 20);
  auto const done = log.add(
      line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  if (!done)
    throttle_.log(LogLevel::error, "problem_log",
                  LogLine("problem_log_failed").kv("why", done.error().message),
                  clock_.monotonic_s());
}

void Daemon::act(KeepProfiles const& keep) {
  if (!profiles_) return;
  if (auto done = profiles_->save(keep.rows); !done)
    throttle_.log(LogLevel::error, "profiles",
                  LogLine("profiles_not_kept").kv("why", done.error().message),
                  clock_.monotonic_s());
}

void Daemon::record(Record const& record) {
  if (record.keep == Record::Keep::log)
    return throttle_.log(LogLevel::warn, record.event, to_line(record),
                         clock_.monotonic_s());
  log_to_stderr(LogLevel::info, to_line(record));
  auto const text = record.data.dump(-1, ' ', false,
                                     nlohmann::json::error_handler_t::replace);
  if (auto done = journal_->add(clock_.wall_s(), record.event, text); !done)
    throttle_.log(LogLevel::error, "journal",
                  LogLine("journal_failed").kv("why", done.error().message),
                  clock_.monotonic_s());
}

void Daemon::reconfigure(Config const& config) {
  auto merged = config;
  auto const& now = brain_.config();
  // What is bound or open stays until a restart.
  merged.run_dir = now.run_dir;
  merged.state_dir = now.state_dir;
  merged.listen = now.listen;
  merged.munge_socket = now.munge_socket;
  merged.slurm_user = now.slurm_user;
  merged.scavenger = now.scavenger;
  set_log_level(log_level(merged.log_level));
  brain_.configure(merged);
  journal_->set_bounds({merged.journal_days_max, merged.journal_mb_max});
  setup_->start(merged);
  if (poller_) poller_->start(merged);
  record({"reconfigured",
          {{"mode", brain_.orders().mode()},
           {"drained", brain_.orders().drained()},
           {"policy", merged.policy}}});
  decide();
}

bool Daemon::stop() {
  record({"stopped", {{"leases", brain_.leases().all().size()}}});
  timer_.cancel();
  rest_.cancel();
  bool const munge_ended = clients_->stop(stop_wait_s);
  return worker_.stop(stop_wait_s) && munge_ended;
}

}  // namespace gleaner::daemon
