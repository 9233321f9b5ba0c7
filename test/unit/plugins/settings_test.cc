// SPDX-License-Identifier: Apache-2.0
/// How a plugin keeps up with gleaner.yaml.
#include "plugins/settings.hh"

#include <atomic>
#include <cstdlib>
#include <thread>
#include <vector>

#include "test/unit/catch.hh"
#include "test/unit/plugins/scratch.hh"

namespace gleaner::plugins {

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

TEST_CASE("what was last good is known after a restart without a file") {
  Scratch scratch;
  setenv("GLEANER_CONF", scratch.path("gleaner.yaml").c_str(), 1);
  LastGood const kept(scratch.path("kept"));
  scratch.write("gleaner.yaml", "lease_partition: idle\nlease_qos: 'a: b'\n");
  Settings(kept).now();
  SECTION("it is gone") {
    std::filesystem::remove(scratch.path("gleaner.yaml"));
  }
  SECTION("it is no YAML") { scratch.write("gleaner.yaml", "lease: [\n"); }
  SECTION("it has an unknown key") { scratch.write("gleaner.yaml", "x: y\n"); }
  Settings restarted(kept);
  CHECK(restarted.now()->config.lease_partition == "idle");
  CHECK(restarted.now()->config.lease_qos == "a: b");
  CHECK(restarted.now()->error != "");

  scratch.write("gleaner.yaml", "lease_partition: spare\n");
  CHECK(restarted.now()->config.lease_partition == "spare");
  std::filesystem::remove(scratch.path("gleaner.yaml"));
  CHECK(Settings(kept).now()->config.lease_partition == "spare");
  unsetenv("GLEANER_CONF");
}

TEST_CASE("a kept configuration that is not whole is not believed") {
  Scratch scratch;
  LastGood kept(scratch.path("kept"));
  CHECK(kept.load().error().code == Errc::not_found);
  auto config = default_config();
  config.lease_partition = "idle";
  REQUIRE(kept.keep(config));
  CHECK(kept.load()->lease_partition == "idle");
  for (auto const* text :
       {"", "lease_partition: cut", "lease_partition: [\n# whole\n"}) {
    scratch.write("kept", text);
    CHECK_FALSE(kept.load());
  }
}

TEST_CASE("what cannot be kept is told, and what is there stays whole") {
  Scratch scratch;
  CHECK(LastGood("").keep(default_config()));
  auto const failed =
      LastGood(scratch.path("missing/kept")).keep(default_config());
  REQUIRE_FALSE(failed);
  CHECK_THAT(failed.error().message, Catch::Contains("missing/kept"));
}

TEST_CASE("while one thread reads the file, the others go on") {
  Scratch scratch;
  setenv("GLEANER_CONF", scratch.path("gleaner.yaml").c_str(), 1);
  scratch.write("gleaner.yaml", "lease_partition: n0\n");
  Settings settings;
  std::atomic<bool> stop{false};
  std::atomic<int> wrong{0};
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      while (!stop)
        if (settings.now()->config.lease_partition.front() != 'n') ++wrong;
    });
  for (int i = 1; i < 50; ++i) {
    scratch.write("next", "lease_partition: n" + std::string(i, '1') + "\n");
    std::filesystem::rename(scratch.path("next"), scratch.path("gleaner.yaml"));
    settings.now();
  }
  stop = true;
  threads.clear();
  CHECK(wrong == 0);
  CHECK(settings.now()->config.lease_partition == "n" + std::string(49, '1'));
  unsetenv("GLEANER_CONF");
}

}  // namespace gleaner::plugins
