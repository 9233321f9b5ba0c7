// SPDX-License-Identifier: Apache-2.0
/// Which files slurmctld may read while it holds its locks.
#include "core/local_disk.hh"

#include "test/unit/catch.hh"
#include "test/unit/plugins/scratch.hh"

namespace gleaner::plugins {

TEST_CASE("a file system is local unless it is known to be another one") {
  struct Row {
    unsigned long f_type;
    char const* name;
  };
  for (auto const& row : std::initializer_list<Row>{
           {0xef53, nullptr},      // ext4
           {0x58465342, nullptr},  // XFS
           {0x9123683e, nullptr},  // Btrfs
           {0x2fc12fc1, nullptr},  // ZFS
           {0x01021994, nullptr},  // tmpfs
           {0x794c7630, nullptr},  // overlayfs
           {0x6969, "NFS"},
           {0x0bd00bd0, "Lustre"},
           {0x47504653, "Storage Scale (GPFS)"},
           {0xfe534d42, "SMB"},
           {0x65735546, "FUSE"},
       }) {
    CAPTURE(row.f_type);
    auto const found = network_file_system(row.f_type);
    CHECK(found.has_value() == (row.name != nullptr));
    if (found && row.name) CHECK(*found == row.name);
  }
}

TEST_CASE("a path is judged by itself, or by where it would be made") {
  Scratch scratch;
  scratch.write("there", "");
  CHECK(check_local_disk(scratch.path("there")));
  CHECK(check_local_disk(scratch.path("missing")));
  CHECK(check_local_disk("/no/such/folder/file"));
  CHECK(check_local_disk("file"));
}

TEST_CASE("each path is asked for once") {
  LocalDiskChecks checks;
  CHECK(checks.check("/"));
  CHECK(checks.check("/"));
}

}  // namespace gleaner::plugins
