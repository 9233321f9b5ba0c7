// SPDX-License-Identifier: Apache-2.0
/// Do two members have the same state, without sending it?
///
/// What nothing but updates change is looked at: parameters and optimizer
/// state. Buffers, such as the running statistics of batch normalisation, are
/// each member's own, unless the program says that it keeps them equal.
#pragma once

#include <map>
#include <string>

#include "proto/runtime_messages.hh"
#include "runtime/state/registry.hh"

namespace gleaner::state {

enum class DigestOf {
  samples,  ///< 32 KiB from all over the state, other bytes in each step: 50 us
  tensors,  ///< every tensor, whole: for tests
};

/// What GLEANER_STATE_CHECK asks for: "sampled", the default, or "full".
Result<DigestOf> digest_wanted();

enum class Buffers {
  own,    ///< each member has its own
  equal,  ///< the same on all members after each step
};

/// What GLEANER_BUFFERS says of the program: "own", the default, or "equal".
Result<Buffers> buffers_promised();

/// SHA-256 in hex, by the tensor's name, or of the samples by "".  The same on
/// all members that have the same state of the same step.
std::map<std::string, std::string> state_digests(Registry const& registry,
                                                 msg::Step step, DigestOf of,
                                                 Buffers buffers);

}  // namespace gleaner::state
