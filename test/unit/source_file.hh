// SPDX-License-Identifier: Apache-2.0
/// The text of a file of the source tree, for tests that documents agree.
#pragma once

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include "test/unit/catch.hh"

namespace gleaner::test {

/// `name` is relative to the top of the tree.
inline std::string source_file(std::string const& name) {
  char const* top = std::getenv("top_srcdir");
  std::ifstream file((top ? std::string(top) : ".") + "/" + name);
  std::ostringstream text;
  text << file.rdbuf();
  INFO(name << " (run from the source tree, or set top_srcdir)");
  REQUIRE(file);
  return text.str();
}

}  // namespace gleaner::test
