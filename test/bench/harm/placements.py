# SPDX-License-Identifier: Apache-2.0
"""How often does a job get a node of higher Weight than it would have to?

Slurm fills nodes of low Weight first.  A lease on one of these makes a job that
could have it take a heavier one instead: it starts at once, and Slurm sees no
need to preempt.
"""

from occupancy import rigid_uses


def worse_nodes(job, weights, rigid):
    """How many of its nodes are heavier than the best choice's, one by one."""
    at_t = job.given_t
    free = [
        weight
        for node, weight in weights.items()
        if node in job.nodes
        or not any(begin <= at_t < end for begin, end, _ in rigid[node])
    ]
    best = sorted(free)[: len(job.nodes)]
    own = sorted(weights[node] for node in job.nodes)
    return sum(a > b for a, b in zip(own, best))


def worse_placements(run, weights, epilog_s=0):
    rigid = rigid_uses(run, 1, epilog_s)
    found = {"jobs": 0, "worse_jobs": 0, "nodes": 0, "worse_nodes": 0}
    for job in run.jobs.values():
        if job.given_t is None:
            continue
        worse = worse_nodes(job, weights, rigid)
        found["jobs"] += 1
        found["worse_jobs"] += worse > 0
        found["nodes"] += len(job.nodes)
        found["worse_nodes"] += worse
    return found
