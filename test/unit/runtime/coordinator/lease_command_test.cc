// SPDX-License-Identifier: Apache-2.0
/// What the coordinator asks of Slurm, and what it keeps from srun.
#include "runtime/coordinator/lease_command.hh"

#include <algorithm>

#include "test/unit/catch.hh"

namespace gleaner::coordinator {
namespace {

TEST_CASE("nothing of the base job reaches the lease's srun") {
  CHECK(scrubbed_environment(
            {"PATH=/bin", "SLURM_JOB_ID=9", "SLURM_CONF=/etc/slurm.conf",
             "SLURMD_NODENAME=head", "SRUN_DEBUG=3", "SBATCH_ACCOUNT=a",
             "SALLOC_ACCOUNT=a", "SPANK_X=1", "_SLURM_SPANK_OPTION_a=1",
             "PMI_RANK=0", "PMIX_RANK=0", "CUDA_VISIBLE_DEVICES=0",
             "ROCR_VISIBLE_DEVICES=0", "GLEANER_CONF=/g", "HOME=/home/ada"}) ==
        std::vector<std::string>{"PATH=/bin", "SLURM_CONF=/etc/slurm.conf",
                                 "GLEANER_CONF=/g", "HOME=/home/ada"});
}

TEST_CASE("a lease asks for its whole node, now, with its ticket") {
  auto const argv = lease_command(
      {"n3", "gleaner1:x", 60, 0},
      {"--partition=lease", "--reservation=gleaner", "--gres=gpu:4"},
      "/usr/libexec/gleaner/gleaner-agent");
  auto const has = [&](char const* option) {
    INFO(option);
    return std::count(argv.begin(), argv.end(), option) == 1;
  };
  CHECK(argv.front() == "srun");
  CHECK(has("--nodelist=n3"));
  CHECK(has("--comment=gleaner1:x"));
  CHECK(has("--time=60"));
  CHECK(has("--exclusive"));
  CHECK(has("--mem=0"));
  CHECK(has("--immediate"));
  CHECK(has("--partition=lease"));
  CHECK(has("--gres=gpu:4"));
  CHECK(argv.back() == "/usr/libexec/gleaner/gleaner-agent");
}

TEST_CASE("a part of a node is asked for as it was granted") {
  auto const argv = lease_command(
      {"n3+1", "gleaner2:x", 60, 0, Resources{2, 8000, {{"gpu:a", 1}}}},
      {"--partition=lease", "--gres=gpu:1", "--mem=4000M", "--cpus-per-task=1",
       "--constraint=fast", "--threads-per-core=1"},
      "agent");
  auto const has = [&](std::string_view option) {
    return std::count(argv.begin(), argv.end(), option) == 1;
  };
  for (auto const* option :
       {"--nodelist=n3", "--gres=gpu:a:1", "--cpus-per-task=2", "--mem=8000M",
        "--cpu-bind=cores", "--immediate", "--partition=lease",
        "--constraint=fast", "--comment=gleaner2:x"}) {
    CAPTURE(option);
    CHECK(has(option));
  }
  for (auto const* option :
       {"--exclusive", "--mem=0", "--gres=gpu:1", "--mem=4000M",
        "--cpus-per-task=1", "--threads-per-core=1", "--cpu-bind=none"}) {
    CAPTURE(option);
    CHECK_FALSE(has(option));
  }
}

TEST_CASE("a lease is charged as its base job is") {
  using Options = std::vector<std::string>;
  CHECK(charge_options({"SLURM_JOB_QOS=long", "SLURM_JOB_ACCOUNT=physics",
                        "SLURM_JOB_ACCOUNT_X=y", "ACCOUNT=z"}) ==
        Options{"--account=physics", "--qos=long"});
  CHECK(charge_options({"SLURM_JOB_ACCOUNT=", "HOME=/"}) == Options{});
  // With spaces it still is one word for srun.
  CHECK(charge_options({"SLURM_JOB_ACCOUNT=a --uid=0"}) ==
        Options{"--account=a --uid=0"});
}

}  // namespace
}  // namespace gleaner::coordinator
