// SPDX-License-Identifier: Apache-2.0
/// RLIMIT_NOFILE, and what fits it.
#include "daemon/io/descriptor_budget.hh"

#include <sys/resource.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>

namespace gleaner::daemon {
namespace {

constexpr std::size_t links_min = 64;

}  // namespace

Result<std::size_t> links_within(std::size_t limit) {
  auto const needed = descriptors_reserved + links_min;
  if (limit < needed)
    return Error{Errc::invalid_argument,
                 std::to_string(limit) +
                     " open files are too few (with clients connected, calls "
                     "to Slurm would fail) [ulimit -n or LimitNOFILE= of the "
                     "service: " +
                     std::to_string(needed) + " at least, " +
                     std::to_string(descriptors_reserved + links_max) +
                     " for " + std::to_string(links_max) + " clients]"};
  return std::min(links_max, limit - descriptors_reserved);
}

Result<std::size_t> raise_descriptor_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0)
    return Error{Errc::io, std::string("cannot read RLIMIT_NOFILE (") +
                               std::strerror(errno) + ")"};
  rlim_t const wanted = descriptors_reserved + links_max;
  if (limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur < wanted) {
    auto raised = limit;
    raised.rlim_cur = limit.rlim_max == RLIM_INFINITY
                          ? wanted
                          : std::min(wanted, limit.rlim_max);
    if (::setrlimit(RLIMIT_NOFILE, &raised) == 0) limit = raised;
  }
  return links_within(limit.rlim_cur == RLIM_INFINITY
                          ? wanted
                          : static_cast<std::size_t>(limit.rlim_cur));
}

}  // namespace gleaner::daemon
