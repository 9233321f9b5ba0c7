// SPDX-License-Identifier: Apache-2.0
/// The value of --malleable, read in sbatch (SPANK) and in slurmctld.
#include "plugins/malleable_range.hh"
#include "test/fuzz/target.hh"

namespace gleaner::fuzz {

void check(std::string_view input) {
  auto const range = plugins::parse_malleable_range(input);
  if (!range) {
    auto const& why = range.error().message;
    must(why.size() < 300, "a refusal is short");
    must(why.find_first_of("\n\r\x1b") == why.npos,
         "a refusal is fit for a terminal");
    return;
  }
  must(1 <= range->nodes_min && range->nodes_min <= range->nodes_max &&
           range->nodes_max <= plugins::malleable_nodes_max,
       "a range is within its bounds");
  auto const same =
      plugins::parse_malleable_range(std::to_string(range->nodes_min) + '-' +
                                     std::to_string(range->nodes_max));
  must(same && *same == *range, "written and read it is the same");
}

}  // namespace gleaner::fuzz
