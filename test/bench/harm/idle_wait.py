# SPDX-License-Identifier: Apache-2.0
"""How long does a job wait although enough nodes have no rigid job?

Delays of whole runs cannot tell a slow start from another order of jobs: one
that starts a moment later may find its nodes taken, and wait for minutes.  This
can: it counts from the last moment at which too few nodes were free of rigid
jobs, or from the submission.  Nodes on lease count as free.
"""

from occupancy import rigid_uses


def _has_places(job, nodes, units, uses, t):
    used = dict.fromkeys(nodes, 0)
    for begin_t, end_t, node, amount in uses:
        if begin_t <= t < end_t:
            used[node] += amount
    need = 1 if job.part else units
    return sum(u + need <= units for u in used.values()) >= job.wanted


def ready_t(job, nodes, units, uses):
    """Since when it could have run, without a break until it was started."""
    uses = [u for u in uses if u[0] < job.given_t and u[1] > job.submit_t]
    # Places come free when a job ends: nothing else makes it ready.
    ends = sorted({u[1] for u in uses if job.submit_t < u[1] <= job.given_t})
    begins = sorted({u[0] for u in uses if job.submit_t < u[0] < job.given_t})
    moments = sorted({job.submit_t, *ends, *begins})
    since_t = None
    for t in moments:
        if not _has_places(job, nodes, units, uses, t):
            since_t = None
        elif since_t is None:
            since_t = t
    return since_t if since_t is not None else job.given_t


def idle_waits(run, nodes, jobs, units=1, epilog_s=0):
    """(path, seconds) of each of the jobs."""
    uses = [
        (begin_t, end_t, node, amount)
        for node, by_node in rigid_uses(run, units, epilog_s).items()
        for begin_t, end_t, amount in by_node
    ]
    return [
        (job.path, job.start_t - min(ready_t(job, nodes, units, uses), job.start_t))
        for job in jobs.values()
    ]
