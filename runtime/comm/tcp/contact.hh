// SPDX-License-Identifier: Apache-2.0
/// What members of a plane tell each other before they connect.
#pragma once

#include <string>

#include "core/result.hh"

namespace gleaner::comm::tcp {

struct Contact {
  std::string host;      ///< numeric address
  int port = 0;          ///< where it listens
  std::string local;     ///< abstract name of its UNIX socket
  std::string nonce;     ///< random, new for each plane
  std::string node;      ///< members with equal ones can share memory
  std::string topology;  ///< where the node is in the network; "": unknown

  /// One line for each field, after the version; other than printable ASCII
  /// becomes '?'.
  std::string text() const;

  /// Fails with invalid_argument, quoting what cannot be read.
  static Result<Contact> parse(std::string const& text);
};

/// The node this process is on, as far as sharing memory goes: `name`, the
/// running kernel and the network namespace, in which abstract names are.
std::string node_identity(std::string const& name);

}  // namespace gleaner::comm::tcp
