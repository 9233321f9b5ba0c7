// SPDX-License-Identifier: Apache-2.0
/// Members that compute nothing.
#include "light_training.hh"

#include <algorithm>
#include <chrono>
#include <utility>

namespace light {
namespace {

constexpr std::uint64_t batch = 1024;  // samples of a step
/// As long as what plane tcp sends of itself.
std::string const contact(120, 'c');
std::string const digest(64, '0');

double now_s() {
  return std::chrono::duration<double>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

asio::chrono::steady_clock::duration seconds(double s) {
  return std::chrono::duration_cast<std::chrono::steady_clock::duration>(
      std::chrono::duration<double>(s));
}

std::vector<msg::MemberId> ids_of(
    std::vector<msg::MemberAddress> const& members) {
  std::vector<msg::MemberId> ids;
  for (auto const& member : members) ids.push_back(member.member);
  return ids;
}

msg::ToMember parsed(std::string_view text) {
  return *msg::parse_to_member(nlohmann::json::parse(text));
}

}  // namespace

Training::Training(asio::io_context& io, Options options)
    : io_(io), options_(options), timer_(io) {
  step();
}

void Training::add(msg::MemberId id, std::string const& node,
                   std::shared_ptr<Link> link, std::function<void()> on_end) {
  members_[id] = {node, link, std::move(on_end), 0, step_, false};
  link->start([this, id](std::string_view text) { hear(id, text); },
              [this, id] { end(id); });
  say(id, msg::MemberHello{id, node, 1, "10.0.0.1:40000", "tcp,self"});
}

void Training::say(msg::MemberId id, msg::FromMember const& message) {
  auto const found = members_.find(id);
  if (found != members_.end()) found->second.link->send(to_json(message));
}

void Training::hear(msg::MemberId id, std::string_view text) {
  auto const type = type_of(text);
  auto const generation = generation_of(text);
  if (type == "Welcome") {
    members_.at(id).heartbeat_s =
        std::get<msg::Welcome>(parsed(text)).heartbeat_s;
    beat(id);
    members_.at(id).held = options_.hold_loaded;
    if (!options_.hold_loaded) say_loaded(id);
  } else if (type == "Prepare") {
    say(id, msg::PlaneBlob{generation, "tcp", contact});
  } else if (type == "PlaneBlobs") {
    say(id, msg::Prepared{generation});
    if (generation == generation_ && ++connected_ == ranks_.size())
      runs_ = true;  // after a loss
  } else if (type == "Start") {
    if (generation_ == generation) return;
    auto const start = std::get<msg::Start>(parsed(text));
    generation_ = generation;
    ranks_ = ids_of(start.members);
    runs_ = true;
  } else if (type == "Offer") {
    if (!next_ || next_->generation != generation) {
      auto const offer = std::get<msg::Offer>(parsed(text));
      next_ = Next{generation, offer.members, offer.joiners, 0};
    }
    ++next_->told;
  } else if (type == "Withdraw") {
    next_.reset();
    say(id, msg::Withdrawn{generation});
  } else if (type == "Quiesce") {
    runs_ = false;
    next_.reset();
    say(id, msg::Status{generation, true, step_,
                        msg::StepPlan{step_ + 1, ranks_, {}}});
  } else if (type == "Resume") {
    if (generation != generation_) {
      ranks_ = ids_of(std::get<msg::Resume>(parsed(text)).members);
      generation_ = generation;
      connected_ = 0;
    }
    say(id, msg::PlaneBlob{generation, "tcp", contact});
  } else if (type == "Release" || type == "Finish" || type == "Refused") {
    end(id);
  }
}

void Training::say_loaded(msg::MemberId id) {
  msg::Loaded loaded;
  loaded.member = id;
  loaded.schema = digest;
  loaded.dataset_size = 1ull << 40;
  loaded.fingerprint = "light";
  loaded.must_copy = "it computes nothing";
  say(id, loaded);
}

void Training::load() {
  for (auto& [id, member] : members_)
    if (std::exchange(member.held, false)) say_loaded(id);
}

/// What a heartbeat says; and the values of the steps since the last one.
void Training::beat(msg::MemberId id) {
  auto const found = members_.find(id);
  if (found == members_.end()) return;
  auto& member = found->second;
  msg::LogValues logged;
  for (; member.logged < step_ - 1; ++member.logged)
    for (int key = 0; key < options_.values; ++key)
      logged.values.push_back(
          {member.logged + 1, "value" + std::to_string(key), 2.5, 4});
  if (!logged.values.empty()) say(id, logged);
  msg::Alive alive;
  alive.at = "reduction";
  alive.for_s = 0.001;
  alive.step = step_ + 1;
  alive.steps = std::uint64_t(step_);
  say(id, alive);
  auto const timer =
      std::make_shared<asio::steady_timer>(io_, seconds(member.heartbeat_s));
  timer->async_wait([this, id, timer](asio::error_code) { beat(id); });
}

void Training::step() {
  timer_.expires_after(seconds(options_.step_s));
  timer_.async_wait([this](asio::error_code) {
    if (runs_) change();
    if (runs_) report();
    step();
  });
}

/// Everybody has been offered it: the step that begins now is its first.
void Training::change() {
  if (!next_ || next_->told < ranks_.size()) return;
  auto const next = *std::exchange(next_, std::nullopt);
  auto all = ranks_;
  all.insert(all.end(), next.joiners.begin(), next.joiners.end());
  for (auto const id : next.joiners)
    say(id, msg::StateReceived{next.generation, step_, 1 << 20, 0.01});
  for (auto const id : all) say(id, msg::Switched{next.generation, step_ + 1});
  for (auto const id : next.members)
    say(id, msg::StateDigest{next.generation, step_, {{"", digest}}});
  for (auto const id : next.joiners) members_.at(id).logged = step_;
  ranks_ = next.members;
  generation_ = next.generation;
}

void Training::report() {
  ++step_;
  auto const before_s = std::exchange(stepped_s_, now_s());
  msg::Stable stable;
  stable.generation = stable.reduced_in = generation_;
  stable.step = step_;
  stable.world = std::uint32_t(ranks_.size());
  stable.taken = {
      {std::uint64_t(step_ - 1) * batch, std::uint64_t(step_) * batch}};
  stable.samples_seen = std::uint64_t(step_) * batch;
  stable.duration_s = before_s > 0 ? stepped_s_ - before_s : options_.step_s;
  stable.reduce_s = 0.001;
  say(ranks_.front(), stable);
}

void Training::lose(std::vector<msg::MemberId> const& ids) {
  runs_ = false;
  auto const before = ranks_;
  for (auto const id : ids) end(id);
  // The others' data planes break at once.
  for (auto const id : before)
    say(id, msg::PrepareFailed{generation_, "a peer closed its connection"});
}

void Training::end(msg::MemberId id) {
  auto const found = members_.find(id);
  if (found == members_.end()) return;
  found->second.link->close();
  auto const on_end = std::move(found->second.on_end);
  members_.erase(found);
  on_end();
}

}  // namespace light
