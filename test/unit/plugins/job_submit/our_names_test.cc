// SPDX-License-Identifier: Apache-2.0
/// Which requests name what is for leases only.
#include "plugins/job_submit/our_names.hh"

#include "test/unit/catch.hh"

namespace gleaner::job_submit {

namespace {

Config config() {
  Config config;
  config.lease_partition = "lease";
  config.reservation = "gleaner";
  config.licence = "gleaner";
  config.lease_account = "gleaner_acct";
  config.lease_qos = "gleaner_qos";
  return config;
}

/// "partition 'lease'"; "" when the request names nothing of ours.
std::string named(JobRequest const& job, Config const& config) {
  auto const found = find_ours(places_of(job), names_of(config));
  return found ? found->to_string() : "";
}

}  // namespace

TEST_CASE("a request that names nothing of ours passes") {
  JobRequest job;
  CHECK(named(job, config()) == "");
  job.partition = "main,long";
  job.reservation = "maintenance";
  job.licences = "matlab:2,gleaner2:1";
  job.account = "physics";
  job.qos = "normal";
  job.tres_per_node = "gres:gpu:gleaner";
  CHECK(named(job, config()) == "");
}

TEST_CASE("each of our names is recognised, in lists and with counts too") {
  struct Row {
    char const* found;
    std::string JobRequest::*field;
    char const* value;
  };
  for (auto const& row : std::initializer_list<Row>{
           {"partition 'lease'", &JobRequest::partition, "lease"},
           {"partition 'lease'", &JobRequest::partition, "main,lease"},
           {"partition 'lease'", &JobRequest::partition, "lease,main"},
           {"partition 'lease'", &JobRequest::partition, "LEASE"},
           {"partition 'lease'", &JobRequest::partition, " lease"},
           {"reservation 'gleaner'", &JobRequest::reservation, "gleaner"},
           {"reservation 'gleaner'", &JobRequest::reservation, "a,gleaner"},
           {"licence 'gleaner'", &JobRequest::licences, "gleaner"},
           {"licence 'gleaner'", &JobRequest::licences, "gleaner:1"},
           {"licence 'gleaner'", &JobRequest::licences, "matlab:2,gleaner:1"},
           {"licence 'gleaner'", &JobRequest::licences, "matlab|gleaner"},
           {"licence 'gleaner'", &JobRequest::licences, "gleaner@db:1"},
           {"licence 'gleaner'", &JobRequest::tres_per_task,
            "license/gleaner:1"},
           {"licence 'gleaner'", &JobRequest::tres_per_job,
            "gres:gpu:1,license:gleaner:1"},
           {"account 'gleaner_acct'", &JobRequest::account, "Gleaner_Acct"},
           {"QOS 'gleaner_qos'", &JobRequest::qos, "gleaner_qos"},
       }) {
    CAPTURE(row.value);
    JobRequest job;
    job.*row.field = row.value;
    CHECK(named(job, config()) == row.found);
  }
}

TEST_CASE("an account or QOS that is not configured is nobody's") {
  auto none = config();
  none.lease_account = none.lease_qos = "";
  JobRequest job;
  CHECK(named(job, none) == "");
  job.account = "physics";
  CHECK(named(job, none) == "");
}

}  // namespace gleaner::job_submit
