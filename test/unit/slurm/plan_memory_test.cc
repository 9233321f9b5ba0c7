// SPDX-License-Identifier: Apache-2.0
/// What is remembered of a plan while backfill makes a new one.
#include "slurm/plan_memory.hh"

#include "test/unit/catch.hh"

namespace gleaner::slurm {

namespace {

JobRecord planned(JobId id, TimeS start_s, NodeSet nodes) {
  JobRecord job;
  job.job = id;
  job.state = JobRecord::State::pending;
  job.eligible = true;
  job.start_s = start_s;
  job.planned = std::move(nodes);
  return job;
}

JobRecord unplanned(JobId id) { return planned(id, 0, {}); }

/// What a look in the backfill cycle begun at `cycle_s` says of `job`.
JobRecord look(PlanMemory* memory, TimeS cycle_s, JobRecord job) {
  ClusterRecords records;
  records.backfill_s = cycle_s;
  records.jobs = {std::move(job)};
  memory->restore(&records);
  return records.jobs.front();
}

}  // namespace

TEST_CASE("a plan lost at the begin of a cycle is kept during that cycle") {
  PlanMemory memory;
  look(&memory, 100, planned(7, 500, {"n1", "n2"}));
  for (int i = 0; i < 3; ++i) {
    auto const job = look(&memory, 130, unplanned(7));
    CHECK(job.start_s == 500);
    CHECK(job.planned == NodeSet{"n1", "n2"});
  }
}

TEST_CASE("a new plan replaces the one remembered") {
  PlanMemory memory;
  look(&memory, 100, planned(7, 500, {"n1"}));
  look(&memory, 130, unplanned(7));
  CHECK(look(&memory, 130, planned(7, 600, {"n3"})).start_s == 600);
  CHECK(look(&memory, 160, unplanned(7)).start_s == 600);
}

TEST_CASE("a job that a whole cycle did not plan has no plan") {
  PlanMemory memory;
  look(&memory, 100, planned(7, 500, {"n1"}));
  look(&memory, 130, unplanned(7));
  CHECK(look(&memory, 160, unplanned(7)).planned.empty());
  CHECK(look(&memory, 160, unplanned(7)).planned.empty());
}

TEST_CASE("a job that started, or may not start, has no plan") {
  PlanMemory memory;
  look(&memory, 100, planned(7, 500, {"n1"}));
  auto held = unplanned(7);
  held.eligible = false;
  CHECK(look(&memory, 130, held).planned.empty());
  CHECK(look(&memory, 130, unplanned(7)).planned.empty());
}

}  // namespace gleaner::slurm
