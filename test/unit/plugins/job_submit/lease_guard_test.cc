// SPDX-License-Identifier: Apache-2.0
/// Who gets into the lease partition, and who does not.
#include "plugins/job_submit/lease_guard.hh"

#include "test/unit/catch.hh"

namespace gleaner::job_submit {

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

proto::Ticket ticket() {
  proto::Ticket ticket;
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
JobRequest lease_of(proto::Ticket const& ticket) {
  JobRequest job;
  job.submitter = job.uid = 1000;
  job.immediate = true;
  job.partition = "lease";
  job.reservation = "gleaner";
  job.required = "n3";
  job.comment = proto::sign_ticket(ticket, key_text);
  return job;
}

FoundName const found{"partition", "lease"};

Result<proto::Ticket> admit(JobRequest const& job, proto::TicketLedger* ledger,
                            Result<std::string> const& key = key_text) {
  return admit_lease(job, found, config(), key, ledger, now_s);
}

Result<proto::Ticket> admit(JobRequest const& job) {
  proto::TicketLedger ledger(now_s - 100);
  return admit(job, &ledger);
}

}  // namespace

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
            [](auto* j) {
              j->comment = proto::sign_ticket(ticket(), "another key");
            }},
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
              j->comment = proto::sign_ticket(timeless, key_text);
            }},
           {"expired",
            [](auto* j) {
              auto late = ticket();
              late.expires_s = now_s - 1;
              j->comment = proto::sign_ticket(late, key_text);
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

namespace {

proto::Ticket ticket_of_part() {
  auto of_part = ticket();
  of_part.node = "n3+1";
  of_part.part = Resources{2, 8000, {{"gpu:a", 1}}};
  return of_part;
}

/// What lease_command.cc makes of the grant of a part.
JobRequest lease_of_part() {
  auto job = lease_of(ticket_of_part());
  job.tres_per_node = "gres:gpu:a:1";
  job.cpus_per_task = 2;
  job.mem_per_node_mb = 8000;
  job.tasks = 1;
  return job;
}

}  // namespace

TEST_CASE("the lease of a part is admitted as its ticket says") {
  auto job = lease_of_part();
  auto const admitted = admit(job);
  REQUIRE(admitted);
  CHECK(*admitted == ticket_of_part());
  // As newer releases write it.
  job.tres_per_node = "gres/gpu:a:1";
  CHECK(admit(job));
  // An option that says which node is no amount.
  job.passed_on = {{"--tmp", "100M", PassedOn::Says::place}};
  CHECK(admit(job));
}

TEST_CASE("a part is taken exactly, and nothing beside it") {
  struct Row {
    char const* says;
    void (*change)(JobRequest*);
  };
  for (auto const& row : std::initializer_list<Row>{
           {"gpu:a:2", [](auto* j) { j->tres_per_node = "gres:gpu:a:2"; }},
           {"gpu:b:1", [](auto* j) { j->tres_per_node = "gres:gpu:b:1"; }},
           {"gpu:1", [](auto* j) { j->tres_per_node = "gres:gpu:1"; }},
           {"8000 MB", [](auto* j) { j->tres_per_node = ""; }},
           {"3 CPUs", [](auto* j) { j->cpus_per_task = 3; }},
           {"1 CPU", [](auto* j) { j->cpus_per_task = 1; }},
           {"8000 MB", [](auto* j) { j->cpus_per_task.reset(); }},
           {"8001 MB", [](auto* j) { j->mem_per_node_mb = 8001; }},
           {"gpu:a:1", [](auto* j) { j->mem_per_node_mb.reset(); }},
           {"4 CPUs", [](auto* j) { j->cpus_per_node_min = 4; }},
           {"other options", [](auto* j) { j->tres_per_job = "gres:gpu:1"; }},
           {"other options", [](auto* j) { j->tres_per_task = "gres:gpu:1"; }},
           {"other options", [](auto* j) { j->mem_per_cpu_mb = 9000; }},
           {"other options",
            [](auto* j) {
              j->passed_on = {
                  {"--threads-per-core", "1", PassedOn::Says::amount}};
            }},
           {"other options", [](auto* j) { j->tasks = 2; }},
           {"other options",
            [](auto* j) { j->meaningless = {"--overcommit"}; }},
           {"'n3+1'", [](auto* j) { j->required = "n3+1"; }},
       }) {
    CAPTURE(row.says);
    auto job = lease_of_part();
    row.change(&job);
    auto const refused = admit(job);
    REQUIRE_FALSE(refused);
    CHECK_THAT(refused.error().message, Catch::Contains(row.says));
  }
}

TEST_CASE("a ticket is good once") {
  proto::TicketLedger ledger(now_s - 100);
  auto const job = lease_of(ticket());
  CHECK(admit(job, &ledger));
  CHECK_FALSE(admit(job, &ledger));
}

TEST_CASE("a refused form does not use the ticket up") {
  proto::TicketLedger ledger(now_s - 100);
  auto job = lease_of(ticket());
  job.immediate = false;
  CHECK_FALSE(admit(job, &ledger));
  job.immediate = true;
  CHECK(admit(job, &ledger));
}

TEST_CASE("without the key nothing is admitted, and the reason is told") {
  proto::TicketLedger ledger(now_s - 100);
  auto const refused = admit(lease_of(ticket()), &ledger,
                             Error{Errc::io, "cannot open ticket.key"});
  REQUIRE_FALSE(refused);
  CHECK_THAT(refused.error().message,
             Catch::Contains("cannot open ticket.key"));
}

}  // namespace gleaner::job_submit
