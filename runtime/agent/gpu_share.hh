// SPDX-License-Identifier: Apache-2.0
/// Which GPUs of a node each of its members sees.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace gleaner::agent {

/// The devices in the text of CUDA_VISIBLE_DEVICES: "0,1" or UUIDs; a "-1"
/// ends the list, as CUDA reads it.
std::vector<std::string> visible_gpus(std::string_view text);

/// CUDA_VISIBLE_DEVICES for member `index` of `members` on this node: its own
/// slice, as even as can be, of GPUs that are neighbours.  Where there are more
/// members than GPUs, each has one, which as few others as can be have, too.
std::string gpu_share(std::vector<std::string> const& gpus, std::size_t index,
                      std::size_t members);

}  // namespace gleaner::agent
