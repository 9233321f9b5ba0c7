// SPDX-License-Identifier: Apache-2.0
/// Can reading a file hang, because a server somewhere else holds it?
///
/// job_submit and prep are called under slurmctld's locks: a file server that
/// does not answer would stop the whole scheduler there.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "core/result.hh"

namespace gleaner {

/// "NFS" and the like, for the f_type of statfs(2) of a file system whose data
/// comes over a network, or from a process (FUSE); none for any other.
std::optional<std::string_view> network_file_system(unsigned long f_type);

/// Is `path`, or its directory while it does not exist, on a local disk?
/// Fails with denied, naming the file system.  What cannot be found out is
/// taken as local: reading it fails soon.
Result<void> check_local_disk(std::string const& path);

/// The same, asked of the file system once for each path: a file server is not
/// touched again.  Threads may share one.
class LocalDiskChecks {
 public:
  Result<void> check(std::string const& path);

 private:
  std::mutex mutex_;
  std::map<std::string, Result<void>> known_;
};

}  // namespace gleaner
