// SPDX-License-Identifier: Apache-2.0
/// One trainer as a whole: connections, timers, signals, its end.
#include "runtime/coordinator/coordinator.hh"

#include <signal.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <utility>

#include "core/importance.hh"
#include "core/log.hh"
#include "core/slurm_user.hh"
#include "proto/secret.hh"
#include "proto/wrapped_secret.hh"
#include "runtime/coordinator/daemon_link.hh"
#include "runtime/coordinator/listening.hh"
#include "runtime/coordinator/local_nodes.hh"

namespace gleaner::coordinator {
namespace {

constexpr double tick_s = 0.02;
constexpr double progress_s = 1;
/// From the decision to end until what is left is killed.
constexpr double end_time_s = 1;
/// Slurm signals a whole job, and what started us may hand its own signal on:
/// that is one request.
constexpr double same_signal_s = 2;
/// For the last checkpoint to become the latest; less than Slurm's KillWait.
constexpr double pointer_time_s = 20;
constexpr std::size_t secret_bytes = 32;

}  // namespace

Result<std::unique_ptr<Coordinator>> Coordinator::make(
    CoordinatorOptions options) {
  static SystemClock const clock;
  auto events = EventLog::open(options.dir, clock, options.events_bytes_max);
  if (!events) return events.error();
  std::error_code error;
  std::filesystem::create_directories(options.dir + "/checkpoints", error);
  if (error)
    return Error{Errc::io, "cannot make " + options.dir + "/checkpoints (" +
                               error.message() + ")"};
  std::unique_ptr<Coordinator> coordinator(
      new Coordinator(std::move(options), std::move(*events)));
  if (auto done = coordinator->listen(); !done) return done.error();
  if (auto done = coordinator->make_source(); !done) return done.error();
  return coordinator;
}

Coordinator::Coordinator(CoordinatorOptions options, EventLog events)
    : options_(std::move(options)),
      events_(std::move(events)),
      pointer_(options_.dir,
               [](std::string const& why) {
                 log_to_stderr(LogLevel::error,
                               LogLine("latest_not_moved").kv("why", why));
               }),
      signals_(io_, SIGTERM, SIGINT, SIGHUP),
      importance_(options_.importance),
      pace_(options_.argv) {
  signals_.add(SIGUSR2);
}

Coordinator::~Coordinator() = default;

Result<void> Coordinator::listen() {
  auto listener = listen_where_nodes_call(
      io_, {options_.address, options_.listen, options_.address_chosen},
      [this](auto channel) { on_connection(std::move(channel)); });
  if (!listener) return listener.error();
  listener_ = std::move(*listener);
  LeaseLauncher::Options launch;
  launch.via = options_.local_nodes >= 0 ? LeaseLauncher::Via::here
                                         : LeaseLauncher::Via::srun;
  launch.agent = options_.agent;
  launch.environment = {
      "GLEANER_OUTPUT=" + options_.output, "GLEANER_ERROR=" + options_.errors,
      options_.labels ? "GLEANER_LABEL=1" : "GLEANER_LABEL=0"};
  launch.coordinator = host_and_port(options_.address, listener_->port());
  auto const secret = options_.secret.empty() ? proto::random_hex(secret_bytes)
                                              : options_.secret;
  launch.secret = [secret] { return Result<std::string>(secret); };
  if (launch.via == LeaseLauncher::Via::srun) {
    launch.munge_socket = options_.config.munge_socket;
    launch.secret = [secret, socket = launch.munge_socket] {
      return proto::wrap_secret(socket, secret);
    };
  }
  launch.cwd = options_.cwd;
  door_.emplace(secret, proto::SecretDoor::Limits{},
                [this](std::string const& peer, Error const& why) {
                  connection_refused(peer, why);
                });
  launcher_.emplace(io_, std::move(launch),
                    [this](auto const& node, int code, auto const& why) {
                      on_lease_end(node, code, why);
                    });
  return {};
}

Result<void> Coordinator::make_source() {
  auto const on_message = [this](msg::ToCoordinator const& message) {
    on_source(message);
  };
  if (options_.local_nodes >= 0) {
    auto local = LocalNodes::make(io_, options_.dir, options_.local_nodes,
                                  options_.nodes_min, on_message);
    if (!local) return local.error();
    source_ = std::move(*local);
    return {};
  }
  source_ = std::make_unique<DaemonLink>(
      io_,
      DaemonLink::Options{options_.config.address, options_.config.munge_socket,
                          gleanerd_uids(options_.config)},
      [this] { return registration(); }, on_message);
  return {};
}

int Coordinator::run() {
  events_.write("start", {{"job", options_.job}, {"argv", options_.argv}});
  on_signal();
  source_->start();
  every(tick_s, std::make_shared<asio::steady_timer>(io_), [this] {
    if (membership_) carry_out(membership_->tick(now()));
    settle_departures();
    check_nodes();
    check_end();
  });
  every(heartbeat_s(), std::make_shared<asio::steady_timer>(io_),
        [this] { beat(); });
  every(progress_s, std::make_shared<asio::steady_timer>(io_),
        [this] { report_progress(); });
  io_.run();
  launcher_.reset();  // ends and reaps what is left
  if (!checkpoint_prefix_.empty())
    pointer_.remove_unfinished(checkpoint_prefix_);
  if (!pointer_.wait(pointer_time_s))
    log_to_stderr(LogLevel::error,
                  LogLine("latest_not_moved")
                      .kv("why", "the disk of " + options_.dir +
                                     " stands still; a later run may "
                                     "start from an earlier checkpoint"));
  source_->close();
  io_.restart();
  io_.run_for(std::chrono::milliseconds(200));  // the last messages go out
  return code_.value_or(1);
}

/// What connects must know the secret; then it is an agent or a member.
void Coordinator::on_connection(std::shared_ptr<proto::Channel> channel) {
  // Set once the role is known; before that a close needs no answer.
  auto const on_close = std::make_shared<proto::Channel::OnClose>();
  door_->knock(
      channel,
      [on_close](Error const& error) {
        if (*on_close) (*on_close)(error);
      },
      [this, channel, on_close](proto::PeerRole const& peer) {
        channel->set_silence_limit(options_.failure_timeout_s);
        if (peer.role == "agent") {
          *on_close = [this, node = peer.id](Error const& error) {
            auto const found = nodes_.find(node);
            if (found == nodes_.end()) return;
            found->second.agent = nullptr;
            if (!found->second.life.is_ending()) {
              if (!departures_.is_out(node))
                found->second.cause = "agent lost: " + error.message;
              end_node(node);
            }
          };
          return on_agent(peer.id, channel);
        }
        msg::MemberId id = 0;
        std::from_chars(peer.id.data(), peer.id.data() + peer.id.size(), id);
        *on_close = [this, id](Error const& error) {
          member_gone(id, "connection lost: " + error.message);
        };
        on_member(id, channel);
      });
}

/// Strangers must not be able to fill the job's output.
void Coordinator::connection_refused(std::string const& peer,
                                     Error const& why) {
  throttle_.log(
      LogLevel::warn, std::to_string(int(why.code)),
      LogLine("connection_refused").kv("peer", peer).kv("why", why.message),
      now());
}

void Coordinator::on_signal() {
  signals_.async_wait([this](asio::error_code error, int number) {
    if (error) return;
    log_to_stderr(LogLevel::info, LogLine("signal").kv("number", number));
    stop(number);
    on_signal();
  });
}

/// End at a boundary that all members agree on, with a checkpoint, which is
/// what scancel, a time limit and a campaign that ends want; SIGUSR2: without
/// one. A second signal, or nobody who trains: at once.
void Coordinator::stop(int signal) {
  constexpr int code_of_signals = 128;
  auto const code = code_of_signals + signal;
  if (stop_code_ && now() < stopped_s_ + same_signal_s) return;
  if (stop_code_ || finished_ || !membership_ ||
      membership_->summary().state == generation::membership::State::waiting)
    return end(code);
  stop_code_ = code;
  stopped_s_ = now();
  stop_deadline_s_ = now() + options_.stop_timeout_s;
  bool const keeps_state = signal != SIGUSR2;
  if (!keeps_state) membership_->drop_state();
  events_.write("stop", {{"signal", signal}, {"checkpoint", keeps_state}});
  msg::GiveBack all;
  for (auto const& [name, node] : nodes_) all.nodes.push_back(name);
  all.deadline_s = clock_.wall_s() + options_.stop_timeout_s;
  all.cause = "stopped";
  all.hold = false;
  on_give_back(all);
}

void Coordinator::every(double seconds,
                        std::shared_ptr<asio::steady_timer> timer,
                        std::function<void()> what) {
  timer->expires_after(
      std::chrono::duration_cast<std::chrono::steady_clock::duration>(
          std::chrono::duration<double>(seconds)));
  timer->async_wait(
      [this, seconds, timer, what = std::move(what)](asio::error_code error) {
        if (error) return;
        what();
        every(seconds, timer, what);
      });
}

void Coordinator::beat() {
  auto const to_agent =
      proto::json_text(to_json(msg::ToAgent(msg::Heartbeat{})));
  for (auto const& [name, node] : nodes_)
    if (node.agent) node.agent->send_text(to_agent);
  auto const to_member =
      proto::json_text(to_json(msg::ToMember(msg::Heartbeat{})));
  for (auto const& [id, member] : members_)
    if (member.channel) member.channel->send_text(to_member);
}

void Coordinator::report_progress() {
  if (!membership_) return;
  if (importance_ != importance_told_) {
    source_->send(importance_);
    importance_told_ = importance_;
  }
  source_->send(progress_.report(now(), membership_->summary()));
  if (auto const pace = pace_.pace()) source_->send(*pace);
}

/// A member said so.  gleanerd hears of it with the next report: programs may
/// say it in each step.
void Coordinator::set_weight(double weight) {
  weight = clamped_weight(weight);
  if (importance_.weight == weight) return;
  importance_.weight = weight;
  events_.write("weight", {{"weight", weight}});
  log_to_stderr(LogLevel::info,
                LogLine("weight").kv("weight", weight_text(weight)));
}

msg::Register Coordinator::registration() {
  msg::Register message;
  message.job = options_.job;
  message.importance = importance_told_ = importance_;
  for (auto const& [name, node] : nodes_)
    if (node.lease_job) message.leases.push_back({name, node.lease_job});
  return message;
}

/// Begin to end: all agents exit at once and take their members along.
void Coordinator::end(int code) {
  if (code_) return;
  code_ = code;
  ending_since_s_ = now();
  if (membership_) carry_out(membership_->last_values());
  std::vector<std::string> names;
  for (auto const& [name, node] : nodes_) names.push_back(name);
  for (auto const& name : names) end_node(name);
  check_end();
}

void Coordinator::check_end() {
  if (finished_ && !code_ &&
      (members_.empty() ||
       now() - finished_since_s_ > options_.finish_timeout_s))
    end(program_code_);
  if (stop_code_ && !code_) {
    bool const is_out =
        members_.empty() || (membership_->summary().state ==
                                 generation::membership::State::waiting &&
                             now() > stop_deadline_s_);
    // Members that do not even answer a kill must not keep us.
    if (is_out || now() > stop_deadline_s_ + end_time_s) end(*stop_code_);
  }
  if (!code_) return;
  if (launcher_->empty() || now() - ending_since_s_ > end_time_s) io_.stop();
}

}  // namespace gleaner::coordinator
