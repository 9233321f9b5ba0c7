// SPDX-License-Identifier: Apache-2.0
/// Who gets into the lease partition, and who does not.
#include "plugins/job_submit/lease_guard.hh"

#include "test/unit/catch.hh"

using namespace gleaner;

namespace {

std::string const key_text(64, 'k');
constexpr std::int64_t now_s = 10000;

Config config() {
  Config config;
  config.lease_partition = "lease";
  config.reservation = "gleaner";
  config.licence = "gleaner";
  config.lease_account = "gleaner_acct";
  config.lease_qos = "gleaner_qos";
  return config;
}

Ticket ticket() {
  Ticket ticket;
  ticket.uid = 1000;
  ticket.node = "n3";
  ticket.trainer = 7;
  ticket.minutes = 5;
  ticket.issued_s = now_s - 1;
  ticket.expires_s = now_s + 9;
  ticket.nonce = "90ab12cd34ef5678";
  return ticket;
}

/// The srun of a coordinator that was given `ticket`.
JobRequest lease_of(Ticket const& ticket) {
  JobRequest job;
  job.submitter = job.uid = 1000;
  job.immediate = true;
  job.partition = "lease";
  job.reservation = "gleaner";
  job.required = "n3";
  job.comment = sign_ticket(ticket, key_text);
  return job;
}

Result<Ticket> admit(JobRequest const& job) {
  TicketLedger ledger(now_s - 100);
  return admit_lease(job, config(), key_text, &ledger, now_s);
}

}  // namespace

TEST_CASE("a request that names nothing of ours passes") {
  JobRequest job;
  CHECK_FALSE(names_ours(job, config()));
  job.partition = "main,long";
  job.reservation = "maintenance";
  job.licences = "matlab:2,gleaner2:1";
  job.account = "physics";
  job.qos = "normal";
  job.tres_per_node = "gres:gpu:gleaner";
  CHECK_FALSE(names_ours(job, config()));
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
    CHECK(names_ours(job, config()) == row.found);
  }
}

TEST_CASE("an account or QOS that is not configured is nobody's") {
  auto none = config();
  none.lease_account = none.lease_qos = "";
  JobRequest job;
  CHECK_FALSE(names_ours(job, none));
  job.account = "physics";
  CHECK_FALSE(names_ours(job, none));
}

TEST_CASE("a lease with its ticket is admitted") {
  auto const admitted = admit(lease_of(ticket()));
  REQUIRE(admitted);
  CHECK(*admitted == ticket());
}

TEST_CASE("without a ticket it is told to go elsewhere") {
  auto job = lease_of(ticket());
  job.comment = "";
  auto const refused = admit(job);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == Errc::denied);
  CHECK(refused.error().message ==
        "partition 'lease' is for Gleaner's leases only [name another]");
}

TEST_CASE("a ticket opens nothing but what it was made for") {
  struct Row {
    char const* says;
    void (*change)(JobRequest*);
  };
  for (auto const& row : std::initializer_list<Row>{
           {"not a lease ticket", [](auto* j) { j->comment = "please"; }},
           {"signature", [](auto* j) { j->comment.back() ^= 1; }},
           {"signature",
            [](auto* j) { j->comment = sign_ticket(ticket(), "another key"); }},
           {"uid 1000, not to uid 0",
            [](auto* j) { j->submitter = j->uid = 0; }},
           {"belongs to who asks", [](auto* j) { j->submitter = 0; }},
           {"'n4'", [](auto* j) { j->required = "n4"; }},
           {"'n[3-4]'", [](auto* j) { j->required = "n[3-4]"; }},
           {"''", [](auto* j) { j->required = ""; }},
           {"not in 'main,lease'",
            [](auto* j) { j->partition = "main,lease"; }},
           {"not in ''", [](auto* j) { j->partition = ""; }},
           {"--immediate", [](auto* j) { j->immediate = false; }},
           {"one srun", [](auto* j) { j->is_batch = true; }},
           {"one srun", [](auto* j) { j->is_array = true; }},
           {"one srun", [](auto* j) { j->is_het = true; }},
           {"no time",
            [](auto* j) {
              auto timeless = ticket();
              timeless.minutes = 0;
              j->comment = sign_ticket(timeless, key_text);
            }},
           {"expired",
            [](auto* j) {
              auto late = ticket();
              late.expires_s = now_s - 1;
              j->comment = sign_ticket(late, key_text);
            }},
       }) {
    CAPTURE(row.says);
    auto job = lease_of(ticket());
    row.change(&job);
    auto const refused = admit(job);
    REQUIRE_FALSE(refused);
    CHECK_THAT(refused.error().message, Catch::Contains(row.says));
  }
}

TEST_CASE("a ticket is good once") {
  TicketLedger ledger(now_s - 100);
  auto const job = lease_of(ticket());
  CHECK(admit_lease(job, config(), key_text, &ledger, now_s));
  CHECK_FALSE(admit_lease(job, config(), key_text, &ledger, now_s));
}

TEST_CASE("a refused form does not use the ticket up") {
  TicketLedger ledger(now_s - 100);
  auto job = lease_of(ticket());
  job.immediate = false;
  CHECK_FALSE(admit_lease(job, config(), key_text, &ledger, now_s));
  job.immediate = true;
  CHECK(admit_lease(job, config(), key_text, &ledger, now_s));
}

TEST_CASE("without the key nothing is admitted, and the reason is told") {
  TicketLedger ledger(now_s - 100);
  auto const refused =
      admit_lease(lease_of(ticket()), config(),
                  Error{Errc::io, "cannot open ticket.key"}, &ledger, now_s);
  REQUIRE_FALSE(refused);
  CHECK_THAT(refused.error().message,
             Catch::Contains("cannot open ticket.key"));
}
