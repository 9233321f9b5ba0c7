// SPDX-License-Identifier: Apache-2.0
/// Which members and nodes are there, and where is each in its life?
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/node_set.hh"
#include "runtime/generation/member_ids.hh"

namespace gleaner::generation {

/// Where a member is in its life.  Gone members are erased.
enum class Phase {
  announced,  ///< its agent was told to start it
  connected,
  loaded,  ///< waits in gleaner_start() for state, or will after Reset
  active,  ///< in the generation in use
  released,
};
inline constexpr std::size_t phases = 5;

struct MemberEntry {
  msg::MemberId id = 0;
  std::string node;
  Phase phase = Phase::announced;  ///< set by MemberTable alone
  double since_s = 0;              ///< in this phase
  std::string data_address;
  bool touched = false;           ///< state may have been written into it
  bool disowned = false;          ///< released, and what it did was rolled back
  int failures = 0;               ///< generations that it did not get into
  std::string fingerprint;        ///< of its Loaded
  std::string must_copy;          ///< of its Loaded
  std::uint32_t loads_ahead = 0;  ///< shares
  int failed_follows = 0;         ///< it began to follow, and did not get there
  std::optional<msg::Finished> finished;
  std::optional<msg::Alive> alive;  ///< said since the generation began
  bool busy = false;                ///< as the log has it
  /// Released while it took part: it has computed no step after this one.
  std::optional<msg::Step> last_step;
  bool owes_values = false;  ///< of steps up to that one
};

struct NodeEntry {
  bool leaving = false;
  bool freed = false;     ///< its end was ordered
  double deadline_s = 0;  ///< when leaving; may be infinite
  std::string cause;      ///< why it is left
};

/// Unknown members are an error of the caller's, unless said.
class MemberTable {
 public:
  using Members = std::map<msg::MemberId, MemberEntry>;

  // --- members --------------------------------------------------------------
  /// The node becomes known with them.  Ids are new.
  void add(double now, std::string const& node, MemberIds const& ids);
  void erase(msg::MemberId id);
  void set_phase(msg::MemberId id, Phase phase, double now);

  bool has(msg::MemberId id) const { return members_.count(id) != 0; }
  MemberEntry& at(msg::MemberId id) { return members_.at(id); }
  MemberEntry const& at(msg::MemberId id) const { return members_.at(id); }
  /// By id.
  Members& all() { return members_; }
  Members const& all() const { return members_; }
  bool any_owes_values() const;
  int in(Phase phase) const { return in_phase_[std::size_t(phase)]; }
  /// What was said in another generation proves nothing about this one.
  void forget_heartbeats();

  // --- nodes ----------------------------------------------------------------
  /// Again with an earlier deadline brings it forward; a later one is ignored.
  void leave(std::string const& node, double deadline_s,
             std::string const& cause);
  /// Its members are erased already.  Unknown nodes are ignored.
  void forget(std::string const& node);
  NodeEntry const& node_of(msg::MemberId id) const;
  bool is_leaving(msg::MemberId id) const { return node_of(id).leaving; }
  bool leaves_within(msg::MemberId id, double limit_s, double now) const;
  int nodes_leaving() const { return nodes_leaving_; }
  /// Nodes that are left and have no member any more; each once.
  std::vector<std::string> take_free_nodes();

  // --- of several members, in the order given -------------------------------
  MemberIds on_node(std::string const& node) const;
  MemberIds live(MemberIds const& ids) const;
  /// Live, on nodes that stay.
  MemberIds staying(MemberIds const& ids) const;
  std::vector<msg::MemberAddress> addresses(MemberIds const& ids) const;
  /// Of those that are live.
  NodeSet nodes_of(MemberIds const& ids) const;

 private:
  Members members_;
  std::map<std::string, NodeEntry> nodes_;
  std::array<int, phases> in_phase_{};  ///< members
  int nodes_leaving_ = 0;
};

}  // namespace gleaner::generation
