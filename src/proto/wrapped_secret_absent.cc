// SPDX-License-Identifier: Apache-2.0
/// Built without MUNGE: nothing is wrapped here, and nothing can be unwrapped.
#include "proto/wrapped_secret.hh"

namespace gleaner::proto {

Result<std::string> wrap_secret(std::string const&, std::string const&) {
  return Error{Errc::unavailable, "built without MUNGE"};
}

Result<std::string> unwrap_secret(std::string const&, std::string const&) {
  return Error{Errc::unavailable, "built without MUNGE"};
}

}  // namespace gleaner::proto
