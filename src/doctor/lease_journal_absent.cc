// SPDX-License-Identifier: Apache-2.0
/// Where there is no gleanerd there is no journal.
#include "doctor/lease_ends.hh"

namespace gleaner::doctor {

Result<LeaseEnds> read_lease_ends(std::string const&, int) {
  return Error{Errc::unavailable, "this gleaner was built without SQLite"};
}

}  // namespace gleaner::doctor
