// SPDX-License-Identifier: Apache-2.0
/// What each option of `sbatch --malleable` becomes in a lease.
#include "plugins/job_submit/lease_template.hh"

#include "test/unit/catch.hh"

namespace gleaner::job_submit {

namespace {

plugins::MalleableRange const range{2, 16};

JobRequest request() {
  JobRequest job;
  job.is_batch = true;
  job.submitter = job.uid = 1000;
  job.malleable = "2-16";
  return job;
}

std::string template_of(JobRequest const& job) {
  auto const made = make_lease_template(job, range);
  INFO((made ? "" : made.error().message));
  REQUIRE(made);
  return *made;
}

}  // namespace

TEST_CASE("a job that asks for nothing has an empty template") {
  CHECK(template_of(request()) == "");
}

TEST_CASE("what is asked of each node is asked of each lease") {
  struct Row {
    char const* becomes;
    void (*ask)(JobRequest*);
  };
  for (auto const& row : std::initializer_list<Row>{
           {"--gres=gpu:4",
            [](auto* j) { j->tres_per_node = "gres:gpu:4"; }},  // 22.05
           {"--gres=gpu:4",
            [](auto* j) { j->tres_per_node = "gres/gpu:4"; }},  // 23.11
           {"--gres=gpu:a100:4,nic:1",
            [](auto* j) { j->tres_per_node = "gres:gpu:a100:4,gres:nic:1"; }},
           {"", [](auto* j) { j->tres_per_node = "gres:none"; }},
           {"--constraint=a100&ib", [](auto* j) { j->constraint = "a100&ib"; }},
           {"--constraint=a100|h100",
            [](auto* j) { j->constraint = "a100|h100"; }},
           {"--exclude=n[1-3],m7", [](auto* j) { j->excluded = "n[1-3],m7"; }},
           {"--mem=2048M", [](auto* j) { j->mem_per_node_mb = 2048; }},
           {"", [](auto* j) { j->mem_per_node_mb = 0; }},
           {"--tmp=100M --threads-per-core=1",
            [](auto* j) {
              j->passed_on = {
                  {"--tmp", "100M", PassedOn::Says::place},
                  {"--threads-per-core", "1", PassedOn::Says::amount}};
            }},
           {"",
            [](auto* j) {
              j->passed_on = {{"--tmp", "", PassedOn::Says::place}};
            }},
           {"--partition=main,long",
            [](auto* j) { j->partition = "main,long"; }},
           // CPUs of a node, however they were asked for.
           {"", [](auto* j) { j->cpus_per_node_min = 1; }},
           {"--cpus-per-task=8", [](auto* j) { j->cpus_per_node_min = 8; }},
           {"--cpus-per-task=4", [](auto* j) { j->cpus_per_task = 4; }},
           {"--cpus-per-task=2", [](auto* j) { j->tasks_per_node = 2; }},
           {"--cpus-per-task=12",
            [](auto* j) {
              j->tasks_per_node = 3;
              j->cpus_per_task = 4;
            }},
           {"--cpus-per-task=16",
            [](auto* j) {
              j->cpus_per_task = 4;
              j->cpus_per_node_min = 16;
            }},
           {"--gres=gpu:4 --cpus-per-task=24",
            [](auto* j) {
              j->tres_per_node = "gres:gpu:4";
              j->cpus_per_tres = "gres:gpu:6";
            }},
           {"--gres=gpu:a:2,gpu:b:1,nic:7 --cpus-per-task=18",
            [](auto* j) {
              j->tres_per_node = "gres/gpu:a:2,gres/gpu:b:1,gres/nic:7";
              j->cpus_per_tres = "gres/gpu:6";
            }},
           {"--gres=gpu --cpus-per-task=6",
            [](auto* j) {
              j->tres_per_node = "gres:gpu";
              j->cpus_per_tres = "gres:gpu:6";
            }},
           // Memory of a node.
           {"--mem=4096M", [](auto* j) { j->mem_per_cpu_mb = 4096; }},
           {"--mem=8192M --cpus-per-task=8",
            [](auto* j) {
              j->mem_per_cpu_mb = 1024;
              j->cpus_per_task = 8;
            }},
           {"--gres=gpu:a100:4 --mem=40960M",
            [](auto* j) {
              j->tres_per_node = "gres:gpu:a100:4";
              j->mem_per_tres = "gres:gpu:10240";
            }},
       }) {
    CAPTURE(row.becomes);
    auto job = request();
    row.ask(&job);
    CHECK(template_of(job) == row.becomes);
  }
}

TEST_CASE("several options stand in one order, a space between") {
  auto job = request();
  job.mem_per_node_mb = 1024;
  job.constraint = "a100";
  job.tres_per_node = "gres:gpu:4";
  job.partition = "main";
  CHECK(template_of(job) ==
        "--gres=gpu:4 --constraint=a100 --partition=main --mem=1024M");
}

TEST_CASE("--nodes within the range says nothing new") {
  auto job = request();
  job.nodes_min = 4;
  CHECK(template_of(job) == "");
  job.nodes_max = 16;
  CHECK(template_of(job) == "");
}

TEST_CASE("--ntasks says nothing new when it follows from the others") {
  auto job = request();
  job.tasks = 1;
  CHECK(template_of(job) == "");
  job.nodes_min = 4;
  job.tasks_per_node = 2;
  job.tasks = 8;
  CHECK(template_of(job) == "--cpus-per-task=2");
}

TEST_CASE("root is told that it gets no leases") {
  auto job = request();
  job.uid = 0;
  auto const made = make_lease_template(job, range);
  REQUIRE_FALSE(made);
  CHECK(made.error().code == Errc::denied);
  CHECK_THAT(made.error().message,
             Catch::Contains("root") &&
                 Catch::EndsWith("[submit it as an ordinary user]"));
}

TEST_CASE("what has no meaning for leases is refused by name") {
  struct Row {
    char const* says;
    void (*ask)(JobRequest*);
  };
  for (auto const& row : std::initializer_list<Row>{
           {"--nodelist='n[1-2]'", [](auto* j) { j->required = "n[1-2]"; }},
           {"--switches='1'", [](auto* j) { j->switches = 1; }},
           {"--contiguous", [](auto* j) { j->contiguous = true; }},
           {"--reservation='mine'", [](auto* j) { j->reservation = "mine"; }},
           {"--gpus='gres:gpu:8'",
            [](auto* j) { j->tres_per_job = "gres:gpu:8"; }},
           {"--gpus-per-task",
            [](auto* j) { j->tres_per_task = "gres:gpu:1"; }},
           {"--gpus-per-socket",
            [](auto* j) { j->tres_per_socket = "gres:gpu:1"; }},
           {"--ntasks='8'", [](auto* j) { j->tasks = 8; }},
           {"--ntasks='8'",
            [](auto* j) {
              j->tasks = 8;
              j->tasks_per_node = 4;
            }},
           {"--cpus-per-gpu='6': how many GPUs",
            [](auto* j) { j->cpus_per_tres = "gres:gpu:6"; }},
           {"--mem-per-gpu='4096': how many GPUs",
            [](auto* j) { j->mem_per_tres = "gres:gpu:4096"; }},
           {"--gpu-bind", [](auto* j) { j->meaningless = {"--gpu-bind"}; }},
           {"--nodes='32-32'", [](auto* j) { j->nodes_min = 32; }},
           {"--nodes='1-1'", [](auto* j) { j->nodes_min = 1; }},
           {"--nodes='2-17'",
            [](auto* j) {
              j->nodes_min = 2;
              j->nodes_max = 17;
            }},
           {"a heterogeneous job", [](auto* j) { j->is_het = true; }},
           {"--constraint='[a|b]'", [](auto* j) { j->constraint = "[a|b]"; }},
           {"--constraint='!a'", [](auto* j) { j->constraint = "!a"; }},
           {"--constraint='a*2'", [](auto* j) { j->constraint = "a*2"; }},
           {"--constraint='a --partition?main'",
            [](auto* j) { j->constraint = "a --partition\tmain"; }},
           {"--gres='gpu:4 --uid=0'",
            [](auto* j) { j->tres_per_node = "gres:gpu:4 --uid=0"; }},
           {"shorten", [](auto* j) { j->excluded = std::string(900, 'n'); }},
       }) {
    CAPTURE(row.says);
    auto job = request();
    row.ask(&job);
    auto const made = make_lease_template(job, range);
    REQUIRE_FALSE(made);
    CHECK(made.error().code == Errc::invalid_argument);
    CHECK_THAT(made.error().message, Catch::StartsWith("--malleable with ") &&
                                         Catch::Contains(row.says) &&
                                         Catch::EndsWith("]"));
  }
}

}  // namespace gleaner::job_submit
