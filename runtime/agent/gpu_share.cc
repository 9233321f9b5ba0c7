// SPDX-License-Identifier: Apache-2.0
/// Which GPUs of a node each of its members sees.
#include "runtime/agent/gpu_share.hh"

namespace gleaner {

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
  if (members == gpus.size() && index < gpus.size()) return gpus[index];
  std::string all;
  for (auto const& gpu : gpus) all += (all.empty() ? "" : ",") + gpu;
  return all;
}

}  // namespace gleaner
