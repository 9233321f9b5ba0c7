// SPDX-License-Identifier: Apache-2.0
/// The file by which job_submit_gleaner knows what is free
/// (core/free_nodes.hh).
#pragma once

#include <string>

#include "core/free_nodes.hh"

namespace gleaner::daemon {

/// Written when counts change, and again before they are too old to be
/// believed.  A gleanerd that is gone is so believed for no longer than that.
class FreeNodesFile {
 public:
  explicit FreeNodesFile(std::string const& run_dir)
      : path_(free_nodes_path(run_dir)) {}
  ~FreeNodesFile() { remove(); }
  FreeNodesFile(FreeNodesFile const&) = delete;
  FreeNodesFile& operator=(FreeNodesFile const&) = delete;

  /// Write `free`, to be believed for a few seconds; without partitions there
  /// is no file.  Fails with io.
  Result<void> publish(FreeNodes free, TimeS now);

 private:
  void remove();

  std::string path_;
  FreeNodes last_;  ///< what the file says
};

}  // namespace gleaner::daemon
