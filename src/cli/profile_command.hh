// SPDX-License-Identifier: Apache-2.0
/// `gleaner profile`: asks gleanerd how a training scales, and shows it.
#pragma once

#include <string>

#include "core/cluster.hh"

namespace gleaner::cli {

struct ProfileOptions {
  JobId job = 0;
  std::string config;  ///< path of gleaner.yaml; "": where it is by default
  bool json = false;
  std::string svg;  ///< file to write the picture to; "": none
};

/// Returns the exit status.
int run_profile(ProfileOptions const& options);

}  // namespace gleaner::cli
