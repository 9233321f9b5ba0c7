// SPDX-License-Identifier: Apache-2.0
/// Sets of hardware threads, written the way Linux writes them: "0-3,8".
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

namespace gleaner::os {

/// A bit for each, as sched_setaffinity() takes them; empty when the text is
/// no such list, or of none.
std::vector<unsigned long> cpu_mask(std::string_view list);

std::string cpu_list(std::vector<unsigned long> const& mask);

/// Where a process may run; "" when it is gone.
std::string affinity_of(pid_t pid);

}  // namespace gleaner::os
