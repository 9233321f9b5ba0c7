// SPDX-License-Identifier: Apache-2.0
#include "doctor/lease_ends.hh"

#include <cstdio>

#include "core/quantile.hh"

namespace gleaner::doctor {
namespace {

using Severity = slurm::Finding::Severity;

constexpr double short_s = 0.5;  ///< what no job notices beside its own start

std::string one_decimal(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", number);
  return text;
}

std::string measured(LeaseEnds const& ends) {
  return "a leased node is free " + one_decimal(*ends.median_s()) +
         " s after its lease has ended, median of the last " +
         std::to_string(ends.completing_s.size());
}

std::string remedy(LeaseEnds const& ends, Config const& config) {
  return "let it end at once if SLURM_JOB_PARTITION is " +
         config.lease_partition + ", or in gleaner.yaml release_lead_s: " +
         one_decimal(default_config().release_lead_s + *ends.median_s());
}

}  // namespace

std::optional<double> LeaseEnds::median_s() const {
  if (completing_s.empty()) return {};
  return quantile(completing_s, 0.5);
}

void judge_lease_ends(Result<LeaseEnds> const& ends, Config const& config,
                      slurm::SlurmSetup* setup) {
  auto& findings = setup->findings;
  auto const epilog =
      std::find_if(findings.begin(), findings.end(), [](auto& finding) {
        return finding.setting == "Epilog" &&
               finding.severity == Severity::warn;
      });
  bool const known = ends && ends->median_s();
  if (epilog == findings.end()) {
    if (!known) return;
    if (*ends->median_s() < short_s)
      return findings.push_back(
          {Severity::ok, "ends of leases", measured(*ends), ""});
    return findings.push_back(
        {Severity::warn, "ends of leases",
         measured(*ends) +
             " (jobs that take a leased node wait for it; there is no Epilog: "
             "a SPANK or job_container plugin, or a slow slurmd)",
         "see slurmd's log of a leased node"});
  }
  if (!known) {
    epilog->what += "; how long that takes is not known: " +
                    (ends ? std::string("no lease has ended by itself yet")
                          : ends.error().message);
    return;
  }
  if (*ends->median_s() < short_s)
    epilog->severity = Severity::ok, epilog->remedy.clear();
  else
    epilog->remedy = remedy(*ends, config);
  epilog->what += ": " + measured(*ends);
}

}  // namespace gleaner::doctor
