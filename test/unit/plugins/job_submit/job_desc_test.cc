// SPDX-License-Identifier: Apache-2.0
/// How a job's description is read, and what base jobs and leases become.
#include "plugins/job_submit/job_desc.hh"

#include <string>

#include "plugins/slurm_symbols.hh"
#include "test/unit/catch.hh"
#include "test/unit/plugins/desc.hh"

namespace gleaner::job_submit {

namespace {

std::string text(char const* text) { return text ? text : "(null)"; }

Config config() {
  Config config;
  config.lease_partition = "lease";
  config.head_partition = "head";
  config.head_memory_mb = 512;
  config.head_memory_per_node_mb = 16;
  config.reservation = "gleaner";
  return config;
}

proto::Ticket ticket() {
  proto::Ticket ticket;
  ticket.uid = 1000;
  ticket.node = "n3";
  ticket.trainer = 7;
  ticket.minutes = 5;
  ticket.nonce = "90ab12cd34ef5678";
  return ticket;
}

}  // namespace

TEST_CASE("what a job waits for by itself is read") {
  for (auto change : std::initializer_list<void (*)(job_desc_msg_t*)>{
           [](auto* d) { d->begin_time = 2000; },
           [](auto* d) { d->deadline = 2000; },
           [](auto* d) { d->dependency = slurm_xstrdup("afterok:5"); },
           [](auto* d) { d->priority = 0; },
           [](auto* d) { d->bitflags |= CRON_JOB; }}) {
    plugins::Desc desc;
    change(desc.get());
    CHECK(read_request(*desc.get(), 1000).waits_otherwise);
  }
}

TEST_CASE("a job on notice begins later, and is marked") {
  plugins::Desc desc;
  desc->admin_comment = slurm_xstrdup("");
  give_notice(desc.get(), 1234);
  CHECK(desc->begin_time == 1234);
  CHECK(text(desc->admin_comment) == "gleaner:notice");
}

TEST_CASE("what was not said is read as not said") {
  plugins::Desc desc;
  auto const request = read_request(*desc.get(), 1000);
  CHECK_FALSE(request.waits_otherwise);
  CHECK_FALSE(request.whole_nodes);
  CHECK(request.admin_comment == "");
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
  CHECK_FALSE(request.tasks);
  CHECK_FALSE(request.cpus_per_task);
  CHECK_FALSE(request.tasks_per_node);
  CHECK_FALSE(request.mem_per_cpu_mb);
  CHECK(request.partition == "");
  CHECK(request.meaningless.empty());
}

TEST_CASE("--malleable is found among what SPANK plugins send") {
  plugins::Desc desc;
  char other[] = "X=1", ours[] = "GLEANER_MALLEABLE=2-16";
  char* entries[] = {nullptr, other, ours};
  desc->spank_job_env = entries;
  desc->spank_job_env_size = 3;
  CHECK(read_request(*desc.get(), 0).malleable == "2-16");
  CHECK(is_malleable(*desc.get()));
  desc->spank_job_env_size = 2;
  CHECK_FALSE(read_request(*desc.get(), 0).malleable);
  CHECK_FALSE(is_malleable(*desc.get()));
}

TEST_CASE("memory per CPU is not memory per node") {
  plugins::Desc desc;
  desc->pn_min_memory = 2048;
  CHECK(read_request(*desc.get(), 0).mem_per_node_mb == 2048u);
  desc->pn_min_memory = 2048 | MEM_PER_CPU;
  CHECK_FALSE(read_request(*desc.get(), 0).mem_per_node_mb);
  CHECK(read_request(*desc.get(), 0).mem_per_cpu_mb == 2048u);
}

TEST_CASE("CPUs of a task are no GPUs of a task, wherever sbatch writes them") {
  struct Row {
    char const* tres;  ///< of a task
    std::uint16_t cpus_per_task;
    std::optional<std::uint32_t> cpus;
    char const* rest;
  };
  Row const rows[] = {
      {"cpu=2", 2, 2, ""},
      {"cpu=2", NO_VAL16, 2, ""},
      {"cpu:2", NO_VAL16, 2, ""},
      {"cpu=2,gres/gpu=1", NO_VAL16, 2, "gres/gpu=1"},
      {"gres/gpu:1,cpu=4", NO_VAL16, 4, "gres/gpu:1"},
      {"gres/gpu:1", NO_VAL16, std::nullopt, "gres/gpu:1"},
      {"cpu=many", NO_VAL16, std::nullopt, "cpu=many"},
  };
  for (auto const& row : rows) {
    INFO(row.tres);
    plugins::Desc desc;
    std::string tres = row.tres;
    desc.get()->tres_per_task = tres.data();
    desc.get()->cpus_per_task = row.cpus_per_task;
    auto const request = read_request(*desc.get(), 1000);
    desc.get()->tres_per_task = nullptr;
    CHECK(request.cpus_per_task == row.cpus);
    CHECK(request.tres_per_task == row.rest);
  }
}

TEST_CASE("options that a lease cannot have are found") {
  static char text[] = "closest";
  struct Row {
    char const* option;
    void (*ask)(job_desc_msg_t*);
  };
  for (auto const& row : std::initializer_list<Row>{
           {"--ntasks-per-socket", [](auto* d) { d->ntasks_per_socket = 2; }},
           {"--ntasks-per-core", [](auto* d) { d->ntasks_per_core = 1; }},
           {"--ntasks-per-gpu", [](auto* d) { d->ntasks_per_tres = 1; }},
           {"--sockets-per-node", [](auto* d) { d->sockets_per_node = 2; }},
           {"--cores-per-socket", [](auto* d) { d->cores_per_socket = 8; }},
           {"--core-spec", [](auto* d) { d->core_spec = 1; }},
           {"--distribution",
            [](auto* d) { d->task_dist = SLURM_DIST_CYCLIC; }},
           {"--distribution", [](auto* d) { d->plane_size = 2; }},
           {"--overcommit", [](auto* d) { d->overcommit = 1; }},
           {"--spread-job", [](auto* d) { d->bitflags |= SPREAD_JOB; }},
           {"--gres-flags", [](auto* d) { d->bitflags |= GRES_ENFORCE_BIND; }},
           {"--gpu-bind", [](auto* d) { d->tres_bind = text; }},
           {"--gpu-freq", [](auto* d) { d->tres_freq = text; }},
           {"--prefer", [](auto* d) { d->prefer = text; }},
           {"--oversubscribe", [](auto* d) { d->shared = JOB_SHARED_OK; }},
           {"--exclusive=user", [](auto* d) { d->shared = JOB_SHARED_USER; }},
           {"--exclusive=mcs", [](auto* d) { d->shared = JOB_SHARED_MCS; }},
           {"--reboot", [](auto* d) { d->reboot = 1; }},
       }) {
    CAPTURE(row.option);
    plugins::Desc desc;
    row.ask(desc.get());
    CHECK(read_request(*desc.get(), 1000).meaningless ==
          std::vector<std::string>{row.option});
  }
}

TEST_CASE("what a lease is asked for with as it was given") {
  plugins::Desc desc;
  desc->pn_min_tmp_disk = 100;
  desc->threads_per_core = 1;
  auto const passed_on = read_request(*desc.get(), 1000).passed_on;
  REQUIRE(passed_on.size() == 2);
  CHECK(passed_on[0].option + "=" + passed_on[0].value == "--tmp=100M");
  CHECK(passed_on[0].says == PassedOn::Says::place);
  CHECK(passed_on[1].option + "=" + passed_on[1].value ==
        "--threads-per-core=1");
  CHECK(passed_on[1].says == PassedOn::Says::amount);
  desc->pn_min_tmp_disk = 0;  // of no size in particular
  CHECK(read_request(*desc.get(), 1000).passed_on[0].value.empty());
}

TEST_CASE("what sbatch sends unasked is nothing that was asked") {
  plugins::Desc desc;
  desc->task_dist = SLURM_DIST_UNKNOWN;
  desc->reboot = 0;
  desc->overcommit = 0;
  desc->ntasks_per_core = INFINITE16;
  desc->threads_per_core = INFINITE16;
  auto const request = read_request(*desc.get(), 1000);
  CHECK(request.meaningless.empty());
  CHECK(request.passed_on.empty());
}

TEST_CASE("--exclusive is no option that a lease cannot have") {
  plugins::Desc desc;
  desc->shared = JOB_SHARED_NONE;
  CHECK(read_request(*desc.get(), 1000).meaningless.empty());
}

TEST_CASE("the user a job is to run as can differ from who submits it") {
  plugins::Desc desc;
  desc->user_id = 1000;
  auto const request = read_request(*desc.get(), 0);
  CHECK(request.submitter == 0);
  CHECK(request.uid == 1000);
}

TEST_CASE("a base job is one task on a head node, and marked") {
  plugins::Desc desc;
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
  CHECK(desc->pn_min_memory == 512 + 8 * 16);  // an srun for each node
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
  plugins::Desc desc;
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

TEST_CASE("the lease of a part shares its node, with what its ticket gives") {
  plugins::Desc desc;
  desc->req_nodes = slurm_xstrdup("n3");
  desc->tres_per_node = slurm_xstrdup("gres:gpu:a:1");
  desc->shared = JOB_SHARED_NONE;  // srun --exclusive
  desc->max_cpus = 64;
  desc->overcommit = 1;
  auto of_part = ticket();
  of_part.node = "n3+1";
  of_part.part = Resources{2, 8000, {{"gpu:a", 1}}};
  make_lease(desc.get(), of_part, config());

  CHECK(text(desc->req_nodes) == "n3");
  CHECK(text(desc->admin_comment) ==
        "gleaner:lease trainer=7 ticket=90ab12cd34ef5678 part=1");
  CHECK(desc->shared == NO_VAL16);
  CHECK(desc->cpus_per_task == 2);
  CHECK(desc->num_tasks == 1);
  CHECK(desc->min_cpus == 2);
  CHECK(desc->max_cpus == NO_VAL);
  CHECK(desc->pn_min_memory == 8000);
  CHECK(desc->overcommit == NO_VAL8);
  CHECK(text(desc->tres_per_node) == "gres:gpu:a:1");
}

TEST_CASE("account and QOS of leases are set when configured, else left") {
  plugins::Desc desc;
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

}  // namespace gleaner::job_submit
