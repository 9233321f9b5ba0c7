// SPDX-License-Identifier: Apache-2.0
#include "runtime/os/cpu_list.hh"

#include <sched.h>

#include <algorithm>
#include <charconv>
#include <climits>

namespace gleaner::os {
namespace {

constexpr unsigned word_bits = sizeof(unsigned long) * CHAR_BIT;
constexpr unsigned cpus_max = 1 << 16;

bool is_in(std::vector<unsigned long> const& mask, unsigned cpu) {
  return cpu / word_bits < mask.size() &&
         (mask[cpu / word_bits] >> cpu % word_bits & 1) != 0;
}

}  // namespace

std::vector<unsigned long> cpu_mask(std::string_view list) {
  std::vector<unsigned long> mask;
  auto const* at = list.data();
  auto const* const end = at + list.size();
  while (at != end) {
    unsigned first = 0, last = 0;
    auto read = std::from_chars(at, end, first);
    if (read.ec != std::errc()) return {};
    last = first;
    if (read.ptr != end && *read.ptr == '-')
      read = std::from_chars(read.ptr + 1, end, last);
    if (read.ec != std::errc() || last < first || last >= cpus_max) return {};
    mask.resize(std::max<std::size_t>(mask.size(), last / word_bits + 1));
    for (auto cpu = first; cpu <= last; ++cpu)
      mask[cpu / word_bits] |= 1ul << cpu % word_bits;
    at = read.ptr;
    if (at == end) break;
    if (*at++ != ',' || at == end) return {};
  }
  return mask;
}

std::string cpu_list(std::vector<unsigned long> const& mask) {
  std::string text;
  auto const bits = unsigned(mask.size()) * word_bits;
  for (unsigned first = 0; first < bits; ++first) {
    if (!is_in(mask, first)) continue;
    auto last = first;
    while (is_in(mask, last + 1)) ++last;
    text += (text.empty() ? "" : ",") + std::to_string(first);
    if (last > first) text += '-' + std::to_string(last);
    first = last;
  }
  return text;
}

std::string affinity_of(pid_t pid) {
  std::vector<unsigned long> mask(cpus_max / word_bits);
  auto* set = reinterpret_cast<cpu_set_t*>(mask.data());
  if (::sched_getaffinity(pid, mask.size() * sizeof mask[0], set) != 0)
    return "";
  return cpu_list(mask);
}

}  // namespace gleaner::os
