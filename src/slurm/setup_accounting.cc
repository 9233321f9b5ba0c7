// SPDX-License-Identifier: Apache-2.0
/// What are leases charged to, and does accounting know the account and QOS?
#include "slurm/setup_rules.hh"

namespace gleaner::slurm::setup {
namespace {

void judge_account(SlurmConfFacts const& facts, Config const& config,
                   Findings& findings) {
  auto const& account = config.lease_account;
  if (account.empty())
    return findings.warn(
        "lease_account",
        facts.enforces_limits
            ? "lease_account is empty, and limits are enforced (leases use up "
              "their users' own limits and fair share)"
            : "lease_account is empty (leases count as their users' own use)",
        "sacctmgr add account gleaner, and in gleaner.yaml lease_account: "
        "gleaner");
  if (!facts.accounting->has_lease_account && facts.enforces_associations)
    return findings.refuse("lease_account",
                           "no association has the account " + quoted(account) +
                               " (every lease would be refused)",
                           "sacctmgr add account " + account +
                               ", and for each user sacctmgr add "
                               "user NAME account=" +
                               account);
  findings.ok("lease_account", account);
}

void judge_qos(SlurmConfFacts const& facts, Config const& config,
               Findings& findings) {
  auto const& name = config.lease_qos;
  if (name.empty()) return;
  for (auto const& qos : facts.accounting->qos) {
    if (qos.name != name) continue;
    if (qos.usage_factor == 0) return findings.ok("lease_qos", name);
    return findings.warn("lease_qos",
                         "QOS " + quoted(name) +
                             " has a UsageFactor above 0 (nodes that nobody "
                             "else wanted count in fair share)",
                         "sacctmgr modify qos " + name + " set UsageFactor=0");
  }
  findings.refuse(
      "lease_qos",
      "there is no QOS " + quoted(name) + " (every lease would be refused)",
      "sacctmgr add qos " + name + " set UsageFactor=0");
}

}  // namespace

void judge_accounting(SlurmConfFacts const& facts, Config const& config,
                      Findings& findings) {
  if (facts.accounting) {
    judge_account(facts, config, findings);
    judge_qos(facts, config, findings);
  } else if (config.lease_account.empty() && config.lease_qos.empty()) {
    findings.ok("accounting", "none");
  } else {
    findings.warn("lease_account, lease_qos",
                  "they are set, but slurmctld keeps no accounts (they mean "
                  "nothing)",
                  "AccountingStorageType=accounting_storage/slurmdbd, or take "
                  "them out of gleaner.yaml");
  }
}

}  // namespace gleaner::slurm::setup
