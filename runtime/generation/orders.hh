// SPDX-License-Identifier: Apache-2.0
/// What does the coordinator have to do after an event?
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "runtime/generation/member_ids.hh"

namespace gleaner::generation {
namespace membership {

struct Send {
  msg::MemberId member = 0;
  /// What is said to many at once is the same object: write it only once.
  std::shared_ptr<msg::ToMember const> message;
};

/// A line of events.jsonl; the caller adds "t" and "event".  Kinds:
/// generation, resize, step, log, checkpoint, rollback, park, member_lost,
/// error, finish.
struct Record {
  std::string event;
  nlohmann::json fields;
};

/// SIGKILL this member and close its connection.  It counts as gone already;
/// if its node stays, the caller may start another with add_members().
struct Kill {
  msg::MemberId member = 0;
  std::string why;
};

/// No member is left on a node that shall leave: end the agent and the lease.
struct NodeFree {
  std::string node;
};

/// This checkpoint is the newest that the training may restart from: let
/// `latest` point to it.  Files in `superseded` may be removed.
struct Register {
  std::string path;
  std::vector<std::string> superseded;
  msg::Step step = 0;
  std::uint64_t samples_seen = 0;
};

/// Every sample of every pass is in the state: the training is over.  Members
/// have been told; nothing else happens to them.
struct TrainingFinished {
  msg::Step step = 0;
  std::uint64_t samples_seen = 0;
};

using Order =
    std::variant<Send, Record, Kill, NodeFree, Register, TrainingFinished>;
using Orders = std::vector<Order>;

/// The orders of one event, as they come about.
class OrderList {
 public:
  void add(Order order) { orders_.push_back(std::move(order)); }
  void send(msg::MemberId member, msg::ToMember message) {
    send_all({member}, std::move(message));
  }
  void send_all(MemberIds const& to, msg::ToMember message) {
    auto const shared =
        std::make_shared<msg::ToMember const>(std::move(message));
    for (auto const id : to) add(Send{id, shared});
  }
  void record(std::string event, nlohmann::json fields) {
    add(Record{std::move(event), std::move(fields)});
  }
  Orders take() { return std::exchange(orders_, {}); }

 private:
  Orders orders_;
};

}  // namespace membership
}  // namespace gleaner::generation
