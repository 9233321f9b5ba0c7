// SPDX-License-Identifier: Apache-2.0
/// Which of this process's sockets are a Gloo pair's?
///
/// Gloo says which ports a pair listens on and connects to, but does not give
/// its descriptor away; so it is looked for among all.
#pragma once

#include <string>

namespace gleaner {

/// A pair's ends, as its members told each other.
struct PairEnds {
  std::string own_host;
  int own_port = 0;
  std::string their_host;
  int their_port = 0;
};

/// Let the kernel end the pair's connection when its link is silent for so
/// long (see end_when_silent()).  Returns how many connections that were: 1.
int end_pair_when_silent(PairEnds const& ends, double seconds);

}  // namespace gleaner
