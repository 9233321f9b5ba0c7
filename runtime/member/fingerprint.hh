// SPDX-License-Identifier: Apache-2.0
/// What does a member compute with?  Where it is the same, the same program
/// finds the same bits.
#pragma once

#include <string>

namespace gleaner::member {

/// For people and to be compared: version of this library, processor and its
/// vector instructions, threads that numerical libraries will use
/// ($OMP_NUM_THREADS, else the processors this process may use), and what the
/// program says of itself in $GLEANER_FINGERPRINT.
std::string fingerprint();

}  // namespace gleaner::member
