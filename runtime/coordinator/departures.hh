// SPDX-License-Identifier: Apache-2.0
/// When may the agent of a node that is being left exit?
///
/// Not as soon as the node is empty: the end of one lease makes slurmctld
/// schedule at once, and preempt other leases that the same rigid job needs,
/// on which members may still train.  So a node that was asked back with
/// `hold` ends when gleanerd says that all are out, or at its deadline.
///
///     asked ──> vacated ──> released ──> ended
///               no member     gleanerd said so, the deadline
///               trains here   passed, or nobody answers
///
/// Members of a vacated node still exit; a released node ends when they have.
/// Pure: the coordinator says what happened, and does what is returned.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace gleaner::coordinator {

/// Times are seconds on any clock that does not go back.
class Departures {
 public:
  enum class Release {
    at_once,   ///< end it as soon as it is empty
    together,  ///< hold it until released
  };

  /// How long a vacated node waits for gleanerd, which answers in milliseconds
  /// unless it waits for others until their deadline.
  static constexpr double answer_s_max = 5;

  /// Leave this node before `deadline`.  Again with an earlier deadline brings
  /// it forward; what is released stays so.
  void ask(std::string const& node, double deadline, Release release);

  /// No member of the node trains any more.
  void set_out(double now, std::string const& node);

  /// No process of a member is left there.
  void set_empty(std::string const& node);

  /// gleanerd lets it go.
  void release(std::string const& node);

  /// Its lease ended.
  void forget(std::string const& node) { nodes_.erase(node); }

  /// No node is being left.
  bool empty() const { return nodes_.empty(); }

  /// Its members are out: its end costs the training nothing.
  bool is_out(std::string const& node) const;

  /// Nodes that became vacated since the last call, for msg::Vacated.
  std::vector<std::string> newly_vacated();

  /// All that are vacated and not released: what a restarted gleanerd does not
  /// know.
  std::vector<std::string> vacated() const;

  /// Nodes whose agents are to exit now; each once.
  std::vector<std::string> due(double now);

 private:
  struct Node {
    double deadline = 0;
    Release release = Release::at_once;
    bool out = false;
    bool told = false;
    bool empty = false;
    double answer_by = 0;  ///< once it is out
    bool ended = false;
  };
  static bool is_held(Node const& node, double now);

  std::map<std::string, Node> nodes_;
};

}  // namespace gleaner::coordinator
