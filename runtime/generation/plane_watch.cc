// SPDX-License-Identifier: Apache-2.0
#include "runtime/generation/plane_watch.hh"

#include <algorithm>
#include <utility>

namespace gleaner::generation {
namespace {

/// Before the training goes on without one of its members.
constexpr int attempts = 3;

}  // namespace

void PlaneWatch::begins_connected(double now, MemberIds const& members) {
  connected_ = {members.begin(), members.end()};
  since_s_ = now;
  works();
}

void PlaneWatch::begins_connecting(double now) {
  connected_.clear();
  since_s_ = now;
}

bool PlaneWatch::connected(msg::MemberId member, MemberIds const& members) {
  return connected_.insert(member).second &&
         connected_.size() == members.size();
}

void PlaneWatch::connected_beside(double took_s) {
  beside_s_max_ = std::max(beside_s_max_, took_s);
}

void PlaneWatch::broke(double now, msg::MemberId by, std::string why) {
  if (!broken_) broken_ = Break{now, by, std::move(why)};
}

bool PlaneWatch::failed() { return ++failures_ >= attempts; }

double PlaneWatch::connect_limit_s() const {
  constexpr double room = 3;
  return std::max(limits_.connect_timeout_s,
                  std::min(room * beside_s_max_, limits_.prepare_timeout_s));
}

std::optional<PlaneWatch::Fault> PlaneWatch::take_fault(
    double now, MemberIds const& members) {
  bool const overdue =
      connected_.size() < members.size() && now - since_s_ > connect_limit_s();
  bool const broken =
      broken_ && now - broken_->since_s > limits_.failure_timeout_s / 20;
  if (!overdue && !broken) return std::nullopt;
  Fault fault;
  fault.why =
      overdue ? "the plane could not be connected in time" : broken_->why;
  auto const by = broken ? broken_->by : 0;
  forget_break();
  if (!failed()) return fault;
  // Nobody died, and still they cannot connect: do without one of them.
  fault.victim = members.back();
  if (contains(members, by)) fault.victim = by;
  for (auto const id : members)
    if (overdue && !connected_.count(id)) fault.victim = id;
  return fault;
}

}  // namespace gleaner::generation
