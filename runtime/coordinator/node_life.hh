// SPDX-License-Identifier: Apache-2.0
/// How far has a node got between its grant and the end of its lease?
///
///     asked     srun was started; the agent has not come yet
///     up        the agent runs members
///     leaving   to be left: members are switched out, then the agent exits
///               when departures.hh says so
///     ending    the agent was told to exit; srun ends within seconds
#pragma once

namespace gleaner::coordinator {

/// Times are seconds on any clock that does not go back.
class NodeLife {
 public:
  /// From srun's start to the agent's hello.
  static constexpr double agent_s_max = 15;
  /// From the agent's order to exit to the end of srun.
  static constexpr double exit_s_max = 2;

  /// It is asked for now.
  explicit NodeLife(double now) : asked_s_(now), since_s_(now) {}

  /// The agent has come.  How long that took.
  double came_up(double now) {
    stage_ = Stage::up;
    since_s_ = now;
    return now - asked_s_;
  }
  void leave() { stage_ = Stage::leaving; }
  /// The agent exits, or srun is ended; again when it has not helped.
  void end(double now) {
    stage_ = Stage::ending;
    since_s_ = now;
  }

  /// Its agent has not come.  A lease that ends by itself now never came up.
  bool is_asked() const { return stage_ == Stage::asked; }
  bool is_up() const { return stage_ == Stage::up; }
  bool is_leaving() const { return stage_ == Stage::leaving; }
  bool is_ending() const { return stage_ == Stage::ending; }

  /// The agent has not come in time.
  bool is_late(double now) const {
    return is_asked() && now - since_s_ > agent_s_max;
  }
  /// The lease has not ended in time.
  bool is_overdue(double now) const {
    return is_ending() && now - since_s_ > exit_s_max;
  }

 private:
  enum class Stage { asked, up, leaving, ending };
  Stage stage_ = Stage::asked;
  double asked_s_;
  double since_s_;  ///< that it is up, or that it was last told to end
};

}  // namespace gleaner::coordinator
