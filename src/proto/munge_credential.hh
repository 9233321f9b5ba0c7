// SPDX-License-Identifier: Apache-2.0
/// Texts that one uid can open, and that say whose they are; libmunge's only
/// user.
///
/// Both calls wait for munged, which may hang.  They have a library of their
/// own, so that only programs that ask munged link libmunge.
#pragma once

#include <string>

#include "core/cluster.hh"
#include "core/result.hh"

namespace gleaner::proto {

/// A credential that only `reader` can open.  `socket`: munged's, "" for the
/// system's.  Fails with denied.
Result<std::string> munge_seal(std::string const& socket, Uid reader,
                               std::string const& text);

struct MungeText {
  Uid uid = 0;  ///< whose it is
  std::string text;
};

/// The text of a credential that this uid may open, once and in time.  Fails
/// with denied.
Result<MungeText> munge_open(std::string const& socket,
                             std::string const& credential);

}  // namespace gleaner::proto
