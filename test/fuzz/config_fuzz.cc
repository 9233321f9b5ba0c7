// SPDX-License-Identifier: Apache-2.0
/// gleaner.yaml, which slurmctld reads too.
#include "core/config.hh"
#include "test/fuzz/target.hh"

namespace gleaner::fuzz {

void check(std::string_view input) {
  auto const config = parse_config(input, "gleaner.yaml");
  if (!config) {
    must(config.error().message.find("gleaner.yaml") == 0,
         "a refusal begins with the file");
    return;
  }
  auto const text = to_yaml(*config);
  auto const same = parse_config(text, "gleaner.yaml");
  must(same && to_yaml(*same) == text, "written and read it is the same");
}

}  // namespace gleaner::fuzz
