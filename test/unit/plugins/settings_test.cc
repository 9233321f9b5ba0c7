// SPDX-License-Identifier: Apache-2.0
/// How a plugin keeps up with gleaner.yaml.
#include "plugins/settings.hh"

#include <cstdlib>

#include "test/unit/catch.hh"
#include "test/unit/plugins/scratch.hh"

using namespace gleaner;

TEST_CASE("the file is read, and read again when it changes") {
  Scratch scratch;
  setenv("GLEANER_CONF", scratch.path("gleaner.yaml").c_str(), 1);
  scratch.write("gleaner.yaml", "lease_partition: idle\n");
  Settings settings;
  CHECK(settings.now()->config.lease_partition == "idle");
  CHECK(settings.now()->error == "");

  scratch.write("gleaner.yaml", "lease_partition: spare_nodes\n");
  CHECK(settings.now()->config.lease_partition == "spare_nodes");
  unsetenv("GLEANER_CONF");
}

TEST_CASE("without a file the defaults guard, and the reason is known") {
  Scratch scratch;
  setenv("GLEANER_CONF", scratch.path("gleaner.yaml").c_str(), 1);
  Settings settings;
  CHECK(settings.now()->config.lease_partition == "lease");
  CHECK_THAT(settings.now()->error, Catch::Contains("gleaner.yaml"));
  unsetenv("GLEANER_CONF");
}

TEST_CASE("a file that becomes unreadable leaves what was known") {
  Scratch scratch;
  setenv("GLEANER_CONF", scratch.path("gleaner.yaml").c_str(), 1);
  scratch.write("gleaner.yaml", "lease_partition: idle\n");
  Settings settings;
  scratch.write("gleaner.yaml", "lease_partitoin: other\n");
  CHECK(settings.now()->config.lease_partition == "idle");
  CHECK_THAT(settings.now()->error, Catch::Contains("lease_partitoin"));

  scratch.write("gleaner.yaml", "lease_partition: third_name\n");
  CHECK(settings.now()->config.lease_partition == "third_name");
  CHECK(settings.now()->error == "");
  unsetenv("GLEANER_CONF");
}
