// SPDX-License-Identifier: Apache-2.0
/// Reading Slurm's configuration structures.
#include "slurm/setup_facts.hh"

#include <slurm/slurmdb.h>
#include <sys/vfs.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <memory>

#include "core/local_disk.hh"
#include "slurm/accounting_facts.hh"
#include "slurm/compat.hh"
#include "slurm/records.hh"

namespace gleaner::slurm {
namespace {

// Bits of AccountingStorageEnforce, the same from 22.05 to 26.05; Slurm's
// public headers do not name them.
constexpr std::uint16_t enforce_associations = 1 << 0, enforce_limits = 1 << 1;

template <class Message>
using Owned = std::unique_ptr<Message, void (*)(Message*)>;

Error failure(std::string const& what) {
  return {Errc::unavailable, what + " (" + slurm_strerror(errno) + ")"};
}

/// Slurm's NO_VAL and INFINITE as 0.
int plain(std::uint32_t value) {
  return value >= NO_VAL - 1 ? 0 : static_cast<int>(value);
}

std::string list_of(char const* text) {
  auto const list = text_of(text);
  return list == "ALL" ? "" : list;
}

PartitionFacts facts_of(partition_info_t const& partition,
                        std::uint16_t cluster_preempt_mode) {
  PartitionFacts facts;
  facts.name = text_of(partition.name);
  facts.priority_tier = partition.priority_tier;
  auto const mode = partition.preempt_mode == NO_VAL16 ? cluster_preempt_mode
                                                       : partition.preempt_mode;
  auto const way = mode & ~(PREEMPT_MODE_GANG | PREEMPT_MODE_WITHIN);
  facts.preempt = way == PREEMPT_MODE_OFF      ? PartitionFacts::Preempt::off
                  : way == PREEMPT_MODE_CANCEL ? PartitionFacts::Preempt::cancel
                                               : PartitionFacts::Preempt::other;
  facts.grace_time_s = plain(partition.grace_time);
  facts.needs_reservation = partition.flags & PART_FLAG_REQ_RESV;
  facts.is_default = partition.flags & PART_FLAG_DEFAULT;
  facts.alloc_nodes = text_of(partition.allow_alloc_nodes);
  facts.up = partition.state_up == PARTITION_UP;
  facts.forces_sharing = partition.max_share & SHARED_FORCE;
  facts.one_job_a_node = partition.max_share == 0;
  facts.one_user_a_node = partition.flags & PART_FLAG_EXCLUSIVE_USER;
  facts.one_job_a_block = compat::one_job_a_block(partition);
  facts.minutes_max = plain(partition.max_time);
  facts.allowed_accounts = list_of(partition.allow_accounts);
  facts.allowed_qos = list_of(partition.allow_qos);
  auto const nodes = compat::hosts(partition.nodes);
  facts.nodes.assign(nodes.begin(), nodes.end());
  return facts;
}

void read_conf(slurm_conf_t const& conf, SlurmConfFacts* facts) {
  facts->version = text_of(conf.version);
  facts->built_for = compat::release();
  facts->plugin_dirs = text_of(conf.plugindir);
  facts->job_submit_plugins = text_of(conf.job_submit_plugins);
  facts->prep_plugins = text_of(conf.prep_plugins);
  facts->scheduler_type = text_of(conf.schedtype);
  facts->scheduler_parameters = text_of(conf.sched_params);
  facts->slurmctld_parameters = text_of(conf.slurmctld_params);
  facts->select_type = text_of(conf.select_type);
  facts->counts_memory = compat::counts_memory(conf);
  facts->preempt_type = text_of(conf.preempt_type);
  facts->preempt_parameters = compat::preempt_parameters(conf);
  facts->licences = text_of(conf.licenses);
  facts->mcs_plugin = text_of(conf.mcs_plugin);
  facts->task_plugin = text_of(conf.task_plugin);
  facts->complete_wait_s = conf.complete_wait;
  facts->preempt_exempt_s = plain(conf.preempt_exempt_time);
  facts->kill_wait_s = conf.kill_wait;
  facts->message_timeout_s = conf.msg_timeout;
  facts->over_time_limit_min =
      conf.over_time_limit == INFINITE16 ? -1 : conf.over_time_limit;
  facts->jobs_max = plain(conf.max_job_cnt);
  facts->job_age_s_min = plain(conf.min_job_age);
  facts->epilogs = compat::epilogs(conf);
  facts->prologs = compat::prologs(conf);
  facts->ctl_scripts = compat::ctl_scripts(conf);
  facts->enforces_associations =
      conf.accounting_storage_enforce & enforce_associations;
  facts->enforces_limits = conf.accounting_storage_enforce & enforce_limits;
  facts->has_backup = conf.control_cnt > 1;
  facts->slurm_user = text_of(conf.slurm_user_name);
}

Result<void> read_partitions(std::uint16_t cluster_preempt_mode,
                             SlurmConfFacts* facts) {
  partition_info_msg_t* answer = nullptr;
  if (slurm_load_partitions(0, &answer, SHOW_ALL | SHOW_LOCAL) != SLURM_SUCCESS)
    return failure("cannot load partitions");
  Owned<partition_info_msg_t> const message(answer,
                                            slurm_free_partition_info_msg);
  // The answer is stamped with slurmctld's clock.
  facts->clock_ahead_s =
      std::difftime(std::time(nullptr), message->last_update);
  for (std::uint32_t i = 0; i < message->record_count; ++i)
    facts->partitions.push_back(
        facts_of(message->partition_array[i], cluster_preempt_mode));
  return {};
}

bool has_reservation(std::string const& name) {
  reserve_info_msg_t* answer = nullptr;
  if (slurm_load_reservations(0, &answer) != SLURM_SUCCESS) return false;
  Owned<reserve_info_msg_t> const message(answer,
                                          slurm_free_reservation_info_msg);
  for (std::uint32_t i = 0; i < message->record_count; ++i)
    if (text_of(message->reservation_array[i].name) == name) return true;
  return false;
}

std::string federation() {
  void* answer = nullptr;
  if (slurm_load_federation(&answer) != SLURM_SUCCESS || !answer) return "";
  std::string const name =
      text_of(static_cast<slurmdb_federation_rec_t*>(answer)->name);
  slurm_destroy_federation_rec(answer);
  return name;
}

/// RealMemory of the largest of some nodes, for jobs; 0 when Slurm does not
/// say. Not of all: a list of nodes costs slurmctld a lock on all of them.
std::int64_t largest_memory_mb(std::vector<std::string> const& nodes) {
  constexpr std::size_t nodes_most = 8;
  std::int64_t largest = 0;
  for (std::size_t i = 0; i < std::min(nodes.size(), nodes_most); ++i) {
    node_info_msg_t* answer = nullptr;
    auto name = nodes[i];
    if (slurm_load_node_single(&answer, name.data(), SHOW_ALL | SHOW_LOCAL) !=
        SLURM_SUCCESS)
      continue;
    Owned<node_info_msg_t> const message(answer, slurm_free_node_info_msg);
    for (std::uint32_t n = 0; n < message->record_count; ++n)
      largest = std::max(largest, record_of(message->node_array[n]).memory_mb);
  }
  return largest;
}

/// Of a directory; "" for a local one, or one that cannot be looked at.
std::string network_file_system_of(std::string const& path) {
  struct statfs info {};
  if (statfs(path.c_str(), &info) != 0) return "";
  return std::string(
      network_file_system(static_cast<unsigned long>(info.f_type))
          .value_or(""));
}

}  // namespace

Result<SlurmConfFacts> read_setup_facts(Config const& config) {
  slurm_conf_t* answer = nullptr;
  if (slurm_load_ctl_conf(0, &answer) != SLURM_SUCCESS)
    return failure("cannot load the configuration of slurmctld");
  Owned<slurm_conf_t> const conf(answer, compat::free_conf);
  SlurmConfFacts facts;
  read_conf(*conf, &facts);
  if (auto done = read_partitions(conf->preempt_mode, &facts); !done)
    return done.error();
  facts.has_reservation = has_reservation(config.reservation);
  for (auto const& partition : facts.partitions)
    if (partition.name == config.head_partition)
      facts.head_memory_mb = largest_memory_mb(partition.nodes);
  facts.federation = federation();
  facts.key_file_system = network_file_system_of(config.state_dir);
  if (text_of(conf->accounting_storage_type) == "accounting_storage/slurmdbd")
    facts.accounting = read_accounting(config.lease_account);
  return facts;
}

}  // namespace gleaner::slurm
