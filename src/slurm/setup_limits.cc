// SPDX-License-Identifier: Apache-2.0
/// Do leases fit into slurmctld's limits without using up other people's?
#include "slurm/setup_rules.hh"

namespace gleaner::slurm::setup {
namespace {

constexpr double share_warned = 0.2, share_refused = 0.5;  ///< of MaxJobCount
constexpr int bucket_default = 30, refill_default = 2;     ///< of rl_enable
constexpr int bucket_wanted = 300, refill_wanted = 30;

}  // namespace

/// Every lease is a job record, kept for MinJobAge after its end.
void judge_records(SlurmConfFacts const& facts, Config const& config,
                   Findings& findings) {
  auto const remedy = "MaxJobCount=" + std::to_string(facts.jobs_max * 5) +
                      ", or in gleaner.yaml a lower leases_per_hour_max";
  if (facts.job_age_s_min == 0)
    return findings.refuse("MinJobAge",
                           "MinJobAge=0 (ended leases would stay in slurmctld "
                           "for ever, until no job can be submitted)",
                           "MinJobAge=300");
  double const kept =
      config.leases_per_hour_max * (facts.job_age_s_min / 3600.0);
  auto const what = "up to " + std::to_string(static_cast<long>(kept)) +
                    " ended leases (leases_per_hour_max: " +
                    std::to_string(config.leases_per_hour_max) +
                    ", MinJobAge=" + std::to_string(facts.job_age_s_min) +
                    ") of MaxJobCount=" + std::to_string(facts.jobs_max);
  if (kept > share_refused * facts.jobs_max)
    findings.refuse("MaxJobCount",
                    what + " (when it is used up nobody can submit a job)",
                    remedy);
  else if (kept > share_warned * facts.jobs_max)
    findings.warn("MaxJobCount", what, remedy);
  else
    findings.ok("MaxJobCount", what);
}

void judge_rpc_limits(SlurmConfFacts const& facts, Config const&,
                      Findings& findings) {
  auto const& list = facts.slurmctld_parameters;
  if (!list_has(list, "rl_enable")) return findings.ok("rl_enable", "not set");
  int const bucket =
      list_number(list, "rl_bucket_size").value_or(bucket_default);
  int const refill =
      list_number(list, "rl_refill_rate").value_or(refill_default);
  auto const what = "rl_enable lets a user send " + std::to_string(bucket) +
                    " requests at once and " + std::to_string(refill) +
                    " a second";
  if (bucket >= bucket_wanted && refill >= refill_wanted)
    return findings.ok("rl_enable", what);
  findings.warn(
      "rl_enable",
      what +
          " (a training that grows by many nodes stalls, and its "
          "tickets run out)",
      "SlurmctldParameters=…,rl_bucket_size=" + std::to_string(bucket_wanted) +
          ",rl_refill_rate=" + std::to_string(refill_wanted));
}

/// Time limits end leases when gleanerd is gone.
void judge_time_limits(SlurmConfFacts const& facts, Config const& config,
                       Findings& findings) {
  auto const limit = std::to_string(config.lease_minutes_max);
  if (facts.over_time_limit_min < 0)
    findings.warn("OverTimeLimit",
                  "OverTimeLimit=UNLIMITED (if gleanerd dies, no lease ends by "
                  "itself)",
                  "OverTimeLimit=0");
  else if (facts.over_time_limit_min > config.lease_minutes_max)
    findings.warn("OverTimeLimit",
                  "OverTimeLimit=" + std::to_string(facts.over_time_limit_min) +
                      " min is more than lease_minutes_max: " + limit +
                      " (if gleanerd dies, leases end that much later)",
                  "OverTimeLimit=0");
  else
    findings.ok("lease_minutes_max",
                "if gleanerd dies, leases end within " +
                    std::to_string(config.lease_minutes_max +
                                   facts.over_time_limit_min + 1) +
                    " min");
}

}  // namespace gleaner::slurm::setup
