// SPDX-License-Identifier: Apache-2.0
#include "sim/idle_events.hh"

#include <unordered_map>

#include "sim/input_file.hh"

namespace gleaner::sim {

Result<IdleEvents> read_idle_events(std::string const& file) {
  IdleEvents all;
  std::unordered_map<std::string, NodeNumber> numbers;
  std::vector<bool> idle;
  auto const read = read_csv(file, "t_s,node,state", [&](Line& line) {
    double const t_s = line.number(0, "t_s", 0);
    auto const name = line.text(1, "node");
    int const state = line.whole(2, "state", 0);
    if (state > 1) line.refuse("found a state beyond 1 (expected 0 or 1)");
    if (!all.events.empty() && t_s < all.events.back().t_s)
      line.refuse("time runs backwards (expected the lines in order of t_s)");
    auto const [at, is_new] =
        numbers.emplace(name, static_cast<NodeNumber>(all.nodes.size()));
    if (is_new) {
      all.nodes.push_back(name);
      idle.push_back(false);
    }
    auto const node = at->second;
    if (idle[node] == (state == 1))
      line.refuse("node '" + name + "' is " + (state == 1 ? "" : "not ") +
                  "idle already (expected a change)");
    idle[node] = state == 1;
    all.events.push_back({t_s, node, state == 1});
    return line.result();
  });
  if (!read) return read.error();
  return all;
}

}  // namespace gleaner::sim
