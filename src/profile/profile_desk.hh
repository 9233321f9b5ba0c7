// SPDX-License-Identifier: Apache-2.0
/// Which training should visit another number of nodes, only to be measured
/// there, and until when?
///
/// A visit is worth what plans would gain by knowing, for as long as the
/// training and others of its family may still run.  It costs what the nodes
/// would earn meanwhile, the stalls of two resizes and the leases that are
/// begun for it.  One is made only if it is worth more than it costs, the
/// budget allows it, no hole ends before it is over, and all trainings keep
/// their minimum.  After a visit smaller sizes follow as long as they pay:
/// going down is cheap.  A visit that was interrupted is made again later,
/// first of all.
#pragma once

#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "profile/advisor.hh"
#include "profile/node_market.hh"
#include "profile/pace.hh"
#include "profile/profile_budget.hh"

namespace gleaner::profile {

/// A training, as the desk sees it.
struct Subject {
  std::string id;
  std::string user;
  std::string family;                ///< "": is like no other
  Advisor const* advisor = nullptr;  ///< owned by the caller; must be measured
  int nodes_min = 1;
  int nodes_max = 1;
  int nodes = 0;              ///< by the plan
  int members_nodes = 0;      ///< that the latest pace was measured on
  std::uint64_t steps = 0;    ///< of that pace
  double measured_in_s = 10;  ///< on settled nodes
  double trained_s = 0;       ///< since it came
  ResizeCosts costs;
  /// Until the first of the nodes that it has is needed.
  double hole_s = std::numeric_limits<double>::infinity();
};

/// A training goes to `nodes` nodes to be measured.
struct Visit {
  std::string id;
  int nodes = 0;
  int home = 0;  ///< nodes by the plan
  double since_s = 0;
  double until_s = 0;  ///< it is given up then
  double value_node_s = 0;
  double cost_node_s = 0;     ///< by what nodes earn elsewhere
  double charged_node_s = 0;  ///< to the budget: as if they earned all they can
  /// It grows by nodes of the same user's trainings and by spare ones alone.
  bool by_own_nodes = false;

  double gain_node_s() const { return value_node_s - cost_node_s; }
};

/// Something to be recorded.
struct VisitEnd {
  Visit visit;
  enum class How { measured, interrupted, late } how = How::measured;
};

class ProfileDesk {
 public:
  explicit ProfileDesk(double share) : budget_(share) {}

  /// From gleaner.yaml; 0: no more visits.
  void set_share(double share) { budget_.set_share(share); }

  /// What there is to decide from: the plan without visits.
  struct Present {
    double now_s = 0;
    std::vector<Subject> subjects;
    int spare = 0;  ///< nodes that nobody gets
  };

  /// End what is over; then begin the visit that pays most, if one does.
  /// Returns those that have ended.
  std::vector<VisitEnd> update(Present const& present);

  /// No plan grants this visit any more, or a node of it was lost.
  std::optional<VisitEnd> interrupt(std::string const& id, double now_s);

  /// In progress, by training.
  std::map<std::string, Visit> const& visits() const { return visits_; }

  /// Why this training is or is not measured deliberately, for people.
  std::string why(std::string const& id) const;

  ProfileBudget const& budget() const { return budget_; }

 private:
  struct Record {
    double not_before_s = 0;  ///< after an interruption
    std::optional<double> looked_at_s;
    int looked_at_nodes = 0;
    std::uint64_t looked_at_steps = 0;
    bool all_were_measured = false;  ///< at that look
    int below = 0;       ///< sizes that follow a visit are below this; 0: any
    int unfinished = 0;  ///< the visit there was interrupted; 0: none
    int interrupted = 0;
    int visited = 0;
    std::string why;
    std::string last_visit;  ///< where, and how long it took; "": none
  };

  std::vector<VisitEnd> end_visits(Present const& present);
  VisitEnd end(Visit const& visit, VisitEnd::How how, double now_s);
  void forget_gone(Present const& present);
  bool all_are_measured(Present const& present) const;
  bool is_due(Subject const& subject, Record const& record, double now_s,
              bool all_are_measured) const;
  bool is_family_visited(Present const& present, Subject const& subject) const;
  struct Terms;
  Terms terms(Present const& present, std::size_t who,
              NodeMarket const& market) const;
  std::optional<Visit> feasible(Terms const& terms, int k, double now_s,
                                std::string* why) const;
  std::optional<Visit> best_visit(Present const& present, std::size_t who,
                                  NodeMarket const& market,
                                  Record* record) const;

  ProfileBudget budget_;
  std::optional<double> earned_until_s_;
  int lent_nodes_ = 0;  ///< at the last update
  std::map<std::string, Visit> visits_;
  std::map<std::string, Record> records_;
  std::map<std::string, std::string> users_;  ///< of visits
};

}  // namespace gleaner::profile
