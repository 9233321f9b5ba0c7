// SPDX-License-Identifier: Apache-2.0
/// When is one more step a state of the training, and which state is it?
#include "simulation_lineages.hh"

#include <algorithm>

#include "simulation_violation.hh"

namespace gleaner::generation::simulation {

Lineages::Key Lineages::key(int before, std::uint64_t pass,
                            Positions const& positions) {
  Key key{before, pass, {}};
  for (auto const& interval : positions)
    std::get<2>(key).emplace_back(interval.first, interval.last);
  return key;
}

std::optional<int> Lineages::find(int before, std::uint64_t pass,
                                  Positions const& positions) const {
  auto const it = ids_.find(key(before, pass, positions));
  if (it == ids_.end()) return std::nullopt;
  return it->second;
}

int Lineages::after(int before, msg::Step step, std::uint64_t pass,
                    Positions const& positions, SamplerOptions const& options) {
  if (auto const known = find(before, pass, positions)) return *known;
  auto const& last = steps_[before];
  Step next{before, step, pass, positions, {}};
  if (last.step != step - 1) throw Violation("a step is missing in a state");
  if (before == initial || pass != last.pass) {
    auto const left = options.dataset_size - count(last.of_pass);
    bool const complete =
        left == 0 || (options.drop_last && left < options.global_batch);
    if (before != initial && (!complete || pass != last.pass + 1))
      throw Violation("a pass ended without all its samples");
    next.of_pass = positions;
  } else {
    for (auto const& a : last.of_pass)
      for (auto const& b : positions)
        if (std::max(a.first, b.first) < std::min(a.last, b.last))
          throw Violation("a sample is twice in one pass of a state");
    next.of_pass = merged(last.of_pass, positions);
  }
  ids_[key(before, pass, positions)] = static_cast<int>(steps_.size());
  steps_.push_back(std::move(next));
  return static_cast<int>(steps_.size()) - 1;
}

int Lineages::ancestor(int id, msg::Step step) const {
  while (steps_[id].step > step) id = steps_[id].before;
  return id;
}

}  // namespace gleaner::generation::simulation
