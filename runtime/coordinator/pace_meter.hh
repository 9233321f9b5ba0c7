// SPDX-License-Identifier: Apache-2.0
/// How fast is the training at the size it has now, and where does a step's
/// time go?
///
/// What the job profiling advisor learns from.  Costs no message of its own:
/// rank 0 reports each step's duration anyway, and every heartbeat says how
/// long its member has computed and waited in all steps so far.  All is
/// forgotten at each change of members, and the first steps after one do not
/// count: caches are cold then, and it may be the switch that took the time.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "proto/daemon_messages.hh"
#include "proto/runtime_messages.hh"
#include "runtime/generation/membership.hh"

namespace gleaner::coordinator {

/// Reads no clock.
class PaceMeter {
 public:
  /// `argv`: the program's command line.
  explicit PaceMeter(std::vector<std::string> const& argv);

  /// A record of events.jsonl; of interest are "generation" and "step".
  void take(generation::membership::Record const& record);

  /// Of interest are Loaded, Stable and Alive.
  void take(msg::MemberId member, msg::FromMember const& message);

  /// Nothing while the generation is not warm or a member has said nothing.
  std::optional<msg::Pace> pace() const;

  /// Steps of a generation that do not count.
  static constexpr msg::Step cold_steps = 4;

 private:
  /// What a member has done so far.
  struct Spent {
    std::uint64_t steps = 0;
    double computed_s = 0;
    double waited_s = 0;
  };
  /// The last two marks and the present: means over the time since the older
  /// mark follow a change of speed.
  struct Marks {
    Spent older, newer, now;
  };

  void begin(generation::membership::Record const& record);
  void note(msg::MemberId member, msg::Alive const& alive);
  bool add_members(msg::Pace* pace) const;

  std::string program_;
  std::optional<msg::Loaded> loaded_;  ///< of the first member
  double update_s_ = 0;
  msg::Generation generation_ = 0;
  int nodes_ = 0;
  msg::Step warm_from_ = 0;  ///< first step that counts
  std::uint64_t steps_ = 0;
  std::deque<double> durations_s_;  ///< of the latest ones
  std::vector<msg::MemberId> members_;
  std::map<msg::MemberId, Marks> marks_;
};

/// The program without what differs between the trials of a search: its name,
/// and of an interpreter that of the script.
std::string program_of(std::vector<std::string> const& argv);

}  // namespace gleaner::coordinator
