// SPDX-License-Identifier: Apache-2.0
/// Which GPUs of a node each of its members sees.
#include "runtime/agent/gpu_share.hh"

#include <algorithm>

namespace gleaner::agent {

std::vector<std::string> visible_gpus(std::string_view text) {
  std::vector<std::string> gpus;
  while (!text.empty()) {
    auto const comma = text.find(',');
    auto const gpu = text.substr(0, comma);
    if (gpu.empty() || gpu == "-1" || gpu == "NoDevFiles") break;
    gpus.emplace_back(gpu);
    if (comma == std::string_view::npos) break;
    text.remove_prefix(comma + 1);
  }
  return gpus;
}

std::string gpu_share(std::vector<std::string> const& gpus, std::size_t index,
                      std::size_t members) {
  if (gpus.empty()) return "";
  members = std::max(members, index + 1);
  auto const first = index * gpus.size() / members;
  auto const end = (index + 1) * gpus.size() / members;
  std::string share = gpus[first];
  for (auto i = first + 1; i < end; ++i) share += ',' + gpus[i];
  return share;
}

}  // namespace gleaner::agent
