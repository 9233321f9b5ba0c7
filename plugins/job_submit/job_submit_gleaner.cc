// SPDX-License-Identifier: Apache-2.0
/// job_submit plugin: what happens to a job between sbatch and Slurm's queue.
///
/// - `sbatch --malleable` becomes a base job, or is refused with a reason.
/// - What names the lease partition, reservation, licence, account or QOS is a
///   lease with a valid ticket, or is refused; by update it is always refused.
/// - Every other job passes untouched, and gleanerd is told that it came.
///
/// Called under slurmctld's read locks, since 23.02 by several threads at once:
/// no waiting here, and each part of Plugin guards what it changes.
#include <slurm/slurm_errno.h>

#include <ctime>
#include <memory>

#include "plugins/c_guard.hh"
#include "plugins/hint.hh"
#include "plugins/job_submit/job_desc.hh"
#include "plugins/job_submit/lease_guard.hh"
#include "plugins/job_submit/lease_template.hh"
#include "plugins/settings.hh"
#include "plugins/slurm_log.hh"
#include "slurm/compat.hh"

extern "C" {
// A const at file scope is private to the file in C++, unless declared first.
extern char const plugin_name[];
extern char const plugin_type[];
extern std::uint32_t const plugin_version;
char const plugin_name[] = "Gleaner job submission";
char const plugin_type[] = "job_submit/gleaner";
std::uint32_t const plugin_version = SLURM_VERSION_NUMBER;
}

namespace gleaner {
namespace {

struct Plugin {
  Settings settings;
  HintSender hints;
  // A ticket from before now may have been used before.
  TicketLedger ledger{std::time(nullptr)};
};
std::unique_ptr<Plugin> plugin;

int refuse(int code, std::string const& message, char** tell_user) {
  if (tell_user) *tell_user = slurm_xstrdup(("gleaner: " + message).c_str());
  return code;
}

int code_of(Errc code) {
  return code == Errc::denied ? ESLURM_ACCESS_DENIED : ESLURM_NOT_SUPPORTED;
}

int on_malleable(job_desc_msg_t* desc, JobRequest const& request,
                 Settings::Known const& known, char** tell_user) {
  if (!known.error.empty())
    return refuse(ESLURM_NOT_SUPPORTED,
                  "--malleable is not possible now (" + known.error +
                      ") [ask the administrator]",
                  tell_user);
  auto const range = parse_malleable_range(*request.malleable);
  if (!range)
    return refuse(ESLURM_INVALID_NODE_COUNT, range.error().message, tell_user);
  auto const lease_template = make_lease_template(request, *range);
  if (!lease_template)
    return refuse(code_of(lease_template.error().code),
                  lease_template.error().message, tell_user);
  make_base_job(desc, {range->nodes_min, range->nodes_max, *lease_template},
                known.config);
  return SLURM_SUCCESS;
}

int on_lease(job_desc_msg_t* desc, JobRequest const& request,
             Config const& config, char** tell_user) {
  auto const key =
      load_ticket_key(config.state_dir + "/ticket.key", KeyFile::must_exist);
  auto const ticket =
      admit_lease(request, config, key, &plugin->ledger, std::time(nullptr));
  if (!ticket) {
    log_to_slurm(LogLevel::info, LogLine("lease_refused")
                                     .kv("uid", request.submitter)
                                     .kv("node", request.required)
                                     .kv("why", ticket.error().message));
    return refuse(ESLURM_ACCESS_DENIED, ticket.error().message, tell_user);
  }
  make_lease(desc, *ticket, config);
  return SLURM_SUCCESS;
}

int on_submit(job_desc_msg_t* desc, Uid submitter, char** tell_user) {
  auto const known = plugin->settings.now();
  auto const& config = known->config;
  auto const request = read_request(*desc, submitter);
  if (names_ours(request, config))
    return on_lease(desc, request, config, tell_user);
  // srun and salloc inside a base job inherit the option without meaning it.
  if (request.malleable && request.is_batch)
    return on_malleable(desc, request, *known, tell_user);
  plugin->hints.send(HintSender::Kind::arrival, config.run_dir);
  return SLURM_SUCCESS;
}

int on_modify(job_desc_msg_t* desc, Uid modifier, char** tell_user) {
  auto const known = plugin->settings.now();
  auto const& config = known->config;
  auto const ours = names_ours(read_request(*desc, modifier), config);
  if (ours) {
    log_to_slurm(
        LogLevel::info,
        LogLine("update_refused").kv("uid", modifier).kv("what", *ours));
    return refuse(ESLURM_ACCESS_DENIED,
                  *ours + " is for Gleaner's leases only [name another]",
                  tell_user);
  }
  // It may have become eligible, or want other nodes.
  plugin->hints.send(HintSender::Kind::arrival, config.run_dir);
  return SLURM_SUCCESS;
}

}  // namespace
}  // namespace gleaner

extern "C" {

int init(void) {
  return gleaner::guard(SLURM_ERROR, gleaner::log_exception, [] {
    gleaner::plugin = std::make_unique<gleaner::Plugin>();
    slurm_info("gleaner: job_submit loaded");
    return SLURM_SUCCESS;
  });
}

void fini(void) { gleaner::plugin.reset(); }

/// An error of ours must not keep a job out: it passes as it is.
int job_submit(job_desc_msg_t* desc, std::uint32_t submit_uid, char** err_msg) {
  return gleaner::guard(SLURM_SUCCESS, gleaner::log_exception, [&] {
    return gleaner::on_submit(desc, submit_uid, err_msg);
  });
}

#if GLEANER_JOB_MODIFY_TELLS_USER
int job_modify(job_desc_msg_t* desc, struct job_record*,
               std::uint32_t submit_uid, char** err_msg) {
  return gleaner::guard(SLURM_SUCCESS, gleaner::log_exception, [&] {
    return gleaner::on_modify(desc, submit_uid, err_msg);
  });
}
#else
int job_modify(job_desc_msg_t* desc, struct job_record*,
               std::uint32_t submit_uid) {
  return gleaner::guard(SLURM_SUCCESS, gleaner::log_exception, [&] {
    return gleaner::on_modify(desc, submit_uid, nullptr);
  });
}
#endif

}  // extern "C"
