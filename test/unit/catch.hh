// SPDX-License-Identifier: Apache-2.0
/// Catch2, version 2 or 3, as the unit tests write it.
///
/// The tests use version 2's names (Approx, Catch::Contains, Catch::StartsWith,
/// Catch::EndsWith), which version 3 moved or renamed.
#pragma once

#if __has_include(<catch2/catch_test_macros.hpp>)

#include <catch2/catch_approx.hpp>
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/catch_tostring.hpp>
#include <catch2/generators/catch_generators_all.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <string>

using Catch::Approx;

namespace Catch {
inline auto Contains(std::string const& part) {
  return Matchers::ContainsSubstring(part);
}
using Matchers::EndsWith;
using Matchers::StartsWith;
}  // namespace Catch

#else

#include <catch2/catch.hpp>

#endif
