// SPDX-License-Identifier: Apache-2.0
/// Which file systems are local.
#include "core/local_disk.hh"

#include <sys/vfs.h>

namespace gleaner {

std::optional<std::string_view> network_file_system(unsigned long f_type) {
  // statfs(2), and the modules' own sources for what it does not list.
  static constexpr struct {
    unsigned long f_type;
    std::string_view name;
  } table[] = {
      {0x6969, "NFS"},        {0x517b, "SMB"},
      {0xff534d42, "CIFS"},   {0xfe534d42, "SMB"},
      {0x0bd00bd0, "Lustre"}, {0x47504653, "Storage Scale (GPFS)"},
      {0x00c36400, "Ceph"},   {0x19830326, "BeeGFS"},
      {0x5346414f, "AFS"},    {0x6b414653, "AFS"},
      {0x73757245, "Coda"},   {0x01021997, "9P"},
      {0xaad7aaea, "PanFS"},  {0x7461636f, "OCFS2"},
      {0x01161970, "GFS2"},   {0x20030528, "OrangeFS"},
      {0x65735546, "FUSE"},
  };
  for (auto const& row : table)
    if (row.f_type == f_type) return row.name;
  return std::nullopt;
}

Result<void> check_local_disk(std::string const& path) {
  struct statfs info {};
  auto const slash = path.rfind('/');
  auto const dir = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  if (statfs(path.c_str(), &info) != 0 && statfs(dir.c_str(), &info) != 0)
    return {};
  auto const network =
      network_file_system(static_cast<unsigned long>(info.f_type));
  if (!network) return {};
  return Error{Errc::denied,
               path + " is on a network file system, " + std::string(*network) +
                   " (slurmctld would stop when its server does) [put it on a "
                   "local disk]"};
}

Result<void> LocalDiskChecks::check(std::string const& path) {
  std::lock_guard const lock(mutex_);
  auto known = known_.find(path);
  if (known == known_.end())
    known = known_.emplace(path, check_local_disk(path)).first;
  return known->second;
}

}  // namespace gleaner
