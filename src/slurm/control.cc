// SPDX-License-Identifier: Apache-2.0
/// Acting on Slurm through libslurm.
#include "slurm/control.hh"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <ctime>
#include <utility>
#include <vector>

#include "slurm/end_leases.hh"
#include "slurm/failure.hh"
#include "slurm/records.hh"
#include "slurm/setup.hh"
#include "slurm/setup_facts.hh"

namespace gleaner::slurm {
namespace {

constexpr time_t day_s = 24 * 3600;

template <class Message>
using Owned = std::unique_ptr<Message, void (*)(Message*)>;

/// libslurm's structures want char*, and do not write.
char* mutable_text(std::string const& text) {
  return const_cast<char*>(text.c_str());
}

Result<Owned<reserve_info_msg_t>> load_reservations() {
  reserve_info_msg_t* message = nullptr;
  if (slurm_load_reservations(0, &message) != SLURM_SUCCESS)
    return slurm_failure("cannot load reservations");
  return Owned<reserve_info_msg_t>(message, slurm_free_reservation_info_msg);
}

reserve_info_t const* find(reserve_info_msg_t const& all,
                           std::string const& name) {
  for (std::uint32_t i = 0; i < all.record_count; ++i)
    if (text_of(all.reservation_array[i].name) == name)
      return &all.reservation_array[i];
  return nullptr;
}

class RealSlurmControl final : public SlurmControl {
 public:
  explicit RealSlurmControl(Config config) : config_(std::move(config)) {}

  Result<void> end_leases(std::vector<JobId> const& jobs) override;
  Result<JobRecord> job(JobId job) override;
  Result<void> set_time_limit(JobId job, int minutes) override;
  Result<void> begin_now(JobId job) override;
  Result<void> keep_reservation() override;
  Result<void> remove_reservation() override;
  Result<SlurmSetup> check() override;

 private:
  Result<void> make_reservation();
  Result<void> extend_reservation();

  Config config_;
};

Result<void> RealSlurmControl::end_leases(std::vector<JobId> const& jobs) {
  return slurm::end_leases(jobs);
}

Result<JobRecord> RealSlurmControl::job(JobId job) {
  job_info_msg_t* answer = nullptr;
  if (slurm_load_job(&answer, compat::job_ref(job), SHOW_ALL | SHOW_LOCAL) !=
      SLURM_SUCCESS) {
    auto error = slurm_failure("cannot look up job " + std::to_string(job));
    if (errno == ESLURM_INVALID_JOB_ID) error.code = Errc::not_found;
    return error;
  }
  Owned<job_info_msg_t> const message(answer, slurm_free_job_info_msg);
  for (std::uint32_t i = 0; i < message->record_count; ++i) {
    auto record = record_of(message->job_array[i],
                            static_cast<TimeS>(std::time(nullptr)));
    if (record.job == job) return record;
  }
  return Error{Errc::not_found, "Slurm knows no job " + std::to_string(job)};
}

Result<void> RealSlurmControl::set_time_limit(JobId job, int minutes) {
  job_desc_msg_t update;
  slurm_init_job_desc_msg(&update);
  compat::set_job_id(&update, job);
  update.time_limit = static_cast<std::uint32_t>(minutes);
  if (slurm_update_job(&update) == SLURM_SUCCESS) return {};
  return slurm_failure("cannot set the time limit of job " +
                       std::to_string(job));
}

Result<void> RealSlurmControl::begin_now(JobId job) {
  job_desc_msg_t update;
  slurm_init_job_desc_msg(&update);
  compat::set_job_id(&update, job);
  update.begin_time = std::time(nullptr);
  // Our mark, which would else still be there when the job is requeued.
  char no_comment[] = "";
  update.admin_comment = no_comment;
  if (slurm_update_job(&update) == SLURM_SUCCESS) return {};
  if (errno == ESLURM_JOB_NOT_PENDING || means_over(errno)) return {};
  return slurm_failure("cannot let job " + std::to_string(job) + " begin");
}

Result<void> RealSlurmControl::keep_reservation() {
  auto all = load_reservations();
  if (!all) return all.error();
  auto const* ours = find(**all, config_.reservation);
  if (!ours) return make_reservation();
  if (ours->end_time > std::time(nullptr) + day_s) return {};
  return extend_reservation();
}

Result<void> RealSlurmControl::make_reservation() {
  auto const licence = config_.licence + ":1";
  // Everyone but root: `-nobody` would need an association where accounting is
  // enforced.  job_submit_gleaner decides who really gets in.
  std::string const users = "-root";
  resv_desc_msg_t wanted;
  slurm_init_resv_desc_msg(&wanted);
  wanted.name = mutable_text(config_.reservation);
  wanted.start_time = std::time(nullptr);
  wanted.duration = INFINITE;
  wanted.flags = RESERVE_FLAG_ANY_NODES | RESERVE_FLAG_FLEX;
  wanted.licenses = mutable_text(licence);
  wanted.users = mutable_text(users);
  char* const made = slurm_create_reservation(&wanted);
  if (!made)
    return slurm_failure("cannot make reservation '" + config_.reservation +
                         "'");
  std::free(made);
  return {};
}

Result<void> RealSlurmControl::extend_reservation() {
  resv_desc_msg_t wanted;
  slurm_init_resv_desc_msg(&wanted);
  wanted.name = mutable_text(config_.reservation);
  wanted.end_time = std::time(nullptr) + 365 * day_s;
  if (slurm_update_reservation(&wanted) == SLURM_SUCCESS) return {};
  return slurm_failure("cannot extend reservation '" + config_.reservation +
                       "'");
}

Result<void> RealSlurmControl::remove_reservation() {
  auto all = load_reservations();
  if (!all) return all.error();
  if (!find(**all, config_.reservation)) return {};
  reservation_name_msg_t name{mutable_text(config_.reservation)};
  if (slurm_delete_reservation(&name) == SLURM_SUCCESS) return {};
  return slurm_failure("cannot remove reservation '" + config_.reservation +
                       "'");
}

Result<SlurmSetup> RealSlurmControl::check() {
  auto const facts = read_setup_facts(config_);
  if (!facts) return facts.error();
  return judge_setup(*facts, config_);
}

}  // namespace

std::unique_ptr<SlurmControl> make_slurm_control(Config const& config) {
  return std::make_unique<RealSlurmControl>(config);
}

Result<void> init_libslurm() {
  char const* const set = std::getenv("SLURM_CONF");
  std::string const path = set && *set ? set : "/etc/slurm/slurm.conf";
  if (access(path.c_str(), R_OK) != 0)
    return Error{Errc::io, "cannot read '" + path +
                               "' (nothing can be asked of Slurm without it) "
                               "[set SLURM_CONF]"};
  slurm_init(nullptr);
  return {};
}

}  // namespace gleaner::slurm
