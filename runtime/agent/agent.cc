// SPDX-License-Identifier: Apache-2.0
/// One leased node's share of a training: start members, watch them, end them.
#include "runtime/agent/agent.hh"

#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string_view>
#include <thread>

#include "core/log.hh"
#include "core/output_pattern.hh"
#include "proto/secret_door.hh"
#include "runtime/agent/gpu_place.hh"
#include "runtime/agent/gpu_share.hh"
#include "runtime/os/cpu_list.hh"
#include "runtime/os/handed_secret.hh"
#include "runtime/os/owned_directory.hh"

namespace gleaner::agent {
namespace {

constexpr double connect_timeout_s = 5;
constexpr int connect_attempts = 3;
constexpr std::chrono::milliseconds connect_pause{200};
/// No member has this number: they are counted from 1.
constexpr os::ChildProcesses::Key comm_host_key = 0;
/// Until StartMembers says what the training wants.
constexpr double first_silence_s = 30;

char const* environment(char const* name) {
  char const* value = std::getenv(name);
  return value ? value : "";
}

int usable_cpus() {
  cpu_set_t set;
  return ::sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

/// The number of CPUs of a part's lease; only Slurm knows which they are.  If
/// Slurm does not bind the agent, members must not use CPUs of other jobs: they
/// get no cores, and no more threads than CPUs.  0: Slurm binds the agent.
int unconfined_cpus(int part_cpus) {
  return part_cpus > 0 && usable_cpus() > part_cpus ? part_cpus : 0;
}

/// This process's environment, without the variables that each member gets.
std::vector<std::string> inherited_environment() {
  std::vector<std::string> env;
  for (char** entry = environ; *entry; ++entry) {
    std::string_view const text = *entry;
    if (text.rfind("GLEANER_MEMBER=", 0) == 0 ||
        text.rfind("GLEANER_NODE=", 0) == 0 ||
        text.rfind("GLEANER_SECRET_FD=", 0) == 0 ||
        text.rfind("GLEANER_COMM_HOST=", 0) == 0 ||
        text.rfind("GLEANER_OUTPUT=", 0) == 0 ||
        text.rfind("GLEANER_ERROR=", 0) == 0 ||
        text.rfind("GLEANER_LABEL=", 0) == 0 ||
        text.rfind("CUDA_VISIBLE_DEVICES=", 0) == 0)
      continue;
    env.emplace_back(text);
  }
  return env;
}

/// Whether members may use the plane "mpi".  Otherwise nothing is made for it
/// that an agent that is killed would leave behind.
bool may_need_comm_host(std::vector<std::string> const& environment) {
  std::string_view const name = "GLEANER_COMM=";
  std::string_view plane = "auto";
  for (std::string_view const entry : environment)
    if (entry.substr(0, name.size()) == name) plane = entry.substr(name.size());
  return plane == "mpi";
}

bool is_set(std::vector<std::string> const& env, std::string const& name) {
  return std::any_of(env.begin(), env.end(), [&](std::string const& entry) {
    return entry.rfind(name + "=", 0) == 0;
  });
}

/// Orphans were killed with their group; give the kernel a moment to hand them
/// to us, so that none is left for slurmstepd.
void await_orphans() {
  auto const end =
      std::chrono::steady_clock::now() + std::chrono::milliseconds(100);
  while (::waitpid(-1, nullptr, WNOHANG) >= 0 &&
         std::chrono::steady_clock::now() < end)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

}  // namespace

Result<AgentOptions> AgentOptions::from_environment() {
  AgentOptions options;
  options.coordinator = environment("GLEANER_COORDINATOR");
  options.node = environment("GLEANER_NODE");
  if (options.node.empty()) options.node = environment("SLURMD_NODENAME");
  options.gpus = environment("CUDA_VISIBLE_DEVICES");
  std::string_view const cpus = environment("GLEANER_PART_CPUS");
  std::from_chars(cpus.data(), cpus.data() + cpus.size(), options.part_cpus);
  std::string_view const job = environment("SLURM_JOB_ID");
  std::from_chars(job.data(), job.data() + job.size(), options.lease_job);
  options.output = environment("GLEANER_OUTPUT");
  options.errors = environment("GLEANER_ERROR");
  options.labels = std::string_view(environment("GLEANER_LABEL")) == "1";
  std::string const bind = environment("GLEANER_BIND");
  options.binds = bind != "none";
  if (!bind.empty() && bind != "none" && bind != "cores")
    return Error{Errc::invalid_argument,
                 "GLEANER_BIND is '" + bind + "', expected none or cores"};
  for (auto const& [name, value] :
       {std::pair("GLEANER_COORDINATOR", options.coordinator),
        std::pair("GLEANER_NODE", options.node)})
    if (value.empty())
      return Error{Errc::invalid_argument,
                   std::string(name) +
                       " is not set (the agent is started by gleaner run, not "
                       "by hand) [see gleaner(1)]"};
  return options;
}

Agent::Agent(AgentOptions options)
    : options_(std::move(options)),
      children_(io_, SIGCHLD),
      signals_(io_, SIGTERM, SIGINT, SIGHUP),
      heartbeat_(io_),
      retry_(io_),
      comm_host_(io_, members_, comm_host_key) {
  if (options_.labels) labelled_.emplace(io_, STDOUT_FILENO, STDERR_FILENO);
}

int Agent::run() {
  // Of an agent that was killed on this node before.
  os::OwnedDirectory::remove_abandoned();
  if (auto secret = os::secret_memory(options_.secret); !secret) {
    log_to_stderr(LogLevel::error,
                  LogLine("agent").kv("why", secret.error().message));
    return 1;
  } else {
    secret_ = std::move(*secret);
  }
  // What members leave behind comes to us, not to slurmstepd, which looks for
  // it only now and then and keeps the lease for seconds.
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  on_child();
  on_signal();
  connect(connect_attempts - 1);
  io_.run();
  members_.end_all();
  await_orphans();
  if (labelled_) labelled_->finish();
  return code_;
}

void Agent::connect(int attempts_left) {
  proto::secret_connect(
      io_, options_.coordinator, options_.secret, {"agent", options_.node},
      connect_timeout_s,
      [this](Error const& error) {
        log_to_stderr(LogLevel::debug, LogLine("coordinator_lost")
                                           .kv("node", options_.node)
                                           .kv("why", error.message));
        end(1);
      },
      [this, attempts_left](auto channel) {
        connected(std::move(channel), attempts_left);
      });
}

void Agent::connected(Result<std::shared_ptr<proto::Channel>> channel,
                      int attempts_left) {
  bool const refused = !channel && channel.error().code == Errc::denied;
  if (!channel && !refused && attempts_left > 0) {
    retry_.expires_after(connect_pause);
    retry_.async_wait([this, attempts_left](asio::error_code error) {
      if (!error) connect(attempts_left - 1);
    });
    return;
  }
  if (!channel) {
    auto const& why = channel.error().message;
    log_to_stderr(LogLevel::error,
                  refused ? LogLine("coordinator_refused")
                                .kv("node", options_.node)
                                .kv("why", why)
                          : LogLine("coordinator_unreachable")
                                .kv("node", options_.node)
                                .kv("why", why + " [--address and --listen in "
                                                 "gleaner(1)]"));
    return end(1);
  }
  channel_ = *channel;
  greet();
}

void Agent::greet() {
  channel_->on_message(
      [this](nlohmann::json const& json) { on_message(json); });
  channel_->set_silence_limit(first_silence_s);
  msg::AgentHello hello;
  hello.node = options_.node;
  hello.lease_job = options_.lease_job;
  hello.gpus = static_cast<std::int32_t>(visible_gpus(options_.gpus).size());
  hello.cpus = usable_cpus();
  if (int const cpus = unconfined_cpus(options_.part_cpus)) hello.cpus = cpus;
  send(hello);
}

void Agent::on_message(nlohmann::json const& json) {
  auto const message = msg::parse_to_agent(json);
  if (!message) {
    log_to_stderr(LogLevel::error, LogLine("coordinator_message_unreadable")
                                       .kv("why", message.error().message));
    return end(1);
  }
  if (auto const* start = std::get_if<msg::StartMembers>(&*message)) {
    start_members(*start);
  } else if (auto const* kill = std::get_if<msg::KillMembers>(&*message)) {
    for (auto const member : kill->members) members_.signal(member, SIGKILL);
  } else if (std::holds_alternative<msg::AgentExit>(*message)) {
    end(0);
  } else if (auto const* refused = std::get_if<msg::Refused>(&*message)) {
    log_to_stderr(LogLevel::error, LogLine("coordinator_refused")
                                       .kv("node", options_.node)
                                       .kv("why", refused->why));
    end(1);
  }
}

void Agent::start_members(msg::StartMembers const& order) {
  channel_->set_silence_limit(order.failure_timeout_s);
  beat(order.heartbeat_s);
  // All places first: how a node is shared depends on how many share it.
  std::vector<std::size_t> places;
  for (auto const member : order.members)
    places.push_back(places_.take(member));
  auto const bound = bindings();
  for (std::size_t i = 0; i < places.size(); ++i)
    start_member(order, order.members[i], places[i], bound[places[i]]);
}

void Agent::start_member(msg::StartMembers const& order, msg::MemberId member,
                         std::size_t place, Binding const& bound) {
  auto const gpus = visible_gpus(options_.gpus);
  os::ChildCommand command{order.argv, inherited_environment(), order.cwd};
  command.cpus = bound.cpus;
  command.memory = bound.memory;
  command.env.insert(command.env.end(), order.env.begin(), order.env.end());
  command.env.push_back("GLEANER_MEMBER=" + std::to_string(member));
  command.env.push_back("GLEANER_NODE=" + options_.node);
  command.env.push_back("GLEANER_SECRET_FD=" + std::to_string(secret_.get()));
  command.kept_fd = secret_.get();
  if (!bound.cpus.empty()) command.env.push_back("GLEANER_CPUS=" + bound.cpus);
  if (may_need_comm_host(command.env))
    if (auto const path = comm_host_.socket_path(); !path.empty())
      command.env.push_back("GLEANER_COMM_HOST=" + path);
  if (!gpus.empty())
    command.env.push_back("CUDA_VISIBLE_DEVICES=" +
                          gpu_share(gpus, place, places_.count()));
  // NCCL would otherwise connect in the first sum, where everybody waits.  A
  // member cannot say so itself: it has threads by then that read variables.
  if (!is_set(command.env, "NCCL_RUNTIME_CONNECT"))
    command.env.push_back("NCCL_RUNTIME_CONNECT=0");
  if (bound.threads > 0 && !is_set(command.env, "OMP_NUM_THREADS"))
    command.env.push_back("OMP_NUM_THREADS=" + std::to_string(bound.threads));
  auto const pid = start_printing(member, command);
  if (!pid) {
    log_to_stderr(LogLevel::error, LogLine("member_not_started")
                                       .kv("node", options_.node)
                                       .kv("why", pid.error().message));
    places_.leave(member);
    send(msg::MemberExited{member, 127});
    return;
  }
  auto actual = bound;
  if (!bound.cpus.empty()) actual.cpus = os::affinity_of(*pid);
  send(msg::MemberStarted{member, *pid, actual.text()});
}

/// Into the files that the patterns name, or with labels, or as we do.
Result<pid_t> Agent::start_printing(msg::MemberId member,
                                    os::ChildCommand& command) {
  std::map<char, std::string> const known = {
      {'t', std::to_string(member)}, {'N', options_.node}, {'%', "%"}};
  command.stdout_path = fill_in_pattern(options_.output, known);
  command.stderr_path = fill_in_pattern(
      options_.errors.empty() ? options_.output : options_.errors, known);
  if (!labelled_) return members_.start(member, command);
  auto const pipes = labelled_->make(member);
  if (!pipes) return pipes.error();
  command.stdout_fd = pipes->out.get();
  command.stderr_fd = pipes->err.get();
  return members_.start(member, command);
}

/// For each place.  A node that cannot be looked at is no reason not to train
/// on it.
std::vector<Binding> Agent::bindings() const {
  std::vector<Binding> nobody(places_.count());
  if (int const cpus = unconfined_cpus(options_.part_cpus)) {
    auto const members = std::max(1, static_cast<int>(places_.count()));
    for (auto& binding : nobody) binding.threads = std::max(1, cpus / members);
    return nobody;
  }
  if (!options_.binds) return nobody;
  auto const machine = Machine::here();
  if (!machine) {
    log_to_stderr(LogLevel::debug, LogLine("members_not_bound")
                                       .kv("node", options_.node)
                                       .kv("why", machine.error().message));
    return nobody;
  }
  auto const gpus = visible_gpus(options_.gpus);
  auto const gpus_here = gpu_places();
  std::vector<std::string> near;
  for (std::size_t i = 0; i < places_.count(); ++i)
    near.push_back(cpus_near(gpus_here, gpu_share(gpus, i, places_.count())));
  return machine->share(near);
}

void Agent::on_child() {
  children_.async_wait([this](asio::error_code error, int) {
    if (error) return;
    members_.reap([this](msg::MemberId member, int code) {
      if (member == comm_host_key) return comm_host_.ended();
      places_.leave(member);
      send(msg::MemberExited{member, code});
    });
    members_.reap_orphans();
    on_child();
  });
}

void Agent::on_signal() {
  signals_.async_wait([this](asio::error_code error, int signal) {
    if (!error) end(128 + signal);
  });
}

void Agent::beat(double every_s) {
  if (every_s <= 0) return;
  heartbeat_.expires_after(
      std::chrono::duration_cast<std::chrono::steady_clock::duration>(
          std::chrono::duration<double>(every_s)));
  heartbeat_.async_wait([this, every_s](asio::error_code error) {
    if (error) return;
    send(msg::Heartbeat{});
    beat(every_s);
  });
}

void Agent::send(msg::FromAgent const& message) {
  if (channel_) channel_->send(to_json(message));
}

void Agent::end(int code) {
  code_ = code;
  if (channel_) channel_->close();
  io_.stop();
}

}  // namespace gleaner::agent
