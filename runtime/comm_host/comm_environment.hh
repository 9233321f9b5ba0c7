// SPDX-License-Identifier: Apache-2.0
/// What is in the environment of a comm process?
#pragma once

#include <string>
#include <vector>

namespace gleaner::comm_host {

struct CommEnvironment {
  std::string interface;  ///< to use for TCP; "": all
  std::string dir;        ///< for temporary files and segments of shared memory
  bool as_root = false;
  /// Open MPI chooses its transport itself: UCX, libfabric, PSM2.
  bool fast_network = false;
};

/// The comm host's own environment, `inherited`, without what another launcher
/// said of it, and with what Open MPI needs here.  An OMPI_MCA_ variable that
/// the site or the user has set stays as it is.
std::vector<std::string> comm_environment(
    std::vector<std::string> const& inherited, CommEnvironment const& comm);

/// Does this node have a network that Open MPI has better means for than TCP:
/// InfiniBand, RoCE, Omni-Path, EFA or Slingshot?  `devices` is where Linux
/// lists them.
bool has_fast_network(std::string const& devices = "/sys/class");

/// The network interface with this numeric address; "" when there is none.
std::string interface_of(std::string const& address);

}  // namespace gleaner::comm_host
