// SPDX-License-Identifier: Apache-2.0
/// Cutting nodes.
#include "daemon/decisions/cut.hh"

#include <algorithm>

#include "core/part_size.hh"

namespace gleaner::daemon {

std::vector<Part> cut(NodeKind const& kind, Resources const& free,
                      std::set<int> const& taken, Resources const& asked) {
  std::vector<Part> parts;
  auto left = free;
  int index = 0;
  auto const most = static_cast<std::size_t>(std::max(0, kind.parts_max));
  for (auto const& type : gpu_types(free.gres)) {
    auto const size = part_size(kind, type, asked);
    if (!size) continue;
    while (parts.size() + taken.size() < most && covers(left, *size)) {
      while (taken.count(index)) ++index;
      parts.push_back({index++, *size});
      left = minus(left, *size);
    }
  }
  return parts;
}

PartSizes::PartSizes(std::vector<NodeKind> const& kinds,
                     std::vector<Resources> const& asked)
    : kinds_(kinds.size()) {
  for (std::size_t k = 0; k < kinds.size(); ++k) {
    if (kinds[k].parts_max == 0) continue;
    auto& of = kinds_[k];
    for (auto const& ask : asked)
      if (std::find(of.asked.begin(), of.asked.end(), ask) == of.asked.end() &&
          parts_of(kinds[k], ask) > 0)
        of.asked.push_back(ask);
    if (of.asked.size() < 2) continue;
    for (auto const& node : kinds[k].nodes)
      of.turn_of.emplace(node, of.turn_of.size() % of.asked.size());
  }
}

Resources const& PartSizes::on(std::string const& node, KindIndex kind) const {
  static Resources const nothing;
  if (kind >= kinds_.size() || kinds_[kind].asked.empty()) return nothing;
  auto const& of = kinds_[kind];
  auto const turn = of.turn_of.find(node);
  return of.asked[turn == of.turn_of.end() ? 0 : turn->second];
}

}  // namespace gleaner::daemon
