// SPDX-License-Identifier: Apache-2.0
/// A directory in memory that goes with its owner, however that ends.
///
/// In /dev/shm where there is one.  It is locked while its owner lives, so that
/// anyone else of the same user on the node can tell what was left behind by an
/// owner that was killed, and remove it.
#pragma once

#include <string>

#include "core/result.hh"
#include "runtime/os/fd.hh"

namespace gleaner::os {

class OwnedDirectory {
 public:
  /// A new one, for this user only.  Fails with io.
  static Result<OwnedDirectory> make();

  /// Removes directories of this user that no process owns any more.
  static void remove_abandoned();

  OwnedDirectory(OwnedDirectory&&) = default;
  ~OwnedDirectory();  ///< removes it, with all that is in it

  std::string const& path() const { return path_; }

 private:
  OwnedDirectory() = default;
  std::string path_;
  Fd lock_;
};

}  // namespace gleaner::os
