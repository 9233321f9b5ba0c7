// SPDX-License-Identifier: Apache-2.0
/// sched plugin: Slurm's backfill, and beside it the scavenger thread.
///
/// Built twice from this file: as sched_gleaner.so, and as sched_backfill.so
/// (-DGLEANER_AS_BACKFILL) for sites with heterogeneous jobs, which slurmctld
/// accepts only while SchedulerType is literally sched/backfill.
///
/// Whatever goes wrong on our side, backfill runs.  Only when Slurm's own
/// plugin cannot be opened does init() fail, and with it slurmctld's start.
#include <slurm/slurm_errno.h>
#include <slurm/slurm_version.h>

#include <cstdint>
#include <memory>

#include "plugins/c_guard.hh"
#include "plugins/sched/scavenger.hh"
#include "plugins/sched/stock_backfill.hh"
#include "plugins/settings.hh"
#include "plugins/slurm_log.hh"

extern "C" {
// A const at file scope is private to the file in C++, unless declared first.
extern char const plugin_name[];
extern char const plugin_type[];
extern std::uint32_t const plugin_version;
char const plugin_name[] = "Gleaner scavenger around Slurm's backfill";
#ifdef GLEANER_AS_BACKFILL
char const plugin_type[] = "sched/backfill";
#else
char const plugin_type[] = "sched/gleaner";
#endif
std::uint32_t const plugin_version = SLURM_VERSION_NUMBER;
}

namespace gleaner::sched {
namespace {

std::unique_ptr<StockBackfill> backfill;
std::unique_ptr<Scavenger> scavenger;

/// A thread once started stays: it idles by itself when `scavenger` becomes
/// poll, and here, under slurmctld's locks, it must not be waited for.
int start_scavenger() {
  if (!scavenger &&
      plugins::Settings().now()->config.scavenger == Config::Scavenger::plugin)
    scavenger = std::make_unique<Scavenger>();
  return SLURM_SUCCESS;
}

int open_backfill() {
  auto stock = std::make_unique<StockBackfill>();
  auto const opened =
      stock->open(stock_backfill_candidates(
                      plugins::Settings().now()->config.stock_backfill),
                  plugin_version);
  if (!opened) {
    plugins::log_to_slurm(
        LogLevel::error,
        LogLine("backfill_missing").kv("why", opened.error().message));
    return SLURM_ERROR;
  }
  backfill = std::move(stock);
  plugins::log_to_slurm(
      LogLevel::info, LogLine("backfill_wrapped").kv("path", backfill->path()));
  return SLURM_SUCCESS;
}

}  // namespace
}  // namespace gleaner::sched

extern "C" {

int init(void) {
  using namespace gleaner;
  int rc =
      plugins::guard(SLURM_ERROR, plugins::log_exception, sched::open_backfill);
  if (rc == SLURM_SUCCESS) rc = sched::backfill->init();
  if (rc != SLURM_SUCCESS) {
    sched::backfill.reset();
    return rc;
  }
  (void)plugins::guard(SLURM_SUCCESS, plugins::log_exception,
                       sched::start_scavenger);
  return SLURM_SUCCESS;
}

void fini(void) {
  gleaner::sched::scavenger.reset();
  if (gleaner::sched::backfill) gleaner::sched::backfill->fini();
  gleaner::sched::backfill.reset();
}

int sched_p_reconfig(void) {
  using namespace gleaner;
  (void)plugins::guard(SLURM_SUCCESS, plugins::log_exception,
                       sched::start_scavenger);
  return sched::backfill ? sched::backfill->reconfig() : SLURM_SUCCESS;
}

}  // extern "C"
