# SPDX-License-Identifier: Apache-2.0
"""Which members were lost, for which job, and had their training been asked?

A loss is a member that still trained on its node when Slurm took it.  With notice:
it had been asked to leave, too late.  Without: it had not.  Of these some come
although gleanerd knew of the job, and had asked others to leave for it.
"""

from collections import Counter

KINDS = ["with_notice", "without_notice", "without_notice_though_known"]
SLACK_S = 2  # between the clocks of what tells of one end


def lease_of(run, training, node, t):
    for lease in run.leases:
        ended_t = lease.ended_t or t
        if (lease.trainer, lease.node) == (training.job, node) and (
            lease.held_t - SLACK_S <= t <= ended_t + SLACK_S
        ):
            return lease
    return None


def preemption_of(run, lease):
    found = [p for p in run.preemptions if lease and p.lease == lease.job]
    return found[0] if found else None


def path_of(run, preemption):
    """Of the job that Slurm took the lease for."""
    if not preemption:
        return "not preempted"
    jobs = [job for job in run.jobs.values() if job.id == preemption.job]
    return (jobs[0].path or "unknown") if jobs else "not started"


def kind_of(run, lease, preemption, t):
    if lease and lease.asked_t is not None and lease.asked_t < t:
        return "with_notice"
    known_t = run.arrivals.get(preemption.job) if preemption else None
    if known_t is not None and known_t < preemption.t:
        return "without_notice_though_known"
    return "without_notice"


def losses(run):
    """(time, node, path, kind) of each, until all that ran was ended."""
    found = []
    for training in run.trainings:
        for t, node in training.lost:
            if t >= run.moments["drained_s"]:
                continue
            lease = lease_of(run, training, node, t)
            taken = preemption_of(run, lease)
            kind = kind_of(run, lease, taken, t)
            found.append((t, node, path_of(run, taken), kind))
    return sorted(found)


def count_losses(run):
    told = {kind: Counter() for kind in KINDS}
    for _, _, path, kind in losses(run):
        told[kind][path] += 1
    return {kind: dict(counts) for kind, counts in told.items()}


def ends_of_leases(run):
    """Why leases ended, while the jobs came and went."""
    end_t = run.moments["drained_s"]
    return dict(
        Counter(x.cause or "?" for x in run.leases if x.ended_t and x.ended_t < end_t)
    )
