// SPDX-License-Identifier: Apache-2.0
/// Which samples and steps is each state of a simulated training made of?
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "runtime/generation/sampler.hh"

namespace gleaner::generation::simulation {

/// States of the training, equal ones only once: what a state is made of.
class Lineages {
 public:
  struct Step {
    int before = 0;
    msg::Step step = 0;
    std::uint64_t pass = 0;
    Positions positions;
    Positions of_pass;  ///< in its pass, up to this step
  };
  Lineages() { steps_.emplace_back(); }

  static constexpr int initial = 0;
  /// The state after one more step.  Throws when a sample is in it twice, or
  /// the pass before is not complete.
  int after(int before, msg::Step step, std::uint64_t pass,
            Positions const& positions, SamplerOptions const& options);
  std::optional<int> find(int before, std::uint64_t pass,
                          Positions const& positions) const;
  Step const& at(int id) const { return steps_[id]; }
  /// The state `step` steps from the start, in the history of `id`.
  int ancestor(int id, msg::Step step) const;

 private:
  using Key = std::tuple<int, std::uint64_t,
                         std::vector<std::pair<std::uint64_t, std::uint64_t>>>;
  static Key key(int before, std::uint64_t pass, Positions const& positions);
  std::vector<Step> steps_;
  std::map<Key, int> ids_;
};

}  // namespace gleaner::generation::simulation
