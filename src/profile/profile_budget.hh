// SPDX-License-Identifier: Apache-2.0
/// How much node time may measuring cost, and how much has it cost?
#pragma once

#include <map>
#include <string>

namespace gleaner::profile {

/// Node time is earned as nodes are lent.  Nobody is owed any: what is not
/// spent stays for later ones.
class ProfileBudget {
 public:
  /// `share` of all node time that is lent; 0: nothing may be spent.
  explicit ProfileBudget(double share) : share_(share) {}

  /// From now on; what was earned and spent counts on.
  void set_share(double share) { share_ = share; }

  /// Nodes were lent for so many node-seconds in all.
  void earn(double node_s) { lent_node_s_ += node_s; }

  /// Whether `user` may spend so much now, when `nodes` are lent to `users`
  /// users.  An hour is given in advance; each user gets an equal part.
  bool allows(std::string const& user, double node_s, int nodes,
              int users) const;

  /// Below 0: of what was spent so much was not needed.
  void spend(std::string const& user, double node_s);

  double share() const { return share_; }
  double lent_node_s() const { return lent_node_s_; }
  double spent_node_s() const { return spent_node_s_; }

 private:
  double share_;
  double lent_node_s_ = 0;
  double spent_node_s_ = 0;
  std::map<std::string, double> spent_by_;  ///< node-seconds
};

}  // namespace gleaner::profile
