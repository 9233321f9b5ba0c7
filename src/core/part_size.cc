// SPDX-License-Identifier: Apache-2.0
/// The share of a node that goes with some of its GPUs.
#include "core/part_size.hh"

#include <algorithm>

namespace gleaner {
namespace {

constexpr std::string_view gpu = "gpu";

bool is_gpu(std::string_view key) {
  return key.substr(0, key.find(':')) == gpu;
}

/// Slurm allocates whole cores.
std::int64_t in_cores(std::int64_t cpus, int threads) {
  return (cpus + threads - 1) / threads * threads;
}

}  // namespace

std::vector<std::string> gpu_types(Gres const& gres) {
  std::vector<std::string> types;
  for (auto const& [key, count] : gres)
    if (is_gpu(key) && count > 0) types.push_back(key);
  return types;
}

std::int64_t gpus_of_part(std::string const& type, Gres const& asked) {
  auto const typed = asked.find(type);
  auto const any = asked.find(std::string(gpu));
  return std::max({std::int64_t{1}, typed == asked.end() ? 0 : typed->second,
                   any == asked.end() ? 0 : any->second});
}

std::optional<Resources> part_size(NodeKind const& kind,
                                   std::string const& type,
                                   Resources const& asked) {
  auto const all = count_of(kind.total.gres, gpu);
  auto const gpus = gpus_of_part(type, asked.gres);
  if (all == 0) return std::nullopt;
  auto const threads = std::max(1, kind.threads_per_core);
  auto const cores = kind.total.cpus / threads;
  auto const share = std::max<std::int64_t>(1, cores * gpus / all) * threads;
  Resources part;
  part.cpus = static_cast<int>(
      std::max(share, in_cores(std::int64_t{asked.cpus}, threads)));
  part.memory_mb = std::max(
      {std::int64_t{1}, kind.total.memory_mb * gpus / all, asked.memory_mb});
  part.gres[type] = gpus;
  if (!covers(kind.total, part) || !covers(part, asked)) return std::nullopt;
  return part;
}

int parts_of(NodeKind const& kind, Resources const& asked) {
  int parts = 0;
  auto left = kind.total;
  for (auto const& type : gpu_types(kind.total.gres))
    if (auto const size = part_size(kind, type, asked))
      for (; parts < kind.parts_max && covers(left, *size); ++parts)
        left = minus(left, *size);
  return parts;
}

}  // namespace gleaner
