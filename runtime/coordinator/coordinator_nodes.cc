// SPDX-License-Identifier: Apache-2.0
/// How a trainer's nodes come and go: grants, agents, give-backs.
#include <algorithm>
#include <cstdlib>
#include <utility>

#include "core/log.hh"
#include "runtime/coordinator/coordinator.hh"

namespace gleaner::coordinator {
namespace {

template <class... F>
struct Overloaded : F... {
  using F::operator()...;
};

}  // namespace

void Coordinator::on_source(msg::ToCoordinator const& message) {
  std::visit(Overloaded{
                 [this](msg::Registered const& m) { on_registered(m); },
                 [this](msg::Grant const& m) { on_grant(m); },
                 [this](msg::GiveBack const& m) { on_give_back(m); },
                 [this](msg::ReleaseNodes const& m) {
                   for (auto const& node : m.nodes) departures_.release(node);
                   settle_departures();
                 },
                 [this](msg::RegisterRefused const& m) {
                   log_to_stderr(LogLevel::error,
                                 LogLine("register_refused").kv("why", m.why));
                   if (!membership_) end(1);
                 },
             },
             message);
}

void Coordinator::on_registered(msg::Registered const& message) {
  launcher_->set_lease_options(message.lease_options);
  if (membership_) {  // gleanerd came back
    if (auto const nodes = departures_.vacated(); !nodes.empty())
      source_->send(msg::Vacated{nodes});
    return;
  }
  auto options =
      generation::membership::with_failure_timeout(options_.failure_timeout_s);
  options.nodes_min = message.nodes_min;
  checkpoint_prefix_ = checkpoint_prefix(options_.dir);
  options.checkpoint_prefix = checkpoint_prefix_;
  options.checkpoint_interval_s = options_.checkpoint_interval_s;
  options.follow = options_.follow;
  if (options_.connect_timeout_s > 0)
    options.connect_timeout_s = options_.connect_timeout_s;
  if (options_.load_timeout_s > 0)
    options.load_timeout_s = options_.load_timeout_s;
  if (options_.stuck_timeout_s > 0)
    options.stuck.timeout_s = options_.stuck_timeout_s;
  options.deterministic = options_.shards > 0;
  if (options_.resume) options.start_from = read_latest(options_.dir);
  membership_.emplace(options);
  events_.write("registered", {{"nodes_min", message.nodes_min},
                               {"nodes_max", message.nodes_max}});
  if (!options.start_from) return;
  // Steps beyond it that the log has from an earlier run are void.
  events_.write("rollback", {{"to_step", options.start_from->step},
                             {"samples_seen", options.start_from->samples_seen},
                             {"path", options.start_from->path}});
}

void Coordinator::on_grant(msg::Grant const& grant) {
  if (code_ || finished_ || stop_code_) return;
  auto const refuse = [&](std::string const& why) {
    source_->send(msg::LeaseFailed{grant.node, why});
  };
  if (!membership_) return refuse("not registered");
  if (nodes_.count(grant.node)) return refuse("its last lease is still ending");
  if (auto const why = given_up_.find(grant.node); why != given_up_.end())
    return refuse(why->second);
  if (auto started = launcher_->start(grant); !started) {
    log_to_stderr(LogLevel::error, LogLine("lease_not_asked_for")
                                       .kv("node", grant.node)
                                       .kv("why", started.error().message));
    return refuse(started.error().message);
  }
  nodes_.emplace(grant.node, NodePeer(now()));
}

void Coordinator::on_give_back(msg::GiveBack const& order) {
  auto const deadline = now() + (order.deadline_s - clock_.wall_s());
  for (auto const& name : order.nodes) leave(name, deadline, order);
  settle_departures();
}

void Coordinator::leave(std::string const& name, double deadline,
                        msg::GiveBack const& order) {
  auto const found = nodes_.find(name);
  if (found == nodes_.end() || found->second.life.is_ending()) return;
  found->second.cause = order.cause;
  departures_.ask(name, deadline,
                  order.hold ? Departures::Release::together
                             : Departures::Release::at_once);
  if (found->second.life.is_asked()) {
    // Slurm may have started the lease already, so its end counts like that
    // of any other.
    departures_.set_out(now(), name);
    departures_.set_empty(name);
    return;
  }
  found->second.life.leave();
  carry_out(membership_->leave_node(now(), name, deadline, order.cause));
}

/// Say which nodes are vacated, and end those that may.
void Coordinator::settle_departures() {
  if (departures_.empty()) return;
  auto const is_out = [this](msg::MemberId id) {
    auto const member = members_.find(id);
    return member == members_.end() || member->second.is_out;
  };
  for (auto const& [name, node] : nodes_)
    if (node.life.is_leaving() &&
        std::all_of(node.members.begin(), node.members.end(), is_out))
      departures_.set_out(now(), name);
  if (auto nodes = departures_.newly_vacated(); !nodes.empty())
    source_->send(msg::Vacated{std::move(nodes)});
  for (auto const& name : departures_.due(now()))
    if (nodes_.count(name)) end_node(name);
}

void Coordinator::on_agent(std::string const& name,
                           std::shared_ptr<proto::Channel> channel) {
  auto const found = nodes_.find(name);
  if (found == nodes_.end() || !found->second.life.is_asked() ||
      found->second.agent) {
    channel->send(to_json(
        msg::ToAgent(msg::Refused{"node " + name + " is not expected"})));
    return channel->close();
  }
  found->second.agent = channel;
  channel->on_message(
      [this, name](auto const& json) { on_agent_message(name, json); });
}

void Coordinator::on_agent_message(std::string const& name,
                                   nlohmann::json const& json) {
  auto const message = msg::parse_from_agent(json);
  if (!message) {
    log_to_stderr(LogLevel::error, LogLine("agent_message_unreadable")
                                       .kv("node", name)
                                       .kv("why", message.error().message));
    nodes_.at(name).cause = "agent not understood";
    return end_node(name);
  }
  if (auto const* hello = std::get_if<msg::AgentHello>(&*message))
    on_agent_hello(name, *hello);
  else if (auto const* started = std::get_if<msg::MemberStarted>(&*message))
    events_.write("member_started", {{"member", started->member},
                                     {"node", name},
                                     {"pid", started->pid},
                                     {"bound", started->bound}});
  else if (auto const* exited = std::get_if<msg::MemberExited>(&*message))
    on_member_exit(*exited);
}

void Coordinator::on_agent_hello(std::string const& name,
                                 msg::AgentHello const& hello) {
  auto& node = nodes_.at(name);
  if (!node.life.is_asked()) return;
  auto const took_s = node.life.came_up(now());
  node.lease_job = hello.lease_job;
  source_->send(msg::LeaseStarted{name, hello.lease_job, took_s});
  if (departures_.is_out(name)) {  // asked back while it started
    node.life.leave();
    return;
  }
  events_.write(
      "node_joined",
      {{"node", name}, {"lease_job", hello.lease_job}, {"took_s", took_s}});
  start_members(name, options_.members_per_node > 0 ? options_.members_per_node
                                                    : std::max(1, hello.gpus));
}

void Coordinator::start_members(std::string const& name, int count) {
  auto& node = nodes_.at(name);
  if (!node.agent) return;
  node.replacements.started(now());
  msg::StartMembers order;
  for (int i = 0; i < count; ++i) {
    order.members.push_back(++last_member_);
    node.members.insert(last_member_);
    members_[last_member_].node = name;
  }
  order.argv = options_.argv;
  order.env = member_environment();
  order.cwd = options_.cwd;
  order.heartbeat_s = heartbeat_s();
  order.failure_timeout_s = options_.failure_timeout_s;
  node.agent->send(to_json(msg::ToAgent(order)));
  carry_out(membership_->add_members(now(), name, order.members));
}

std::vector<std::string> Coordinator::member_environment() const {
  std::vector<std::string> environment{"GLEANER_ON_LOSS=" + options_.on_loss};
  if (options_.comm != "auto")
    environment.push_back("GLEANER_COMM=" + options_.comm);
  if (options_.shards == 0) return environment;
  environment.push_back("GLEANER_DETERMINISTIC=" +
                        std::to_string(options_.shards));
  // Another number of threads adds up in another order: the same everywhere,
  // whatever a node's share of processors is.
  char const* threads = std::getenv("OMP_NUM_THREADS");
  environment.push_back(std::string("OMP_NUM_THREADS=") +
                        (threads ? threads : "1"));
  return environment;
}

/// The agent exits, and srun with it; check_nodes() sees to it.
void Coordinator::end_node(std::string const& name) {
  auto& node = nodes_.at(name);
  if (node.life.is_ending()) return;
  bool const asked = node.life.is_asked();
  node.life.end(now());
  if (node.agent && !asked)
    node.agent->send(to_json(msg::ToAgent(msg::AgentExit{})));
  else
    launcher_->end(name);
}

void Coordinator::on_lease_end(std::string const& name, int code,
                               std::string const& why) {
  auto const found = nodes_.find(name);
  if (found == nodes_.end()) return;
  auto node = std::move(found->second);
  nodes_.erase(found);
  if (node.agent) node.agent->close();
  if (node.life.is_asked()) {  // it never came up
    source_->send(msg::LeaseFailed{
        name, why.empty() ? "srun ended with " + std::to_string(code) : why});
  } else {
    bool const asked_for =
        (node.life.is_ending() && node.agent) || departures_.is_out(name);
    std::string const cause = finished_ || code_ ? "finished"
                              : asked_for        ? "released"
                                                 : "lost";
    source_->send(msg::LeaseEnded{name, node.lease_job, cause});
    if (node.cause.empty())
      node.cause = cause == "lost" && !why.empty() ? why : cause;
    events_.write(
        "node_left",
        {{"node", name}, {"lease_job", node.lease_job}, {"cause", node.cause}});
  }
  departures_.forget(name);
  for (auto const id : node.members)
    if (auto const member = members_.find(id); member != members_.end()) {
      if (member->second.channel) member->second.channel->close();
      members_.erase(member);
    }
  if (membership_)
    carry_out(membership_->node_gone(
        now(), name, node.cause.empty() ? "node lost" : node.cause));
  check_end();
}

void Coordinator::check_nodes() {
  std::vector<std::string> late;
  std::map<std::string, int> restart;
  for (auto& [name, node] : nodes_) {
    if (int const count = node.replacements.take_due(now()))
      restart[name] = count;
    if (node.life.is_late(now())) late.push_back(name);
    if (node.life.is_overdue(now())) {
      launcher_->end(name);
      node.life.end(now());
    }
  }
  for (auto const& [name, count] : restart)
    if (nodes_.at(name).life.is_up() && !finished_ && !code_)
      start_members(name, count);
  for (auto const& name : late) {
    nodes_.at(name).cause = "no agent in time";
    end_node(name);
  }
}

}  // namespace gleaner::coordinator
