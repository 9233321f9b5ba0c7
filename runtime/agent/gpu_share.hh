// SPDX-License-Identifier: Apache-2.0
/// Which GPUs of a node each of its members sees.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace gleaner {

/// The devices in the text of CUDA_VISIBLE_DEVICES: "0,1" or UUIDs; a "-1"
/// ends the list, as CUDA reads it.
std::vector<std::string> visible_gpus(std::string_view text);

/// CUDA_VISIBLE_DEVICES for member `index` of `members` on this node: its own
/// GPU when there is one for each, else all of them.
std::string gpu_share(std::vector<std::string> const& gpus, std::size_t index,
                      std::size_t members);

}  // namespace gleaner
