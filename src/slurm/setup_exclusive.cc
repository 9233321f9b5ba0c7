// SPDX-License-Identifier: Apache-2.0
/// Does a lease keep other users' jobs off nodes, and can those get them back?
///
/// ExclusiveUser=YES is a wall, not a matter of priority: before slurmctld
/// looks for jobs to preempt it drops every node on which another user runs
/// something.  ExclusiveTopo=YES does the same for a block of the topology, but
/// looks again without the leases it may preempt.
#include "slurm/setup_rules.hh"

namespace gleaner::slurm::setup {
namespace {

/// Of the lease partition: a lease would be the wall.
void judge_lease(PartitionFacts const& lease, Findings& findings) {
  auto const setting = "PartitionName=" + lease.name;
  auto const subject = "partition " + quoted(lease.name);
  if (lease.one_user_a_node)
    findings.refuse(setting,
                    subject +
                        " has ExclusiveUser=YES (Slurm preempts no lease for "
                        "the jobs of other users)",
                    setting + " … ExclusiveUser=NO");
  if (lease.one_job_a_block)
    findings.refuse(setting,
                    subject +
                        " has ExclusiveTopo=YES (a lease of one node keeps "
                        "others off its whole block)",
                    setting + " … ExclusiveTopo=NO");
}

/// Of one that shares nodes with it: its jobs meet leases as a wall.
void judge_other(PartitionFacts const& other, Config const& config,
                 Findings& findings) {
  auto const setting = "PartitionName=" + other.name;
  auto const subject = "partition " + quoted(other.name);
  std::string const apart =
      ", or take its nodes out of partition " + quoted(config.lease_partition);
  if (other.one_user_a_node)
    findings.warn(
        setting,
        subject +
            " has ExclusiveUser=YES (Slurm preempts no lease of another user "
            "for its jobs: they get leased nodes when gleanerd has ended the "
            "leases, or while it is down, after up to lease_minutes_max: " +
            std::to_string(config.lease_minutes_max) +
            (config.lease == Config::Lease::parts
                 ? "; its nodes are lent whole)"
                 : ")"),
        "leave it so, or ExclusiveUser=NO" + apart);
  if (other.one_job_a_block)
    findings.warn(setting,
                  subject +
                      " has ExclusiveTopo=YES (gleanerd does not know blocks: "
                      "Slurm preempts the leases of a block for its jobs "
                      "without notice, and refuses leases beside them)",
                  setting + " … ExclusiveTopo=NO" + apart);
}

}  // namespace

void judge_exclusive(SlurmConfFacts const& facts, Config const& config,
                     Findings& findings) {
  auto const* lease = find(facts, config.lease_partition);
  if (!lease) return;
  auto const before = findings.setup().findings.size();
  judge_lease(*lease, findings);
  for (auto const& other : facts.partitions)
    if (&other != lease && share_nodes(other, *lease))
      judge_other(other, config, findings);
  if (findings.setup().findings.size() == before)
    findings.ok("ExclusiveUser, ExclusiveTopo",
                "NO where partitions share nodes with " +
                    quoted(config.lease_partition));
}

}  // namespace gleaner::slurm::setup
