// SPDX-License-Identifier: Apache-2.0
/// Which words may reach srun: a list, and everything else is refused.
#include "runtime/coordinator/lease_options.hh"

#include "test/unit/catch.hh"

namespace gleaner::coordinator {
namespace {

msg::Grant const grant{"n3", "gleaner1:1000:n3:9:60:1:2:00ff:8d1c", 60, 0};

TEST_CASE("what says where a lease is, and what it takes, is admitted") {
  auto const* const word = GENERATE(
      "--partition=lease", "--reservation=gleaner", "--account=ml_lab",
      "--qos=scavenge", "--gres=gpu:a100:4,nvme:1", "--gpus-per-node=a100:2",
      "--constraint=a100&(ib|roce)", "--exclude=n[1-3,7]", "--nodelist=n3",
      "--mem=16000M", "--mem-per-cpu=2G", "--cpus-per-task=8", "--mincpus=16",
      "--tmp=100M", "--gres-flags=enforce-binding", "--threads-per-core=1",
      "--exclusive");
  auto const done = check_lease_request(grant, {word});
  INFO(word << ": " << (done ? "" : done.error().message));
  CHECK(done);
}

TEST_CASE("what names a program, a file or another job is refused") {
  auto const* const word = GENERATE(
      "--prolog=/tmp/evil", "--epilog=/tmp/evil", "--task-prolog=/tmp/evil",
      "--task-epilog=/tmp/evil", "--prol=/tmp/evil", "--task-p=/tmp/evil",
      "--bcast=/home/ada/.profile", "--mpi=evil", "--multi-prog", "--pty",
      "--output=/home/ada/.bashrc", "--error=f", "--input=f", "--chdir=evil",
      "--export=LD_PRELOAD=evil.so", "--container=evil", "--jobid=17",
      "--propagate=ALL", "--uid=0", "--comment=other", "--het-group=1",
      "--network=x", "--licenses=x:1", "--comment=x", "--export-file=f",
      "--acctg-freq=1", "--get-user-env", "--malleable=1-2", "--nodes=2",
      "--time=9", "--immediate", "--no-such-option=1");
  auto const done = check_lease_request(grant, {"--partition=lease", word});
  INFO(word);
  REQUIRE_FALSE(done);
  CHECK(done.error().code == Errc::denied);
  CHECK(done.error().message.find(word) != std::string::npos);
}

TEST_CASE("what is no --NAME=VALUE is refused") {
  auto const* const word =
      GENERATE("", "-", "--", "--=", "=", "/tmp/evil", "evil", "-pevil", "-c8",
               "--partition", "--partition=", "partition=lease");
  CHECK_FALSE(check_lease_request(grant, {word}));
}

TEST_CASE("a value is one word of plain characters") {
  auto const* const value = GENERATE("a b", "a\nb", "a\tb", "'a'", "\"a\"",
                                     "a\x7f", "\xc3\xa9", "a\\b");
  INFO(value);
  CHECK_FALSE(check_lease_request(grant, {std::string("--nodelist=") + value}));
  CHECK_FALSE(
      check_lease_request(grant, {std::string("--constraint=") + value}));
}

TEST_CASE("a list of nodes is not the name of a file") {
  auto const* const option = GENERATE("--nodelist=/tmp/list", "--exclude=../l");
  CHECK_FALSE(check_lease_request(grant, {option}));
  // Names of features are the site's; no shell reads them.
  CHECK(check_lease_request(grant, {"--constraint=el8/x#1"}));
}

TEST_CASE("values and lists of options have an end") {
  CHECK(check_lease_request(grant, {"--exclude=" + std::string(1024, 'n')}));
  CHECK_FALSE(
      check_lease_request(grant, {"--exclude=" + std::string(1025, 'n')}));
  CHECK(check_lease_request(grant,
                            std::vector<std::string>(32, "--partition=lease")));
  CHECK_FALSE(check_lease_request(
      grant, std::vector<std::string>(33, "--partition=lease")));
}

TEST_CASE("a grant names a node, or a part of one, and a ticket") {
  auto const* const node = GENERATE("n3", "gpu-a.cluster");
  CHECK(check_lease_request({node, "gleaner1:x", 1, 0}, {}));
  Resources const part{2, 8000, {{"gpu:a", 1}}};
  CHECK(check_lease_request({"n3+1", "gleaner2:x", 1, 0, part}, {}));
  CHECK_FALSE(check_lease_request({"n3+1", "gleaner1:x", 1, 0}, {}));
  CHECK_FALSE(check_lease_request({"n3", "gleaner2:x", 1, 0, part}, {}));
  auto const* const no_node = GENERATE("", "n[1-2]", "n1,n2", "/tmp/f", "n 1");
  CHECK_FALSE(check_lease_request({no_node, "gleaner1:x", 1, 0}, {}));
  auto const* const no_ticket = GENERATE("", "a b", "a\nb", "'x'", "a/b");
  CHECK_FALSE(check_lease_request({"n3", no_ticket, 1, 0}, {}));
}

TEST_CASE("what a part takes is plain words and numbers") {
  auto const refused = [](Resources const& part) {
    return !check_lease_request({"n3+1", "gleaner2:x", 1, 0, part}, {});
  };
  CHECK_FALSE(refused({2, 8000, {{"gpu:a100-40", 1}, {"nvme", 2}}}));
  CHECK(refused({2, 8000, {}}));
  CHECK(refused({2, 8000, {{"gpu --bcast", 1}}}));
  CHECK(refused({2, 8000, {{"gpu/x", 1}}}));
  CHECK(refused({0, 8000, {{"gpu", 1}}}));
  CHECK(refused({2, 0, {{"gpu", 1}}}));
}

}  // namespace
}  // namespace gleaner::coordinator
