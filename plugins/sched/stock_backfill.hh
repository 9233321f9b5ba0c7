// SPDX-License-Identifier: Apache-2.0
/// Slurm's own backfill scheduler, which does all the scheduling.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/result.hh"

namespace gleaner::sched {

/// An open sched_backfill.so.
class StockBackfill {
 public:
  StockBackfill() = default;
  ~StockBackfill();
  StockBackfill(StockBackfill const&) = delete;
  StockBackfill& operator=(StockBackfill const&) = delete;

  /// Open the first of `candidates` that is Slurm's backfill of exactly the
  /// release `version`, and is not this plugin itself (one of the candidates
  /// may be: it can bear the same name).  Fails with not_found, saying what was
  /// wrong with each.
  Result<void> open(std::vector<std::string> const& candidates,
                    std::uint32_t version);

  std::string const& path() const { return path_; }

  // To be called only after open(); each forwards to the stock plugin.
  int init() const;
  void fini() const;
  int reconfig() const;

 private:
  void* handle_ = nullptr;
  std::string path_;
  int (*init_)() = nullptr;
  void (*fini_)() = nullptr;
  int (*reconfig_)() = nullptr;
};

/// Where it may be: `configured` if that is not empty, then beside Slurm's
/// private library, which is its plugin directory, then the usual places.
std::vector<std::string> stock_backfill_candidates(
    std::string const& configured);

}  // namespace gleaner::sched
