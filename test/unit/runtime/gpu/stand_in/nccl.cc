// SPDX-License-Identifier: Apache-2.0
/// The functions of NCCL that runtime/gpu calls, between threads.
#include <cstring>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "runtime/comm/element.hh"
#include "stand_in/gpu.hh"

namespace {

using namespace gleaner;
using gleaner::gpu::test::Work;

/// One member's part in a sum.
struct Part {
  void const* local = nullptr;
  void* sum = nullptr;
  std::size_t n = 0;
  comm::Element type = comm::Element::float32;
  std::shared_ptr<Work> work;
};

/// Those that were made with one id.
struct Group {
  std::mutex mutex;
  int size = 0;
  std::set<int> ranks;                                ///< that have called in
  std::map<std::uint64_t, std::map<int, Part>> sums;  ///< by number and rank
};

std::mutex groups_mutex;
std::map<std::string, std::shared_ptr<Group>> groups;  ///< by id
std::atomic<int> version{NCCL_VERSION_CODE}, ids{0}, roots{0}, queued_max{0};
std::atomic<bool> deaf{false};
std::vector<std::shared_ptr<Work>> deaf_works;

comm::Element element(ncclDataType_t type) {
  switch (type) {
    case ncclFloat64:
      return comm::Element::float64;
    case ncclFloat16:
      return comm::Element::float16;
    case ncclBfloat16:
      return comm::Element::bfloat16;
    case ncclInt64:
      return comm::Element::int64;
    default:
      return comm::Element::float32;
  }
}

/// In the order of ranks, so that all get the same bits.
void add_up(std::map<int, Part> const& parts) {
  auto const& first = parts.begin()->second;
  std::string total(first.n * comm::size_of(first.type), '\0');
  std::memcpy(total.data(), first.local, total.size());
  for (auto it = std::next(parts.begin()); it != parts.end(); ++it)
    comm::add(first.type, total.data(), total.data(), it->second.local,
              first.n);
  for (auto const& [rank, part] : parts) {
    std::memcpy(part.sum, total.data(), total.size());
    part.work->done = true;
  }
}

}  // namespace

struct ncclComm {
  std::shared_ptr<Group> group;
  int rank = 0;
  std::uint64_t next = 0;
  int polls_left = 0;  ///< until what was begun is no longer in progress
  std::map<std::uint64_t, std::shared_ptr<Work>> works;  ///< by number
};

namespace gleaner::gpu::test {

void set_nccl_version(int code) { version = code; }
int bootstrap_roots() { return roots; }
int ids_made() { return ids; }
void set_kernels_deaf(bool now) { deaf = now; }
void end_deaf_kernels() {
  std::lock_guard lock(groups_mutex);
  for (auto const& work : std::exchange(deaf_works, {})) work->done = true;
}
int sums_queued_max() { return queued_max; }

}  // namespace gleaner::gpu::test

extern "C" {

ncclResult_t ncclGetVersion(int* code) {
  *code = version;
  return ncclSuccess;
}
char const* ncclGetErrorString(ncclResult_t) { return "as the test says"; }
char const* ncclGetLastError(ncclComm_t) { return ""; }

ncclResult_t ncclGetUniqueId(ncclUniqueId* id) {
  std::memset(id, 0, sizeof *id);
  int const number = ++ids;
  std::memcpy(id, &number, sizeof number);
  ++roots;
  return ncclSuccess;
}

ncclResult_t ncclCommInitRankScalable(ncclComm_t* comm, int size, int rank,
                                      int n, ncclUniqueId* of,
                                      ncclConfig_t* config) {
  if (config->blocking != 0 || size < 1 || n < 1) return ncclInvalidArgument;
  std::string id;
  for (int i = 0; i < n; ++i) id.append(of[i].internal, sizeof of[i].internal);
  std::shared_ptr<Group> group;
  {
    std::lock_guard lock(groups_mutex);
    auto& entry = groups[id];
    if (!entry) entry = std::make_shared<Group>();
    group = entry;
  }
  std::lock_guard lock(group->mutex);
  group->size = size;
  if (!group->ranks.insert(rank).second) return ncclInvalidUsage;
  if (int(group->ranks.size()) == size) roots -= n;
  *comm = new ncclComm{group, rank, 0, 1, {}};
  return ncclInProgress;
}

ncclResult_t ncclCommInitRankConfig(ncclComm_t* comm, int size, ncclUniqueId id,
                                    int rank, ncclConfig_t* config) {
  return ncclCommInitRankScalable(comm, size, rank, 1, &id, config);
}

ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t* state) {
  std::lock_guard lock(comm->group->mutex);
  bool const all = int(comm->group->ranks.size()) == comm->group->size;
  *state = !all || comm->polls_left-- > 0 ? ncclInProgress : ncclSuccess;
  if (comm->polls_left < 0) comm->polls_left = 0;
  return ncclSuccess;
}

ncclResult_t ncclAllReduce(void const* local, void* sum, std::size_t n,
                           ncclDataType_t type, ncclRedOp_t, ncclComm_t comm,
                           cudaStream_t stream) {
  auto& group = *comm->group;
  std::lock_guard lock(group.mutex);
  if (comm->polls_left > 0) return ncclInvalidUsage;
  auto const number = comm->next++;
  auto const work = std::make_shared<Work>();
  gleaner::gpu::test::queue(stream, work);
  comm->works[number] = work;
  comm->polls_left = 2;
  auto& parts = group.sums[number];
  parts[comm->rank] = {local, sum, n, element(type), work};
  int queued = 0;
  for (auto const& [k, one] : comm->works) queued += one->done ? 0 : 1;
  if (queued > queued_max) queued_max = queued;
  if (int(parts.size()) < group.size) return ncclInProgress;
  add_up(parts);
  group.sums.erase(number);
  return ncclInProgress;
}

ncclResult_t ncclCommAbort(ncclComm_t comm) {
  {
    std::scoped_lock lock(groups_mutex, comm->group->mutex);
    for (auto& [number, parts] : comm->group->sums) parts.erase(comm->rank);
    for (auto& [number, work] : comm->works)
      if (deaf)
        deaf_works.push_back(work);
      else
        work->done = true;
  }
  delete comm;
  return ncclSuccess;
}

}  // extern "C"
