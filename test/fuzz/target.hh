// SPDX-License-Identifier: Apache-2.0
/// What a fuzzer is: a property of every text, which libFuzzer tries to break.
///
/// Each target reads one kind of input as the product reads it, and says by
/// `must` what holds whatever the input is.  A crash, an error of memory,
/// something undefined or a broken property ends the run with the input.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

namespace gleaner::fuzz {

/// End the run, saying which property does not hold.
inline void must(bool holds, char const* property) {
  if (holds) return;
  std::fprintf(stderr, "fuzz: does not hold: %s\n", property);
  std::abort();
}

/// The rule of the target; defined once in each *_fuzz.cc.
void check(std::string_view input);

}  // namespace gleaner::fuzz

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data,
                                      std::size_t size) {
  gleaner::fuzz::check({reinterpret_cast<char const*>(data), size});
  return 0;
}
