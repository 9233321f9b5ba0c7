// SPDX-License-Identifier: Apache-2.0
/// The nodes that trainings have or could have.
#pragma once

#include <map>
#include <string>

#include "core/cluster.hh"

namespace gleaner {

/// A node that could serve rigid jobs: idle, or lent.
struct Place {
  Hole hole;
  TimeS since_s = 0;          ///< when it became one, lent or not
  bool lent = false;          ///< a trainer uses it, or is about to
  JobId lease = 0;            ///< that is on it
  TimeS missing_since_s = 0;  ///< lent, but no hole any more; 0: it is one
};
using Places = std::map<std::string, Place>;

}  // namespace gleaner
