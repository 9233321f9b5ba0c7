// SPDX-License-Identifier: Apache-2.0
#include "runtime/member/fingerprint.hh"

#include <sched.h>
#include <sys/utsname.h>

#include <cstdlib>
#include <fstream>

#include "config.h"

namespace gleaner::member {
namespace {

/// Numerical libraries choose other code for another model of processor.
std::string processor() {
  std::ifstream file("/proc/cpuinfo");
  std::string const key = "model name";
  for (std::string line; std::getline(file, line);)
    if (line.compare(0, key.size(), key) == 0)
      if (auto const at = line.find(": "); at != std::string::npos)
        return line.substr(at + 2);
  utsname name{};
  uname(&name);
  return name.machine;
}

/// Those that make sums come out in another order or rounded otherwise.
std::string vector_instructions() {
  std::string found;
#if defined __x86_64__
  auto const note = [&](char const* name, bool has) {
    if (has) found += std::string(" ") + name;
  };
  note("avx2", __builtin_cpu_supports("avx2"));
  note("fma", __builtin_cpu_supports("fma"));
  note("avx512f", __builtin_cpu_supports("avx512f"));
  note("avx512vl", __builtin_cpu_supports("avx512vl"));
  note("avx512bf16", __builtin_cpu_supports("avx512bf16"));
#endif
  return found;
}

std::string threads() {
  if (char const* told = std::getenv("OMP_NUM_THREADS")) return told;
  cpu_set_t usable;
  CPU_ZERO(&usable);
  if (sched_getaffinity(0, sizeof usable, &usable) != 0) return "?";
  return std::to_string(CPU_COUNT(&usable));
}

}  // namespace

std::string fingerprint() {
  auto text = "gleaner " PACKAGE_VERSION ", " + processor() +
              vector_instructions() + ", threads " + threads();
  if (char const* more = std::getenv("GLEANER_FINGERPRINT"))
    text += std::string(", ") + more;
  return text;
}

}  // namespace gleaner::member
