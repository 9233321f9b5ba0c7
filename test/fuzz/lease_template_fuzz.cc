// SPDX-License-Identifier: Apache-2.0
/// What a user's sbatch asked of nodes, turned into options of srun; and that
/// no such options are refused by the coordinator's list.
#include <iterator>
#include <sstream>

#include "plugins/job_submit/lease_template.hh"
#include "runtime/coordinator/lease_options.hh"
#include "test/fuzz/target.hh"

namespace gleaner::fuzz {
namespace {

/// The fields of a request, one a line.
job_submit::JobRequest request_of(std::string_view input) {
  std::istringstream lines{std::string(input)};
  job_submit::JobRequest request;
  request.uid = 1000;
  for (auto* field :
       {&request.tres_per_node, &request.constraint, &request.excluded,
        &request.required, &request.tres_per_job, &request.tres_per_task,
        &request.partition, &request.account, &request.qos})
    std::getline(lines, *field);
  std::uint32_t number = 0;
  if (lines >> number) request.cpus_per_node_min = number;
  if (lines >> number)
    request.passed_on = {{"--tmp", std::to_string(number) + "M",
                          job_submit::PassedOn::Says::place}};
  std::uint64_t memory_mb = 0;
  if (lines >> memory_mb) request.mem_per_node_mb = memory_mb;
  return request;
}

}  // namespace

void check(std::string_view input) {
  auto const request = request_of(input);
  // sbatch reads a file of --exclude=FILE itself: slurmctld never sees a '/'.
  if (request.excluded.find('/') != std::string::npos) return;
  auto const text = job_submit::make_lease_template(request, {1, 8});
  if (!text) return;
  must(text->size() <= job_submit::lease_template_bytes_max,
       "it fits an admin_comment");
  must(text->find_first_of("\"'\\\n\t") == text->npos, "it is plain");
  std::istringstream words(*text);
  std::vector<std::string> const options{
      std::istream_iterator<std::string>(words), {}};
  auto const admitted =
      coordinator::check_lease_request({"n1", "gleaner1:x", 1, 0}, options);
  if (!admitted) std::fprintf(stderr, "%s\n", admitted.error().message.c_str());
  must(bool(admitted), "the coordinator's list has all of it");
}

}  // namespace gleaner::fuzz
