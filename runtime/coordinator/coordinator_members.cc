// SPDX-License-Identifier: Apache-2.0
/// How a trainer's members come and go, and what Membership orders of us.
#include <algorithm>
#include <utility>

#include "core/log.hh"
#include "runtime/coordinator/coordinator.hh"

namespace gleaner {
namespace {

/// A program that fails on every node this often without a new step in between
/// does not work.
constexpr int failures_max = 4;

/// A node's first loss is made good at once; each further one waits twice as
/// long, unless the member before it lived this long.
constexpr double restart_pause_s = 0.25;
constexpr double restart_pause_s_max = 30;
constexpr double lived_long_s = 10;

/// What events.jsonl gets, as a line for people.
LogLine line_of(membership::Record const& record) {
  LogLine line(record.event);
  for (auto const& [key, value] : record.fields.items())
    line.kv(key, value.is_string() ? value.get<std::string>() : value.dump());
  return line;
}

}  // namespace

void Coordinator::on_member(msg::MemberId id,
                            std::shared_ptr<Channel> channel) {
  auto const found = members_.find(id);
  if (found == members_.end() || found->second.channel) {
    channel->send(to_json(msg::ToMember(
        msg::Refused{"member " + std::to_string(id) + " is not expected"})));
    return channel->close();
  }
  found->second.channel = channel;
  channel->on_message(
      [this, id](auto const& json) { on_member_message(id, json); });
}

void Coordinator::on_member_message(msg::MemberId id,
                                    nlohmann::json const& json) {
  auto const message = msg::parse_from_member(json);
  if (!message) {
    log_to_stderr(LogLevel::error, LogLine("member_message_unreadable")
                                       .kv("member", id)
                                       .kv("why", message.error().message));
    return carry_out(membership::Kill{id, message.error().message});
  }
  auto const found = members_.find(id);
  if (found == members_.end()) return;
  if (std::holds_alternative<msg::MemberHello>(*message))
    found->second.channel->send(to_json(msg::ToMember(
        msg::Welcome{id, heartbeat_s(), options_.failure_timeout_s})));
  pace_.take(id, *message);
  carry_out(membership_->on_message(now(), id, *message));
}

/// The agent says that a member's process ended.
void Coordinator::on_member_exit(msg::MemberExited const& exited) {
  auto const found = members_.find(exited.member);
  if (found == members_.end()) return;
  auto const name = found->second.node;
  auto const code = exited.code;
  bool const expected = found->second.may_end;
  auto const node = nodes_.find(name);
  bool const stays =
      node != nodes_.end() && node->second.state == NodeState::up;
  if (finished_ && !found->second.is_killed && program_code_ == 0)
    program_code_ = code;
  // Who is killed because its node is left says nothing about the program.
  if (!expected && stays && code != 0) ++failures_;
  if (found->second.channel) found->second.channel->close();
  members_.erase(found);
  if (node != nodes_.end()) node->second.members.erase(exited.member);
  carry_out(membership_->member_gone(
      now(), exited.member, "its process ended with " + std::to_string(code)));
  if (finished_ || code_) return check_end();
  auto const limit = failures_max * std::max<int>(1, int(nodes_.size()));
  if (failures_ >= limit)
    return program_failed(code, "it failed " + std::to_string(failures_) +
                                    " times without a new step");
  if (!stays) return;
  if (expected) {
    restart_later(name);
  } else if (code == 0) {
    // It returned from its loop although the training goes on.
    ended_by_itself_ = true;
    if (members_.empty()) program_failed(0, "the program ended by itself");
  } else if (!ended_by_itself_) {
    restart_later(name);
  }
}

/// Another member in place of one that was lost, on the same node.
void Coordinator::restart_later(std::string const& name) {
  auto& node = nodes_.at(name);
  ++node.to_restart;
  if (now() - node.last_start_s > lived_long_s) node.restart_pause_s = 0;
  node.restart_at_s = std::max(node.restart_at_s, now() + node.restart_pause_s);
  node.restart_pause_s = std::clamp(2 * node.restart_pause_s, restart_pause_s,
                                    restart_pause_s_max);
}

void Coordinator::member_gone(msg::MemberId id, std::string const& why) {
  auto const found = members_.find(id);
  if (found == members_.end() || !found->second.channel) return;
  found->second.channel = nullptr;
  // Told to leave or to finish, it closes its connection and ends in its time.
  if (found->second.may_end) return;
  // The process may still be there, frozen or cut off: it must not come back.
  if (auto const node = nodes_.find(found->second.node);
      node != nodes_.end() && node->second.agent)
    node->second.agent->send(to_json(msg::ToAgent(msg::KillMembers{{id}})));
  carry_out(membership_->member_gone(now(), id, why));
}

/// The training cannot go on: end with the program's code.
void Coordinator::program_failed(int code, std::string const& why) {
  events_.write("error", {{"what", why}, {"code", code}});
  log_to_stderr(code ? LogLevel::error : LogLevel::info,
                LogLine("program_ended").kv("code", code).kv("why", why));
  end(code);
}

void Coordinator::carry_out(Membership::Orders const& orders) {
  for (auto const& order : orders)
    std::visit([this](auto const& o) { carry_out(o); }, order);
  settle_departures();
}

void Coordinator::carry_out(membership::Send const& order) {
  auto const found = members_.find(order.member);
  if (found == members_.end()) return;
  if (std::holds_alternative<msg::Release>(*order.message) ||
      std::holds_alternative<msg::Finish>(*order.message))
    found->second.may_end = found->second.is_out = true;
  if (!found->second.channel) return;
  // A thousand members are told of a thousand: the text is made once.
  if (order.message != written_) {
    written_ = order.message;
    written_text_ = json_text(to_json(*written_));
  }
  found->second.channel->send_text(written_text_);
}

void Coordinator::carry_out(membership::Record const& order) {
  events_.write(order.event, order.fields);
  progress_.take(now(), order);
  pace_.take(order);
  if (order.event == "step") {
    // Steps that are done again after a rollback are no progress.
    auto const step = order.fields.at("step").get<msg::Step>();
    if (step > furthest_) failures_ = 0;
    furthest_ = std::max(furthest_, step);
  } else if (order.event == "resize") {
    msg::Resized resized;
    resized.generation = order.fields.at("generation");
    resized.kind = order.fields.at("kind");
    resized.from = order.fields.at("from");
    resized.to = order.fields.at("to");
    resized.prepare_s = order.fields.at("prepare_s");
    resized.stall_s = order.fields.at("stall_s");
    source_->send(resized);
  } else if (order.event != "log") {
    log_to_stderr(LogLevel::info, line_of(order));
  }
}

void Coordinator::carry_out(membership::Kill const& order) {
  auto const found = members_.find(order.member);
  if (found == members_.end()) return;
  found->second.is_out = found->second.is_killed = true;
  log_to_stderr(
      LogLevel::warn,
      LogLine("member_killed").kv("member", order.member).kv("why", order.why));
  if (auto const channel = std::exchange(found->second.channel, nullptr)) {
    channel->send(to_json(msg::ToMember(msg::Refused{order.why})));
    channel->close();
  }
  if (auto const node = nodes_.find(found->second.node);
      node != nodes_.end() && node->second.agent)
    node->second.agent->send(
        to_json(msg::ToAgent(msg::KillMembers{{order.member}})));
}

void Coordinator::carry_out(membership::NodeFree const& order) {
  departures_.set_empty(order.node);
}

void Coordinator::carry_out(membership::Register const& order) {
  pointer_.move_to(order);
}

void Coordinator::carry_out(membership::TrainingFinished const&) {
  finished_ = true;
  finished_since_s_ = now();
  source_->send(progress_.report(now(), membership_->summary()));
}

}  // namespace gleaner
