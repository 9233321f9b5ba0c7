// SPDX-License-Identifier: Apache-2.0
/// How a training's secret goes through srun, which encrypts nothing.
///
/// As a MUNGE credential for the user's own uid, of the text "gleaner secret
/// k": the network and other users see nothing of it, and nothing else takes it
/// for its own.
#pragma once

#include <string>
#include <string_view>

#include "core/result.hh"

namespace gleaner::proto {

/// Whether a line is one that wrap_secret() made.
inline bool is_wrapped(std::string_view line) {
  return line.starts_with("MUNGE:");
}

/// A line without blanks.  Waits for munged.  Fails with denied.
Result<std::string> wrap_secret(std::string const& munge_socket,
                                std::string const& secret);

/// The secret that this uid wrapped, on any host.  Waits for munged.
/// Fails with denied, and with unavailable where we were built without MUNGE.
Result<std::string> unwrap_secret(std::string const& munge_socket,
                                  std::string const& line);

}  // namespace gleaner::proto
