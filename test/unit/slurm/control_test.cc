// SPDX-License-Identifier: Apache-2.0
/// What gleanerd asks of Slurm, and what it makes of refusals.
///
/// The functions of libslurm that control.cc calls are defined here instead.
#include "slurm/control.hh"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include "slurm/compat.hh"
#include "test/unit/catch.hh"

namespace {

constexpr time_t day_s = 24 * 3600;

/// What slurmctld knows, and what it was asked for.
struct Slurmctld {
  int refuses = 0;            ///< with this code; 0: it does what is asked
  std::string reservation;    ///< there is one of this name
  time_t reserved_until = 0;  ///< until then
  std::uint32_t job = 7;      ///< it knows this one
  std::string asked;          ///< what was changed, in order
} slurmctld;

int answer() {
  if (slurmctld.refuses == 0) return SLURM_SUCCESS;
  errno = slurmctld.refuses;
  return SLURM_ERROR;
}

/// "in 1 d": times that are asked for count from now.
std::string when(time_t time) {
  return "in " + std::to_string((time - std::time(nullptr) + 60) / day_s) +
         " d";
}

}  // namespace

extern "C" {

int slurm_load_job(job_info_msg_t** into,
                   decltype(gleaner::slurm::compat::job_ref(0)) id,
                   std::uint16_t) {
  (void)id;
  if (answer() != SLURM_SUCCESS) return SLURM_ERROR;
  *into = static_cast<job_info_msg_t*>(std::calloc(1, sizeof(job_info_msg_t)));
  (*into)->record_count = 1;
  (*into)->job_array =
      static_cast<slurm_job_info_t*>(std::calloc(1, sizeof(slurm_job_info_t)));
  auto& job = (*into)->job_array[0];
  [](auto& record, std::uint32_t number) {
    if constexpr (requires { record.job_id; })
      record.job_id = number;
    else
      record.step_id.job_id = number;
  }(job, slurmctld.job);
  job.job_state = JOB_RUNNING;
  return SLURM_SUCCESS;
}

void slurm_free_job_info_msg(job_info_msg_t* message) {
  std::free(message->job_array);
  std::free(message);
}

int slurm_update_job(job_desc_msg_t* update) {
  if (update->time_limit != NO_VAL)
    slurmctld.asked += "limit " + std::to_string(update->time_limit) + " min;";
  if (update->begin_time != 0)
    slurmctld.asked += "begin " + when(update->begin_time) + ", comment '" +
                       (update->admin_comment ? update->admin_comment : "?") +
                       "';";
  return answer();
}

int slurm_load_reservations(time_t, reserve_info_msg_t** into) {
  if (answer() != SLURM_SUCCESS) return SLURM_ERROR;
  *into = static_cast<reserve_info_msg_t*>(
      std::calloc(1, sizeof(reserve_info_msg_t)));
  (*into)->reservation_array =
      static_cast<reserve_info_t*>(std::calloc(1, sizeof(reserve_info_t)));
  if (!slurmctld.reservation.empty()) {
    (*into)->record_count = 1;
    (*into)->reservation_array[0].name = strdup(slurmctld.reservation.c_str());
    (*into)->reservation_array[0].end_time = slurmctld.reserved_until;
  }
  return SLURM_SUCCESS;
}

void slurm_free_reservation_info_msg(reserve_info_msg_t* message) {
  std::free(message->reservation_array[0].name);
  std::free(message->reservation_array);
  std::free(message);
}

char* slurm_create_reservation(resv_desc_msg_t* wanted) {
  slurmctld.asked += std::string("make ") + wanted->name + " of " +
                     wanted->licenses + " for " + wanted->users + ";";
  if (!(wanted->flags & RESERVE_FLAG_ANY_NODES)) slurmctld.asked += "nodes;";
  return answer() == SLURM_SUCCESS ? strdup(wanted->name) : nullptr;
}

int slurm_update_reservation(resv_desc_msg_t* wanted) {
  slurmctld.asked +=
      std::string("extend ") + wanted->name + ", " + when(wanted->end_time);
  return answer();
}

int slurm_delete_reservation(reservation_name_msg_t* name) {
  slurmctld.asked += std::string("remove ") + name->name;
  return answer();
}
}

namespace gleaner::slurm {
namespace {

std::unique_ptr<SlurmControl> control() {
  auto config = default_config();
  config.reservation = "ours";
  config.licence = "gleaner";
  return make_slurm_control(config);
}

/// What slurmctld is asked for, by a call that must succeed.
template <class Call>
std::string asked(Call call) {
  slurmctld.asked.clear();
  auto const done = call(*control());
  if (!done) FAIL(done.error().message);
  return slurmctld.asked;
}

TEST_CASE("where there is no reservation one is made, for all but root") {
  slurmctld = {};
  CHECK(asked([](auto& c) { return c.keep_reservation(); }) ==
        "make ours of gleaner:1 for -root;");
  slurmctld.reservation = "theirs";
  slurmctld.reserved_until = std::time(nullptr) + 400 * day_s;
  CHECK(asked([](auto& c) { return c.keep_reservation(); }) ==
        "make ours of gleaner:1 for -root;");
}

TEST_CASE("a reservation that ends within a day is extended, no other") {
  slurmctld = {};
  slurmctld.reservation = "ours";
  slurmctld.reserved_until = std::time(nullptr) + day_s - 60;
  CHECK(asked([](auto& c) { return c.keep_reservation(); }) ==
        "extend ours, in 365 d");
  slurmctld.reserved_until = std::time(nullptr) + day_s + 60;
  CHECK(asked([](auto& c) { return c.keep_reservation(); }) == "");
}

TEST_CASE("our reservation is removed, and nobody else's") {
  slurmctld = {};
  CHECK(asked([](auto& c) { return c.remove_reservation(); }) == "");
  slurmctld.reservation = "theirs";
  CHECK(asked([](auto& c) { return c.remove_reservation(); }) == "");
  slurmctld.reservation = "ours";
  CHECK(asked([](auto& c) { return c.remove_reservation(); }) == "remove ours");
}

TEST_CASE("a time limit is set in minutes, and nothing beside it") {
  slurmctld = {};
  CHECK(asked([](auto& c) { return c.set_time_limit(7, 25); }) ==
        "limit 25 min;");
}

TEST_CASE("a job that begins now loses our mark") {
  slurmctld = {};
  CHECK(asked([](auto& c) { return c.begin_now(7); }) ==
        "begin in 0 d, comment '';");
}

TEST_CASE("a job that began by itself, or is gone, is no failure to begin it") {
  slurmctld = {};
  slurmctld.refuses = GENERATE(ESLURM_JOB_NOT_PENDING, ESLURM_ALREADY_DONE,
                               ESLURM_INVALID_JOB_ID);
  CHECK(control()->begin_now(7));
}

TEST_CASE("a job is looked up by its number") {
  slurmctld = {};
  auto const found = control()->job(7);
  REQUIRE(found);
  CHECK(found->job == 7);
  CHECK(found->state == JobRecord::State::running);
  auto const other = control()->job(8);
  REQUIRE(!other);
  CHECK(other.error().code == Errc::not_found);
}

TEST_CASE("a job that Slurm has forgotten is told from a silent slurmctld") {
  slurmctld = {};
  slurmctld.refuses = ESLURM_INVALID_JOB_ID;
  CHECK(control()->job(7).error().code == Errc::not_found);
  slurmctld.refuses = ETIMEDOUT;
  CHECK(control()->job(7).error().code == Errc::unavailable);
}

TEST_CASE("what Slurm refuses is told with its reason and what was wanted") {
  slurmctld = {};
  slurmctld.refuses = ESLURM_ACCESS_DENIED;
  auto const error = control()->set_time_limit(7, 25).error();
  CHECK(error.code == Errc::denied);
  CHECK_THAT(error.message,
             Catch::StartsWith("cannot set the time limit of job 7 ("));
  auto const reservation = control()->keep_reservation().error();
  CHECK_THAT(reservation.message,
             Catch::StartsWith("cannot load reservations ("));
}

TEST_CASE("without slurm.conf the file is named, and the process goes on") {
  ::setenv("SLURM_CONF", "/nowhere/slurm.conf", 1);
  auto const ready = init_libslurm();
  ::unsetenv("SLURM_CONF");
  REQUIRE(!ready);
  CHECK(ready.error().code == Errc::io);
  CHECK_THAT(ready.error().message,
             Catch::StartsWith("cannot read '/nowhere/slurm.conf'"));
}

}  // namespace
}  // namespace gleaner::slurm
