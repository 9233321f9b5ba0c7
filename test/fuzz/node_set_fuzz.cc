// SPDX-License-Identifier: Apache-2.0
/// Host lists: what Slurm and people write for sets of nodes.
#include "core/node_set.hh"
#include "test/fuzz/target.hh"

namespace gleaner::fuzz {

void check(std::string_view input) {
  auto const nodes = NodeSet::parse(input);
  if (!nodes) {
    must(nodes.error().message.size() < 1024, "a refusal is short");
    return;
  }
  must(nodes->size() <= 1'000'000, "no more than a million nodes");
  auto const text = nodes->to_string();
  auto const same = NodeSet::parse(text);
  must(same && *same == *nodes, "written and read it is the same");
  must(same->to_string() == text, "the text form is one");
}

}  // namespace gleaner::fuzz
