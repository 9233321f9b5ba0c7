// SPDX-License-Identifier: Apache-2.0
/// How fast would a training job be on a slower network?
///
/// To find out before the machine is there, and to try on one computer how
/// Gleaner learns the scaling of trainings: a sum takes as much longer as a
/// ring over links of this latency and bandwidth would need for it.
#pragma once

#include <memory>

#include "runtime/comm/comm.hh"

namespace gleaner::comm {

/// How long `bytes` are under way in a ring of `size` members, seconds.
double ring_s(SlowLink const& link, int size, std::size_t bytes);

/// Makes sums of `plane` take longer; all else keeps its speed.
std::unique_ptr<Plane> make_slowed_plane(std::unique_ptr<Plane> plane,
                                         SlowLink const& link, int size);

}  // namespace gleaner::comm
