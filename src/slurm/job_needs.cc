// SPDX-License-Identifier: Apache-2.0
/// Reading what jobs ask of nodes.
#include "slurm/job_needs.hh"

#include <algorithm>
#include <charconv>

namespace gleaner::slurm {
namespace {

constexpr int tasks_most = 100000;

std::int64_t at_least_one(std::uint32_t number, std::uint32_t unset) {
  return number == unset || number == 0 ? 1 : number;
}

/// The GRES of a text such as "cpu:2,gres/gpu:a:1": other TRES left out.
Gres read_tres(std::string_view rest) {
  std::string plain;
  while (!rest.empty()) {
    auto const comma = std::min(rest.find(','), rest.size());
    auto const word = rest.substr(0, comma);
    rest.remove_prefix(std::min(comma + 1, rest.size()));
    bool const other = word.rfind("cpu", 0) == 0 || word.rfind("mem", 0) == 0 ||
                       word.rfind("license/", 0) == 0 ||
                       word.rfind("bb/", 0) == 0;
    if (!other) plain += (plain.empty() ? "" : ",") + std::string(word);
  }
  auto gres = parse_gres(plain);
  return gres ? *gres : Gres{{"unreadable", 1}};
}

Gres gres_in(char const* text, TextMemory* texts) {
  return text && *text ? texts->gres.of(text, read_tres) : Gres();
}

Gres times(Gres gres, std::int64_t factor) {
  for (auto& [key, count] : gres) count *= factor;
  return gres;
}

/// "gres/gpu:1024" for what each GPU brings with it.
std::int64_t per_gpu(char const* text, TextMemory* texts) {
  return count_of(gres_in(text, texts), "gpu");
}

std::int64_t nodes_of(slurm_job_info_t const& job) {
  return std::clamp<std::int64_t>(job.num_nodes, 1, 1 << 20);
}

void add_gres(JobRecord* record, slurm_job_info_t const& job,
              TextMemory* texts) {
  auto const tasks = at_least_one(job.num_tasks, NO_VAL);
  auto const sockets = at_least_one(job.sockets_per_node, NO_VAL16);
  record->each.gres = plus(gres_in(job.tres_per_node, texts),
                           times(gres_in(job.tres_per_socket, texts), sockets));
  auto in_all = plus(gres_in(job.tres_per_job, texts),
                     times(gres_in(job.tres_per_task, texts), tasks));
  if (nodes_of(job) == 1 && job.max_nodes == 1)
    record->each.gres = plus(record->each.gres, in_all);
  else
    record->gres = std::move(in_all);
}

void add_cpus(JobRecord* record, slurm_job_info_t const& job,
              TextMemory* texts) {
  auto const nodes = nodes_of(job);
  auto const cpus = std::min<std::int64_t>(job.num_cpus, 1 << 30);
  auto least = std::max<std::int64_t>(1, (cpus + nodes - 1) / nodes);
  if (job.pn_min_cpus != NO_VAL16)
    least = std::max<std::int64_t>(least, job.pn_min_cpus);
  auto const gpus = count_of(record->each.gres, "gpu");
  least = std::max(least, gpus * per_gpu(job.cpus_per_tres, texts));
  record->each.cpus = static_cast<int>(std::min<std::int64_t>(least, 1 << 30));
}

void add_memory(JobRecord* record, slurm_job_info_t const& job,
                TextMemory* texts) {
  auto const gpus = count_of(record->each.gres, "gpu");
  auto const asked = job.pn_min_memory;
  if (auto const by_gpu = per_gpu(job.mem_per_tres, texts); by_gpu > 0)
    record->each.memory_mb = by_gpu * std::max<std::int64_t>(1, gpus);
  else if (asked == 0 || asked == NO_VAL64)
    record->whole_memory = true;
  else if (asked & MEM_PER_CPU)
    record->each.memory_mb =
        static_cast<std::int64_t>(asked & ~MEM_PER_CPU) * record->each.cpus;
  else
    record->each.memory_mb = static_cast<std::int64_t>(asked);
}

}  // namespace

void add_needs(JobRecord* record, slurm_job_info_t const& job,
               TextMemory* texts) {
  record->whole = job.shared == JOB_SHARED_NONE;
  record->own_user_only =
      job.shared == JOB_SHARED_USER || job.shared == JOB_SHARED_MCS;
  add_gres(record, job, texts);
  add_cpus(record, job, texts);
  add_memory(record, job, texts);
}

int count_tasks(std::string_view text) {
  std::int64_t count = 0;
  text = text.substr(0, text.find('%'));
  while (!text.empty()) {
    auto const comma = std::min(text.find(','), text.size());
    auto const word = text.substr(0, comma);
    text.remove_prefix(std::min(comma + 1, text.size()));
    std::int64_t range[3] = {0, 0, 1};  // first, last, step
    int parts = 0;
    auto const* at = word.data();
    auto const* const end = at + word.size();
    while (parts < 3) {
      auto const [stop, error] = std::from_chars(at, end, range[parts]);
      if (error != std::errc()) break;
      if (parts++ == 0) range[1] = range[0];
      at = stop;
      if (at == end || (*at != '-' && *at != ':')) break;
      ++at;
    }
    if (parts > 0 && range[1] >= range[0] && range[2] > 0)
      count += (range[1] - range[0]) / range[2] + 1;
  }
  return static_cast<int>(std::clamp<std::int64_t>(count, 1, tasks_most));
}

int tasks_in(slurm_job_info_t const& job) {
  bool const all =
      job.array_task_str && *job.array_task_str && job.array_task_id == NO_VAL;
  return all ? count_tasks(job.array_task_str) : 1;
}

}  // namespace gleaner::slurm
