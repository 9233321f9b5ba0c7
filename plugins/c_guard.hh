// SPDX-License-Identifier: Apache-2.0
/// The edge between C++ and a C host: nothing is thrown past it.
#pragma once

#include <exception>
#include <utility>

namespace gleaner::plugins {

/// Call `f` and return what it returns; if it throws, pass the reason to `log`
/// and return `otherwise`.  Slurm's daemons are C: an exception that left one
/// of our callbacks would end slurmctld.
///
///     extern "C" int slurm_spank_init(spank_t sp, int ac, char** av) {
///       return guard(0, log_error, [&] { return on_init(sp, ac, av); });
///     }
template <class R, class Log, class F>
R guard(R otherwise, Log&& log, F&& f) noexcept {
  try {
    return std::forward<F>(f)();
  } catch (std::exception const& e) {
    log(e.what());
  } catch (...) {
    log("unknown exception");
  }
  return otherwise;
}

}  // namespace gleaner::plugins
