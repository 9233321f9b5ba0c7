// SPDX-License-Identifier: Apache-2.0
/// Which trainer of a problem may get which node.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "core/cluster.hh"
#include "core/lease_template.hh"
#include "daemon/decisions/backoff.hh"
#include "daemon/decisions/places.hh"

namespace gleaner::daemon {

/// A place, and the text of a lease template that Slurm refused there.
using NodeTemplate = std::pair<std::string, std::string>;

/// Sorts nodes into kinds by which lease templates they serve: those that fit
/// (core/fits.hh) and were not refused there lately.  All trainers come before
/// the first node.
class Eligibility {
 public:
  Eligibility(Snapshot const& snapshot, Backoff<NodeTemplate> const& refused,
              TimeS now)
      : snapshot_(snapshot), refused_(refused), now_(now) {}

  /// Trainers are numbered from 0.  `ask` outlives this.
  void add_trainer(LeaseTemplate const& ask);

  /// The place's kind in the problem.
  std::uint32_t kind_of(Place const& place);

  /// The kinds that a trainer can use, ascending; empty: all of them.
  std::vector<std::uint32_t> usable_by(std::size_t trainer) const;

 private:
  using Served = std::vector<bool>;  ///< by template

  /// Places that have the same of nodes of the same kind.
  using Alike = std::tuple<KindIndex, int, std::int64_t, Gres>;

  Served const& served_by(Place const& place);
  std::uint32_t number_of(Served const& served);

  Snapshot const& snapshot_;
  Backoff<NodeTemplate> const& refused_;
  TimeS now_;
  std::map<std::string, std::size_t> known_;     ///< templates by their text
  std::vector<LeaseTemplate const*> templates_;  ///< different ones
  std::vector<std::size_t> template_of_;         ///< by trainer
  std::map<Alike, Served> alike_;                ///< whatever the node's name
  std::map<Served, std::uint32_t> kinds_;
};

}  // namespace gleaner::daemon
