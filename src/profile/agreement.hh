// SPDX-License-Identifier: Apache-2.0
/// Are two trainings of one family really alike?
///
/// The same program with the same batch may still do something else: by an
/// option, by its data, on other links.  What it teaches would be worse than
/// nothing.
#pragma once

#include "profile/learned.hh"
#include "profile/pace.hh"

namespace gleaner::profile {

/// Whether what `own` measured is what one would expect from `known`, within
/// a tenth beyond the interval.
bool agree(Learned const& known, Learned const& own, Traits const& traits);

}  // namespace gleaner::profile
