// SPDX-License-Identifier: Apache-2.0
/// How a job's description is read, and what base jobs and leases become.
#include "plugins/job_submit/job_desc.hh"

#include <string>

#include "test/unit/catch.hh"

extern "C" {
char* slurm_xstrdup(char const* text);
void slurm_xfree(void** pointer);
}

using namespace gleaner;

namespace {

/// A description as a client sends it; its strings are Slurm's, as there.
class Desc {
 public:
  Desc() {
    slurm_init_job_desc_msg(&desc_);
    desc_.het_job_offset = NO_VAL;
  }
  ~Desc() {
    for (auto** text :
         {&desc_.tres_per_node, &desc_.features, &desc_.exc_nodes,
          &desc_.req_nodes, &desc_.partition, &desc_.admin_comment,
          &desc_.comment, &desc_.reservation, &desc_.account, &desc_.qos,
          &desc_.licenses, &desc_.dependency, &desc_.cpus_per_tres})
      slurm_xfree(reinterpret_cast<void**>(text));
  }
  Desc(Desc const&) = delete;
  Desc& operator=(Desc const&) = delete;

  job_desc_msg_t* operator->() { return &desc_; }
  job_desc_msg_t* get() { return &desc_; }

 private:
  job_desc_msg_t desc_;
};

std::string text(char const* text) { return text ? text : "(null)"; }

Config config() {
  Config config;
  config.lease_partition = "lease";
  config.head_partition = "head";
  config.head_memory_mb = 512;
  config.reservation = "gleaner";
  return config;
}

Ticket ticket() {
  Ticket ticket;
  ticket.uid = 1000;
  ticket.node = "n3";
  ticket.trainer = 7;
  ticket.minutes = 5;
  ticket.nonce = "90ab12cd34ef5678";
  return ticket;
}

}  // namespace

TEST_CASE("what was not said is read as not said") {
  Desc desc;
  auto const request = read_request(*desc.get(), 1000);
  CHECK(request.submitter == 1000);
  CHECK(request.uid == 1000);
  CHECK_FALSE(request.is_batch);
  CHECK_FALSE(request.is_het);
  CHECK_FALSE(request.is_array);
  CHECK_FALSE(request.immediate);
  CHECK_FALSE(request.malleable);
  CHECK_FALSE(request.nodes_min);
  CHECK_FALSE(request.switches);
  CHECK_FALSE(request.contiguous);
  CHECK_FALSE(request.mem_per_node_mb);
  CHECK_FALSE(request.cpus_per_node_min);
  CHECK(request.partition == "");
}

TEST_CASE("--malleable is found among what SPANK plugins send") {
  Desc desc;
  char other[] = "X=1", ours[] = "GLEANER_MALLEABLE=2-16";
  char* entries[] = {nullptr, other, ours};
  desc->spank_job_env = entries;
  desc->spank_job_env_size = 3;
  CHECK(read_request(*desc.get(), 0).malleable == "2-16");
  desc->spank_job_env_size = 2;
  CHECK_FALSE(read_request(*desc.get(), 0).malleable);
}

TEST_CASE("memory per CPU is not memory per node") {
  Desc desc;
  desc->pn_min_memory = 2048;
  CHECK(read_request(*desc.get(), 0).mem_per_node_mb == 2048u);
  desc->pn_min_memory = 2048 | MEM_PER_CPU;
  CHECK_FALSE(read_request(*desc.get(), 0).mem_per_node_mb);
}

TEST_CASE("the user a job is to run as can differ from who submits it") {
  Desc desc;
  desc->user_id = 1000;
  auto const request = read_request(*desc.get(), 0);
  CHECK(request.submitter == 0);
  CHECK(request.uid == 1000);
}

TEST_CASE("a base job is one task on a head node, and marked") {
  Desc desc;
  desc->min_nodes = 4;
  desc->max_nodes = 8;
  desc->num_tasks = 64;
  desc->ntasks_per_node = 16;
  desc->cpus_per_task = 2;
  desc->min_cpus = 128;
  desc->shared = JOB_SHARED_NONE;
  desc->pn_min_memory = 100000;
  desc->pn_min_cpus = 16;
  desc->time_limit = 600;
  desc->tres_per_node = slurm_xstrdup("gres:gpu:4");
  desc->cpus_per_tres = slurm_xstrdup("gres:gpu:2");
  desc->features = slurm_xstrdup("a100");
  desc->exc_nodes = slurm_xstrdup("n1");
  desc->partition = slurm_xstrdup("main");
  desc->account = slurm_xstrdup("physics");
  make_base_job(desc.get(), {4, 8, "--gres=gpu:4"}, config());

  CHECK(text(desc->partition) == "head");
  CHECK(text(desc->admin_comment) ==
        "gleaner:trainer nodes=4-8 lease=--gres=gpu:4");
  CHECK(desc->min_nodes == 1);
  CHECK(desc->max_nodes == 1);
  CHECK(desc->num_tasks == 1);
  CHECK(desc->ntasks_per_node == NO_VAL16);
  CHECK(desc->cpus_per_task == NO_VAL16);
  CHECK(desc->min_cpus == NO_VAL);
  CHECK(desc->shared == NO_VAL16);
  CHECK(desc->pn_min_memory == 512);
  CHECK(desc->pn_min_cpus == NO_VAL16);
  for (char const* gone : {desc->tres_per_node, desc->cpus_per_tres,
                           desc->features, desc->exc_nodes})
    CHECK(gone == nullptr);
  SECTION("and keeps what is the job's own") {
    CHECK(desc->time_limit == 600);
    CHECK(text(desc->account) == "physics");
  }
}

TEST_CASE("a lease is what its ticket says, whatever was asked") {
  Desc desc;
  desc->min_nodes = 1;
  desc->time_limit = 99999;
  desc->time_min = 5;
  desc->deadline = 12345;
  desc->begin_time = 12345;
  desc->comment = slurm_xstrdup("gleaner1:…");
  desc->partition = slurm_xstrdup("LEASE");
  desc->req_nodes = slurm_xstrdup("n3");
  desc->exc_nodes = slurm_xstrdup("n4");
  desc->licenses = slurm_xstrdup("matlab:1");
  desc->dependency = slurm_xstrdup("expand:12");
  desc->tres_per_node = slurm_xstrdup("gres:gpu:4");
  make_lease(desc.get(), ticket(), config());

  CHECK(text(desc->partition) == "lease");
  CHECK(text(desc->reservation) == "gleaner");
  CHECK(text(desc->req_nodes) == "n3");
  CHECK(text(desc->admin_comment) ==
        "gleaner:lease trainer=7 ticket=90ab12cd34ef5678");
  CHECK(desc->min_nodes == 1);
  CHECK(desc->max_nodes == 1);
  CHECK(desc->shared == JOB_SHARED_NONE);
  CHECK(desc->time_limit == 5);
  CHECK(desc->time_min == NO_VAL);
  CHECK(desc->deadline == 0);
  CHECK(desc->begin_time == 0);
  CHECK(desc->requeue == 0);
  for (char const* gone :
       {desc->comment, desc->exc_nodes, desc->licenses, desc->dependency})
    CHECK(gone == nullptr);
  CHECK(text(desc->tres_per_node) == "gres:gpu:4");
}

TEST_CASE("account and QOS of leases are set when configured, else left") {
  Desc desc;
  desc->account = slurm_xstrdup("physics");
  make_lease(desc.get(), ticket(), config());
  CHECK(text(desc->account) == "physics");
  CHECK(desc->qos == nullptr);
  auto with = config();
  with.lease_account = "gleaner";
  with.lease_qos = "gleaner";
  make_lease(desc.get(), ticket(), with);
  CHECK(text(desc->account) == "gleaner");
  CHECK(text(desc->qos) == "gleaner");
}
