// SPDX-License-Identifier: Apache-2.0
/// Where Slurm's public headers differ from release to release.
///
/// 22.05 … 26.05.  Nothing else of ours asks for SLURM_VERSION_NUMBER, but for
/// the plugins' version symbols.
#pragma once

#include <slurm/slurm.h>
#include <slurm/slurm_errno.h>
#include <slurm/slurm_version.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "core/node_set.hh"

extern "C" {
/// Exported by libslurm, slurmctld's as well, and used by sdiag; no public
/// header declares it.
void slurm_free_stats_response_msg(stats_info_response_msg_t* message);
#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(24, 5, 0)
/// The same of what slurm_kill_jobs() answers; used by scancel.
void slurm_free_kill_jobs_response_msg(kill_jobs_resp_msg_t* message);
#endif
}

namespace gleaner::slurm::compat {

/// The release whose headers these are: "24.11".
inline std::string release() {
  auto const part = [](int shift) {
    auto const number = std::to_string(SLURM_VERSION_NUMBER >> shift & 0xff);
    return number.size() < 2 ? "0" + number : number;
  };
  return part(16) + "." + part(8);
}

/// The names in a host list such as "n[1-3],m7"; none for NULL.
inline NodeSet hosts(char const* list) {
  NodeSet names;
  if (!list || !*list) return names;
  // hostlist_t is a pointer up to 23.02, the struct itself since 23.11.
  auto* const all = slurm_hostlist_create(list);
  if (!all) return names;
  while (char* name = slurm_hostlist_shift(all)) {
    names.insert(name);
    std::free(name);
  }
  slurm_hostlist_destroy(all);
  return names;
}

inline std::uint32_t job_id(slurm_job_info_t const& job) {
#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(25, 11, 0)
  return job.step_id.job_id;
#else
  return job.job_id;
#endif
}

/// Which job an update is for.
inline void set_job_id(job_desc_msg_t* update, std::uint32_t job) {
#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(25, 11, 0)
  update->step_id.job_id = job;
#else
  update->job_id = job;
#endif
}

/// SLURM_AUTH_NOBODY, which no public header defines.
constexpr std::uint32_t auth_nobody = 99;

/// Nobody is named in a job's description: a uid that slurm_init_job_desc_msg()
/// sets, NO_VAL in 22.05 and SLURM_AUTH_NOBODY since 23.02.
inline bool says_no_user(std::uint32_t uid) {
  return uid == NO_VAL || uid == auth_nobody;
}

/// --segment, the least nodes in a block; 0 when not given.
inline unsigned segment_size(job_desc_msg_t const& job) {
#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(24, 5, 0)
  return job.segment_size == NO_VAL16 ? 0 : job.segment_size;
#else
  (void)job;
  return 0;
#endif
}

/// CPUs and memory that jobs have of a node.
#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(25, 5, 0)
#define GLEANER_SLURM_HIDES_WHAT_NODES_USE 0
inline int cpus_used(node_info_t const& node) { return node.alloc_cpus; }
inline std::int64_t memory_used_mb(node_info_t const& node) {
  return static_cast<std::int64_t>(node.alloc_memory);
}
#else
#define GLEANER_SLURM_HIDES_WHAT_NODES_USE 1
inline int cpus_used(node_info_t const& node) {
  std::uint16_t cpus = 0;
  if (node.select_nodeinfo)
    slurm_get_select_nodeinfo(node.select_nodeinfo, SELECT_NODEDATA_SUBCNT,
                              NODE_STATE_ALLOCATED, &cpus);
  return cpus;
}
inline std::int64_t memory_used_mb(node_info_t const& node) {
  std::uint64_t memory_mb = 0;
  if (node.select_nodeinfo)
    slurm_get_select_nodeinfo(node.select_nodeinfo, SELECT_NODEDATA_MEM_ALLOC,
                              NODE_STATE_ALLOCATED, &memory_mb);
  return static_cast<std::int64_t>(memory_mb);
}
#endif

inline void free_conf(slurm_conf_t* conf) {
#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(26, 5, 0)
  slurm_free_conf(conf);
#else
  slurm_free_ctl_conf(conf);
#endif
}

/// Is memory allocated to jobs?  The bit is CR_MEMORY up to 24.11 and
/// SELECT_MEMORY since.
inline bool counts_memory(slurm_conf_t const& conf) {
  return conf.select_type_param & (1 << 4);
}

/// ExclusiveTopo=YES; releases before 24.05 do not have it.
inline bool one_job_a_block(partition_info_t const& partition) {
#ifdef PART_FLAG_EXCLUSIVE_TOPO
  return partition.flags & PART_FLAG_EXCLUSIVE_TOPO;
#else
  (void)partition;
  return false;
#endif
}

/// PreemptParameters; before 23.02 they were among SchedulerParameters.
inline std::string preempt_parameters(slurm_conf_t const& conf) {
#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(23, 2, 0)
  return conf.preempt_params ? conf.preempt_params : "";
#else
  (void)conf;
  return "";
#endif
}

/// Scripts that a site's jobs run through: one of each up to 23.11, any number
/// since.
#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(24, 5, 0)
inline std::vector<std::string> scripts(char** paths, std::uint32_t count) {
  return {paths, paths + count};
}
inline std::vector<std::string> epilogs(slurm_conf_t const& conf) {
  return scripts(conf.epilog, conf.epilog_cnt);
}
inline std::vector<std::string> prologs(slurm_conf_t const& conf) {
  return scripts(conf.prolog, conf.prolog_cnt);
}
inline std::vector<std::string> ctl_scripts(slurm_conf_t const& conf) {
  auto all = scripts(conf.prolog_slurmctld, conf.prolog_slurmctld_cnt);
  for (auto& path : scripts(conf.epilog_slurmctld, conf.epilog_slurmctld_cnt))
    all.push_back(std::move(path));
  return all;
}
#else
inline void add_script(char const* path, std::vector<std::string>* scripts) {
  if (path && *path) scripts->emplace_back(path);
}
inline std::vector<std::string> epilogs(slurm_conf_t const& conf) {
  std::vector<std::string> all;
  add_script(conf.epilog, &all);
  return all;
}
inline std::vector<std::string> prologs(slurm_conf_t const& conf) {
  std::vector<std::string> all;
  add_script(conf.prolog, &all);
  return all;
}
inline std::vector<std::string> ctl_scripts(slurm_conf_t const& conf) {
  std::vector<std::string> all;
  add_script(conf.prolog_slurmctld, &all);
  add_script(conf.epilog_slurmctld, &all);
  return all;
}
#endif

/// All steps that run.
inline int load_steps(job_step_info_response_msg_t** answer) {
  constexpr std::uint16_t all = SHOW_ALL | SHOW_LOCAL;
#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(25, 11, 0)
  slurm_step_id_t any = SLURM_STEP_ID_INITIALIZER;
  return slurm_get_job_steps(&any, answer, all);
#else
  return slurm_get_job_steps(0, NO_VAL, NO_VAL, answer, all);
#endif
}

/// Whose job slurm_load_job(), slurm_signal_job() and slurm_kill_job() mean.
#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(26, 5, 0)
inline slurm_step_id_t job_ref(std::uint32_t job) {
  slurm_step_id_t id = SLURM_STEP_ID_INITIALIZER;
  id.job_id = job;
  return id;
}
#else
inline std::uint32_t job_ref(std::uint32_t job) { return job; }
#endif

/// What slurmctld says of the jobs that it could not signal.
using JobFailures = std::vector<std::pair<std::uint32_t, int>>;

/// Sends a signal to many jobs in one request.  SLURM_SUCCESS says that it was
/// heard; `failures` are added to then.  Else errno: ESLURM_NOT_SUPPORTED up to
/// 23.11, which has no such request.
#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(24, 5, 0)
inline int kill_jobs(std::vector<std::uint32_t> const& jobs,
                     std::uint16_t signal, std::uint16_t flags,
                     JobFailures* failures) {
  std::vector<std::string> names;
  std::vector<char*> list;
  for (auto const job : jobs) names.push_back(std::to_string(job));
  for (auto& name : names) list.push_back(name.data());
  kill_jobs_msg_t request = {};
  request.state = JOB_END;  // any
  request.user_id = auth_nobody;
  request.jobs_array = list.data();
  request.jobs_cnt = static_cast<std::uint32_t>(list.size());
  request.signal = signal;
  request.flags = flags;
  kill_jobs_resp_msg_t* answer = nullptr;
  if (int const code = slurm_kill_jobs(&request, &answer)) {
    if (code > 0) errno = code;  // negative: errno says why
    return SLURM_ERROR;
  }
  for (std::uint32_t i = 0; answer && i < answer->jobs_cnt; ++i) {
    auto const& said = answer->job_responses[i];
    if (said.error_code)
      failures->emplace_back(said.id->step_id.job_id,
                             static_cast<int>(said.error_code));
  }
  slurm_free_kill_jobs_response_msg(answer);
  return SLURM_SUCCESS;
}
#else
inline int kill_jobs(std::vector<std::uint32_t> const&, std::uint16_t,
                     std::uint16_t, JobFailures*) {
  errno = ESLURM_NOT_SUPPORTED;
  return SLURM_ERROR;
}
#endif

}  // namespace gleaner::slurm::compat

/// The parameters of job_submit plugins' job_modify().
#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(23, 2, 0)
#define GLEANER_JOB_MODIFY_TELLS_USER 1
#else
#define GLEANER_JOB_MODIFY_TELLS_USER 0
#endif
