// SPDX-License-Identifier: Apache-2.0
/// How a trainer's members come and go, and what Membership orders of us.
#include <algorithm>
#include <utility>

#include "core/log.hh"
#include "runtime/coordinator/coordinator.hh"

namespace gleaner::coordinator {
namespace {

/// A program that fails on every node this often without a new step in between
/// does not work.
constexpr int failures_max = 4;

/// What events.jsonl gets, as a line for people.
LogLine line_of(generation::membership::Record const& record) {
  LogLine line(record.event);
  for (auto const& [key, value] : record.fields.items())
    line.kv(key, value.is_string() ? value.get<std::string>() : value.dump());
  return line;
}

}  // namespace

void Coordinator::on_member(msg::MemberId id,
                            std::shared_ptr<proto::Channel> channel) {
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
    return carry_out(generation::membership::Kill{id, message.error().message});
  }
  auto const found = members_.find(id);
  if (found == members_.end()) return;
  if (std::holds_alternative<msg::MemberHello>(*message))
    found->second.channel->send(to_json(msg::ToMember(
        msg::Welcome{id, heartbeat_s(), options_.failure_timeout_s})));
  if (auto const* weight = std::get_if<msg::Weight>(&*message))
    return set_weight(weight->weight);
  progress_.take(*message);
  pace_.take(id, *message);
  carry_out(membership_->on_message(now(), id, *message));
}

/// The agent says that a member's process ended.
void Coordinator::on_member_exit(msg::MemberExited const& exited) {
  auto const found = members_.find(exited.member);
  if (found == members_.end()) return;
  auto const lost = found->second;
  auto const& name = lost.node;
  auto const code = exited.code;
  bool const expected = lost.may_end;
  auto const node = nodes_.find(name);
  bool const stays = node != nodes_.end() && node->second.life.is_up();
  if (finished_ && !lost.is_killed && program_code_ == 0) program_code_ = code;
  // Who is killed because its node is left says nothing about the program.
  if (!expected && stays && code != 0) ++failures_;
  if (lost.channel) lost.channel->close();
  members_.erase(found);
  if (node != nodes_.end()) node->second.members.erase(exited.member);
  carry_out(membership_->member_gone(
      now(), exited.member, "its process ended with " + std::to_string(code)));
  if (finished_ || code_) return check_end();
  auto const limit = failures_max * std::max<int>(1, int(nodes_.size()));
  if (failures_ >= limit)
    return program_failed(
        code, "it failed " + std::to_string(failures_) +
                  " times without a new step" +
                  (lost.why_ended.empty() ? "" : ": " + lost.why_ended));
  if (!stays) return;
  if (expected) {
    replace(name, lost);
  } else if (code == 0) {
    // It returned from its loop although the training goes on.
    ended_by_itself_ = true;
    if (members_.empty()) program_failed(0, "the program ended by itself");
  } else if (!ended_by_itself_) {
    replace(name, lost);
  }
}

/// Another member in place of one that was lost, on the same node.
void Coordinator::replace(std::string const& name, MemberPeer const& lost) {
  auto& replacements = nodes_.at(name).replacements;
  bool const had_given_up = replacements.given_up();
  replacements.lost(now(), lost.has_trained || lost.may_end
                               ? Replacements::Fate::trained
                               : Replacements::Fate::never_in);
  if (!replacements.given_up()) return;
  if (!had_given_up)
    give_up_place(
        name, lost.why_ended.empty() ? "its process ended" : lost.why_ended);
  // Others may have a use for a node where nobody trains.
  if (auto& node = nodes_.at(name); node.members.empty()) {
    node.cause = given_up_[name];
    end_node(name);
  }
}

/// Go on without some of a node's members, or without the node.
void Coordinator::give_up_place(std::string const& name,
                                std::string const& why) {
  auto const what = std::to_string(Replacements::vain_max) +
                    " members in a row on node " + name +
                    " could not be let in, so no more are started there; the "
                    "last: " +
                    why;
  events_.write("error", {{"what", what}, {"node", name}});
  log_to_stderr(LogLevel::error,
                LogLine("members_given_up").kv("node", name).kv("why", what));
  given_up_[name] = what;
}

void Coordinator::note_generation(nlohmann::json const& members) {
  for (auto const& id : members)
    if (auto const found = members_.find(id.get<msg::MemberId>());
        found != members_.end())
      found->second.has_trained = true;
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

void Coordinator::carry_out(generation::Membership::Orders const& orders) {
  for (auto const& order : orders)
    std::visit([this](auto const& o) { carry_out(o); }, order);
  settle_departures();
}

void Coordinator::carry_out(generation::membership::Send const& order) {
  auto const found = members_.find(order.member);
  if (found == members_.end()) return;
  if (std::holds_alternative<msg::Release>(*order.message) ||
      std::holds_alternative<msg::Finish>(*order.message))
    found->second.may_end = found->second.is_out = true;
  if (auto const* refused = std::get_if<msg::Refused>(&*order.message))
    found->second.why_ended = refused->why;
  if (!found->second.channel) return;
  // A thousand members are told of a thousand: the text is made once.
  if (order.message != written_) {
    written_ = order.message;
    written_text_ = proto::json_text(to_json(*written_));
  }
  found->second.channel->send_text(written_text_);
}

void Coordinator::carry_out(generation::membership::Record const& order) {
  events_.write(order.event, order.fields);
  progress_.take(now(), order);
  pace_.take(order);
  if (order.event == "step") {
    // Steps that are done again after a rollback are no progress.
    auto const step = order.fields.at("step").get<msg::Step>();
    if (step > furthest_) failures_ = 0;
    furthest_ = std::max(furthest_, step);
  } else if (order.event == "generation") {
    note_generation(order.fields.at("members"));
    log_to_stderr(LogLevel::info, line_of(order));
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

void Coordinator::carry_out(generation::membership::Kill const& order) {
  auto const found = members_.find(order.member);
  if (found == members_.end()) return;
  found->second.is_out = found->second.is_killed = true;
  found->second.why_ended = order.why;
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

void Coordinator::carry_out(generation::membership::NodeFree const& order) {
  departures_.set_empty(order.node);
}

/// A training that goes on from it does not log again what was logged before.
void Coordinator::carry_out(generation::membership::Register const& order) {
  pointer_.move_to(order, events_.all_on_disk());
}

void Coordinator::carry_out(generation::membership::TrainingFinished const&) {
  finished_ = true;
  finished_since_s_ = now();
  source_->send(progress_.report(now(), membership_->summary()));
}

}  // namespace gleaner::coordinator
