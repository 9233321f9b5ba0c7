// SPDX-License-Identifier: Apache-2.0
/// What a daemon of Slurm must have for our plugins, and has.
#include "slurm/symbols.hh"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "test/unit/catch.hh"

namespace gleaner::slurm {
using Names = std::vector<std::string>;

namespace {

/// The program as a shell would find it, or where daemons are; "" if nowhere.
std::string program(std::string const& name) {
  char const* const path = std::getenv("PATH");
  std::istringstream dirs(std::string(path ? path : "") +
                          ":/usr/local/sbin:/usr/sbin:/sbin");
  for (std::string dir; std::getline(dirs, dir, ':');)
    if (access((dir + "/" + name).c_str(), X_OK) == 0) return dir + "/" + name;
  return "";
}

std::string plugin(std::string const& name) {
  char const* const top = std::getenv("top_builddir");
  return std::string(top ? top : ".") + "/plugins/.libs/" + name + ".so";
}

}  // namespace

TEST_CASE("what the dynamic linker prints") {
  struct Row {
    char const* line;
    Names missing;
  };
  for (auto const& row : std::initializer_list<Row>{
           {"", {}},
           {"\tlinux-vdso.so.1 (0x00007f0000000000)", {}},
           {"\tlibc.so.6 => /lib/libc.so.6 (0x00007f0000000000)", {}},
           {"\tlibyaml.so.0 => not found", {"libyaml.so.0 (library)"}},
           {"undefined symbol: running_in_slurmctld\t(/p/prep.so)",
            {"running_in_slurmctld"}},
           {"undefined symbol: main\t(/p/other.so)", {}},
           {"/p/prep.so: symbol lookup warning: undefined symbol: f "
            "(/p/prep.so)",
            {}},
           {"symbol f, version V_2 not defined in file libx.so.1 with link "
            "time "
            "reference\t(/p/prep.so)",
            {"f"}},
           {"undefined symbol: b\t(/p/prep.so)\nundefined symbol: "
            "a\t(/p/prep.so)"
            "\nundefined symbol: a\t(/p/prep.so)\n",
            {"a", "b"}},
       }) {
    CAPTURE(row.line);
    auto const missing = parse_linker_trace(row.line, "/p/prep.so");
    REQUIRE(missing);
    CHECK(*missing == row.missing);
  }
  for (auto const* line :
       {"ERROR: ld.so: object '/p/prep.so' from LD_PRELOAD cannot be preloaded "
        "(invalid ELF header): ignored.",
        "./daemon: error while loading shared libraries: ./daemon: invalid ELF "
        "header"}) {
    auto const missing = parse_linker_trace(line, "/p/prep.so");
    REQUIRE_FALSE(missing);
    CHECK(missing.error().message == line);
  }
}

TEST_CASE("each plugin finds what it needs in the daemons that load it") {
  struct Row {
    char const* plugin;
    Names programs;
  };
  for (auto const& row : std::initializer_list<Row>{
           {"job_submit_gleaner", {"slurmctld"}},
           {"sched_gleaner", {"slurmctld"}},
           {"sched_backfill", {"slurmctld"}},
           {"prep_gleaner", {"slurmctld", "slurmd"}},
           {"spank_gleaner",
            {"sbatch", "salloc", "srun", "slurmd", "slurmstepd"}},
       })
    for (auto const& name : row.programs) {
      CAPTURE(row.plugin, name);
      auto const missing = missing_symbols(plugin(row.plugin), program(name));
      INFO((missing ? "" : missing.error().message));
      REQUIRE(missing);
      CHECK(*missing == Names{});
    }
}

TEST_CASE("what a program does not have is named") {
  auto const missing =
      missing_symbols(plugin("job_submit_gleaner"), program("true"));
  REQUIRE(missing);
  for (auto const* name :
       {"slurm_conf", "slurm_error", "slurm_info", "slurm_xfree"})
    CHECK(std::count(missing->begin(), missing->end(), name) == 1);
}

TEST_CASE("what is no plugin or no program is told, and not run") {
  auto const here = plugin("job_submit_gleaner");
  CHECK(missing_symbols(here, "/missing").error().code == Errc::not_found);
  CHECK(missing_symbols("/missing", program("true")).error().code ==
        Errc::not_found);
  CHECK(missing_symbols("/etc/passwd", program("true")).error().code ==
        Errc::invalid_argument);
  CHECK(missing_symbols("/a b", program("true")).error().code ==
        Errc::invalid_argument);
  char script[] = "/tmp/gleaner-test-XXXXXX";
  int const fd = mkstemp(script);
  REQUIRE(fd >= 0);
  std::string const text = "#!/bin/sh\nrm -f " + std::string(script) + "\n";
  REQUIRE(write(fd, text.data(), text.size()) ==
          static_cast<ssize_t>(text.size()));
  REQUIRE(fchmod(fd, 0700) == 0);
  close(fd);
  auto const refused = missing_symbols(here, script);
  CHECK_FALSE(refused);
  CHECK(unlink(script) == 0);
}

}  // namespace gleaner::slurm
