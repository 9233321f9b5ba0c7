// SPDX-License-Identifier: Apache-2.0
/// Which words of gleanerd's may reach the user's srun.
///
/// srun runs with the user's rights, and several of its options name programs
/// (--prolog, --task-epilog, --bcast, --mpi …), files or other jobs.  gleanerd
/// is believed (proto/munge_handshake.hh), but it has no say over what a user
/// executes: its holder could then be every user.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/result.hh"
#include "proto/daemon_messages.hh"

namespace gleaner::coordinator {

/// An option of srun that a lease may have, written --NAME=VALUE.
struct LeaseOption {
  std::string_view name;
  enum class Says {
    place,   ///< which node, or what beside its share of it
    amount,  ///< how much of a node: of a part the ticket says that
  } says;
};

/// All of them; --exclusive, an amount, is admitted beside them.
/// lease_template.cc can write no other.
std::vector<LeaseOption> const& lease_options();

/// Does this option say how much of a node a lease takes?
bool is_lease_amount(std::string_view name);

/// Whether srun may be called with this grant and these options.  Fails with
/// denied, quoting the first word that is not admitted: an option that is not
/// in the list or is abbreviated, a word that is no option, a value with
/// blanks, control characters, quotes or of more than 1,024 bytes, a list of
/// nodes with a '/'; a grant whose node or ticket has other characters than
/// theirs.
Result<void> check_lease_request(msg::Grant const& grant,
                                 std::vector<std::string> const& options);

}  // namespace gleaner::coordinator
