// SPDX-License-Identifier: Apache-2.0
/// What do the members of a training say to their coordinator, if they compute
/// nothing?
///
/// All members of one training, which know of each other without a data plane:
/// a step takes a fixed time, and a change that all were offered is agreed to
/// at the next one.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "light_link.hh"
#include "proto/runtime_messages.hh"

namespace light {

namespace msg = gleaner::msg;

struct Options {
  double step_s = 0.5;
  int values = 0;            ///< that each member logs in each step
  bool hold_loaded = false;  ///< members wait for load()
};

class Training {
 public:
  Training(asio::io_context& io, Options options);

  /// A member has connected.  `on_end` is called when it has been told to end.
  void add(msg::MemberId id, std::string const& node,
           std::shared_ptr<Link> link, std::function<void()> on_end);

  /// What was held back: all of them become ready at once.
  void load();
  void set(Options options) { options_ = options; }

  /// These die as by SIGKILL.
  void lose(std::vector<msg::MemberId> const& ids);
  std::vector<msg::MemberId> members() const { return ranks_; }

 private:
  struct Member {
    std::string node;
    std::shared_ptr<Link> link;
    std::function<void()> on_end;
    double heartbeat_s = 0;
    msg::Step logged = 0;  ///< values of steps up to this one were sent
    bool held = false;
  };
  struct Next {
    msg::Generation generation = 0;
    std::vector<msg::MemberId> members, joiners;
    std::size_t told = 0;
  };

  void hear(msg::MemberId id, std::string_view text);
  void say(msg::MemberId id, msg::FromMember const& message);
  void say_loaded(msg::MemberId id);
  void beat(msg::MemberId id);
  void step();
  void change();
  void report();
  void end(msg::MemberId id);

  asio::io_context& io_;
  Options options_;
  asio::steady_timer timer_;
  std::map<msg::MemberId, Member> members_;
  std::vector<msg::MemberId> ranks_;
  msg::Generation generation_ = 0;
  msg::Step step_ = 0;
  double stepped_s_ = 0;
  bool runs_ = false;
  std::optional<Next> next_;
  std::size_t connected_ = 0;  ///< after a loss
};

}  // namespace light
