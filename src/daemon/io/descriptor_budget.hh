// SPDX-License-Identifier: Apache-2.0
/// How many connections gleanerd accepts, so that what ends leases never lacks
/// a file descriptor.
#pragma once

#include <cstddef>

#include "core/result.hh"

namespace gleaner::daemon {

/// Descriptors kept for everything but clients: calls to Slurm, the journal,
/// plugins, MUNGE.
inline constexpr std::size_t descriptors_reserved = 256;

/// Most clients at once, whatever the limit is.
inline constexpr std::size_t links_max = 4096;

/// Clients that fit `limit` descriptors: what the reserve leaves of it, up to
/// links_max.  Fails with invalid_argument, naming the remedy, when that is
/// less than 64.
Result<std::size_t> links_within(std::size_t limit);

/// Raise this process's soft limit of descriptors to what links_max needs, or
/// to the hard limit, and say how many clients fit it.
Result<std::size_t> raise_descriptor_limit();

}  // namespace gleaner::daemon
