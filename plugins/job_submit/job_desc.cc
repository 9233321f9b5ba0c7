// SPDX-License-Identifier: Apache-2.0
/// The only place that writes into a job's description.
#include "plugins/job_submit/job_desc.hh"

#include <algorithm>
#include <charconv>
#include <string_view>

#include "core/place.hh"
#include "plugins/malleable_range.hh"
#include "plugins/slurm_symbols.hh"
#include "slurm/compat.hh"

namespace gleaner::job_submit {
namespace {

std::string text_of(char const* text) { return text ? text : ""; }

/// Slurm's NO_VAL of each width, and INFINITE, mean "not given".
std::optional<std::uint32_t> given(std::uint32_t value) {
  if (value == NO_VAL || value == INFINITE) return std::nullopt;
  return value;
}
std::optional<std::uint32_t> given16(std::uint16_t value) {
  if (value == NO_VAL16 || value == INFINITE16) return std::nullopt;
  return value;
}

std::string_view view_of(char const* text) noexcept {
  return text ? std::string_view(text) : std::string_view();
}

/// An option's value as spank_gleaner has put it into the job's control
/// environment, which reaches slurmctld with the submission.
std::optional<std::string_view> option_of(job_desc_msg_t const& desc,
                                          std::string_view name) noexcept {
  for (std::uint32_t i = 0; desc.spank_job_env && i < desc.spank_job_env_size;
       ++i) {
    auto entry = view_of(desc.spank_job_env[i]);
    if (!entry.starts_with(name)) continue;
    entry.remove_prefix(name.size());
    if (entry.empty() || entry.front() != '=') continue;
    entry.remove_prefix(1);
    return entry;
  }
  return std::nullopt;
}

/// Since 23.11 sbatch writes --cpus-per-task=2 into the TRES of a task too, as
/// "cpu=2" (or "cpu:2").  Takes it out of the text: what is left was asked for
/// by --gpus-per-task or --tres-per-task.
std::string without_cpus(std::string_view tres,
                         std::optional<std::uint32_t>* cpus) {
  std::string rest;
  while (!tres.empty()) {
    auto const end = std::min(tres.find(','), tres.size());
    auto const item = tres.substr(0, end);
    tres.remove_prefix(std::min(end + 1, tres.size()));
    if (item.starts_with("cpu=") || item.starts_with("cpu:")) {
      std::uint32_t number = 0;
      auto const* last = item.data() + item.size();
      auto const read = std::from_chars(item.data() + 4, last, number);
      if (read.ec == std::errc() && read.ptr == last) {
        if (!*cpus) *cpus = number;
        continue;
      }
    }
    rest += (rest.empty() ? "" : ",") + std::string(item);
  }
  return rest;
}

void set(char** field, std::string const& value) {
  slurm_xfree(reinterpret_cast<void**>(field));
  *field = slurm_xstrdup(value.c_str());
}

template <class... Field>
void clear(Field**... field) {
  (slurm_xfree(reinterpret_cast<void**>(field)), ...);
}

/// Forget what was asked of nodes, CPUs, tasks, memory and GRES.
void clear_shape(job_desc_msg_t* desc) {
  job_desc_msg_t fresh;
  slurm_init_job_desc_msg(&fresh);
  clear(&desc->tres_per_node, &desc->tres_per_job, &desc->tres_per_socket,
        &desc->tres_per_task, &desc->cpus_per_tres, &desc->mem_per_tres,
        &desc->tres_bind, &desc->tres_freq, &desc->features, &desc->prefer,
        &desc->req_nodes, &desc->exc_nodes);
  desc->contiguous = fresh.contiguous;
  desc->core_spec = fresh.core_spec;
  desc->req_switch = fresh.req_switch;
  desc->wait4switch = fresh.wait4switch;
  desc->shared = fresh.shared;
  desc->min_cpus = fresh.min_cpus;
  desc->max_cpus = fresh.max_cpus;
  desc->cpus_per_task = fresh.cpus_per_task;
  desc->ntasks_per_node = fresh.ntasks_per_node;
  desc->ntasks_per_socket = fresh.ntasks_per_socket;
  desc->ntasks_per_core = fresh.ntasks_per_core;
  desc->ntasks_per_tres = fresh.ntasks_per_tres;
  desc->sockets_per_node = fresh.sockets_per_node;
  desc->cores_per_socket = fresh.cores_per_socket;
  desc->threads_per_core = fresh.threads_per_core;
  desc->pn_min_cpus = fresh.pn_min_cpus;
  desc->pn_min_memory = fresh.pn_min_memory;
  desc->pn_min_tmp_disk = fresh.pn_min_tmp_disk;
  desc->plane_size = fresh.plane_size;
  desc->task_dist = fresh.task_dist;
  desc->overcommit = fresh.overcommit;
  desc->bitflags &=
      ~static_cast<std::uint64_t>(JOB_CPUS_SET | JOB_NTASKS_SET | SPREAD_JOB);
}

/// What was given that a lease cannot have, by option.
std::vector<std::string> meaningless_in(job_desc_msg_t const& desc) {
  auto const order = desc.task_dist & SLURM_DIST_STATE_BASE;
  auto const shared = given16(desc.shared).value_or(JOB_SHARED_NONE);
  struct Row {
    bool given;
    char const* option;
  } const rows[] = {
      {given16(desc.ntasks_per_socket).has_value(), "--ntasks-per-socket"},
      {given16(desc.ntasks_per_core).has_value(), "--ntasks-per-core"},
      {given16(desc.ntasks_per_tres).has_value(), "--ntasks-per-gpu"},
      {given16(desc.sockets_per_node).has_value(), "--sockets-per-node"},
      {given16(desc.cores_per_socket).has_value(), "--cores-per-socket"},
      {given16(desc.core_spec).has_value(), "--core-spec"},
      {given16(desc.plane_size).has_value() ||
           (desc.task_dist != NO_VAL && order != SLURM_DIST_UNKNOWN),
       "--distribution"},
      {desc.overcommit != NO_VAL8 && desc.overcommit != 0, "--overcommit"},
      {(desc.bitflags & SPREAD_JOB) != 0, "--spread-job"},
      {(desc.bitflags & (GRES_ENFORCE_BIND | GRES_DISABLE_BIND)) != 0,
       "--gres-flags"},
      {desc.tres_bind != nullptr, "--gpu-bind"},
      {desc.tres_freq != nullptr, "--gpu-freq"},
      {desc.prefer != nullptr, "--prefer"},
      {shared == JOB_SHARED_OK, "--oversubscribe"},
      {shared == JOB_SHARED_USER, "--exclusive=user"},
      {shared == JOB_SHARED_MCS, "--exclusive=mcs"},
      {given16(desc.reboot).value_or(0) != 0, "--reboot"},
      {slurm::compat::segment_size(desc) != 0, "--segment"},
  };
  std::vector<std::string> options;
  for (auto const& row : rows)
    if (row.given) options.emplace_back(row.option);
  return options;
}

/// What was given that a lease is asked for with as it is, by option.
std::vector<PassedOn> passed_on_in(job_desc_msg_t const& desc) {
  using Says = PassedOn::Says;
  struct Row {
    std::optional<std::uint32_t> value;
    char const* option;
    char const* unit;
    Says says;
  } const rows[] = {
      {given(desc.pn_min_tmp_disk), "--tmp", "M", Says::place},
      {given16(desc.threads_per_core), "--threads-per-core", "", Says::amount},
  };
  std::vector<PassedOn> options;
  for (auto const& row : rows)
    if (row.value)
      options.push_back(
          {row.option,
           *row.value == 0 ? "" : std::to_string(*row.value) + row.unit,
           row.says});
  return options;
}

/// Of a part: what lease_guard.cc found to be asked for, and nothing beside.
void set_part(job_desc_msg_t* desc, Resources const& part) {
  job_desc_msg_t fresh;
  slurm_init_job_desc_msg(&fresh);
  auto const cpus = static_cast<std::uint32_t>(part.cpus);
  desc->shared = fresh.shared;  // beside others, as the partition lets jobs
  desc->cpus_per_task = static_cast<std::uint16_t>(cpus);
  desc->min_cpus = cpus;
  desc->max_cpus = fresh.max_cpus;
  desc->pn_min_cpus = fresh.pn_min_cpus;
  desc->pn_min_memory = static_cast<std::uint64_t>(part.memory_mb);
  desc->overcommit = fresh.overcommit;
  desc->bitflags &= ~static_cast<std::uint64_t>(SPREAD_JOB);
}

void set_one_node(job_desc_msg_t* desc) {
  desc->min_nodes = desc->max_nodes = 1;
  desc->num_tasks = 1;
}

}  // namespace

NamedPlaces places_of(job_desc_msg_t const& desc) noexcept {
  return {view_of(desc.partition),
          view_of(desc.reservation),
          view_of(desc.licenses),
          view_of(desc.account),
          view_of(desc.qos),
          {view_of(desc.tres_per_node), view_of(desc.tres_per_job),
           view_of(desc.tres_per_socket), view_of(desc.tres_per_task)}};
}

bool is_malleable(job_desc_msg_t const& desc) noexcept {
  return option_of(desc, plugins::malleable_variable).has_value();
}

JobRequest read_request(job_desc_msg_t const& desc, Uid submitter) {
  JobRequest request;
  request.submitter = submitter;
  request.uid =
      slurm::compat::says_no_user(desc.user_id) ? submitter : desc.user_id;
  request.is_batch = desc.script != nullptr;
  request.is_het = desc.het_job_offset != NO_VAL;
  request.is_array = desc.array_inx != nullptr;
  request.immediate = desc.immediate != 0;
  request.waits_otherwise = desc.begin_time > 0 || desc.deadline > 0 ||
                            desc.dependency || desc.priority == 0 ||
                            (desc.bitflags & CRON_JOB);
  request.whole_nodes = desc.shared == JOB_SHARED_NONE;
  request.malleable = option_of(desc, plugins::malleable_variable);
  request.weight = option_of(desc, plugins::weight_variable);
  request.deadline = option_of(desc, plugins::deadline_variable);
  request.partition = text_of(desc.partition);
  request.reservation = text_of(desc.reservation);
  request.licences = text_of(desc.licenses);
  request.account = text_of(desc.account);
  request.qos = text_of(desc.qos);
  request.comment = text_of(desc.comment);
  request.admin_comment = text_of(desc.admin_comment);
  request.nodes_min = given(desc.min_nodes);
  request.nodes_max = given(desc.max_nodes);
  request.tasks = given(desc.num_tasks);
  request.required = text_of(desc.req_nodes);
  request.excluded = text_of(desc.exc_nodes);
  request.constraint = text_of(desc.features);
  request.switches = given(desc.req_switch);
  request.contiguous = desc.contiguous != NO_VAL16 && desc.contiguous != 0;
  request.tres_per_node = text_of(desc.tres_per_node);
  request.tres_per_job = text_of(desc.tres_per_job);
  request.tres_per_socket = text_of(desc.tres_per_socket);
  request.cpus_per_tres = text_of(desc.cpus_per_tres);
  request.mem_per_tres = text_of(desc.mem_per_tres);
  if (desc.pn_min_memory != NO_VAL64) {
    auto const mb = desc.pn_min_memory & ~MEM_PER_CPU;
    (desc.pn_min_memory & MEM_PER_CPU ? request.mem_per_cpu_mb
                                      : request.mem_per_node_mb) = mb;
  }
  request.cpus_per_node_min = given16(desc.pn_min_cpus);
  request.cpus_per_task = given16(desc.cpus_per_task);
  request.tres_per_task =
      without_cpus(view_of(desc.tres_per_task), &request.cpus_per_task);
  request.tasks_per_node = given16(desc.ntasks_per_node);
  request.passed_on = passed_on_in(desc);
  request.meaningless = meaningless_in(desc);
  return request;
}

void make_base_job(job_desc_msg_t* desc, slurm::TrainerMark const& mark,
                   Config const& config) {
  clear_shape(desc);
  set_one_node(desc);
  desc->pn_min_memory =
      static_cast<std::uint64_t>(config.head_memory_mb) +
      static_cast<std::uint64_t>(config.head_memory_per_node_mb) *
          static_cast<std::uint64_t>(mark.nodes_max);
  set(&desc->partition, config.head_partition);
  set(&desc->admin_comment, slurm::to_text(mark));
}

void make_lease(job_desc_msg_t* desc, proto::Ticket const& ticket,
                Config const& config) {
  job_desc_msg_t fresh;
  slurm_init_job_desc_msg(&fresh);
  set_one_node(desc);
  desc->shared = JOB_SHARED_NONE;  // the whole node, unless set_part() follows
  desc->contiguous = fresh.contiguous;
  desc->core_spec = fresh.core_spec;
  desc->req_switch = fresh.req_switch;
  desc->wait4switch = fresh.wait4switch;
  desc->reboot = fresh.reboot;
  desc->requeue = 0;
  desc->begin_time = 0;
  desc->deadline = 0;
  desc->time_limit = static_cast<std::uint32_t>(ticket.minutes);
  desc->time_min = fresh.time_min;
  clear(&desc->exc_nodes, &desc->licenses, &desc->dependency,
        &desc->burst_buffer, &desc->comment);
  set(&desc->partition, config.lease_partition);
  set(&desc->reservation, config.reservation);
  set(&desc->req_nodes, node_of(ticket.node));
  if (!config.lease_account.empty()) set(&desc->account, config.lease_account);
  if (!config.lease_qos.empty()) set(&desc->qos, config.lease_qos);
  if (ticket.part) set_part(desc, *ticket.part);
  auto const place = parse_place(ticket.node);
  set(&desc->admin_comment,
      slurm::to_text(slurm::LeaseMark{ticket.trainer, ticket.nonce,
                                      place ? place->part : std::nullopt}));
}

void give_notice(job_desc_msg_t* desc, std::int64_t until_s) {
  set(&desc->admin_comment, std::string(slurm::notice_mark));
  desc->begin_time = until_s;
}

}  // namespace gleaner::job_submit
