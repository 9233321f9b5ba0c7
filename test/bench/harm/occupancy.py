# SPDX-License-Identifier: Apache-2.0
"""Who had how much of which node, and when?  {node: [(from, to, units)]}

A node has as many units as it has GPUs that are lent one by one; else it is one.
"""

from collections import defaultdict


def rigid_uses(run, units, epilog_s=0):
    """From when Slurm gave a job its nodes until they were idle again."""
    until_t = run.moments["drained_s"]
    uses = defaultdict(list)
    for job in run.jobs.values():
        if job.given_t is None:
            continue
        end_t = job.end_t + epilog_s if job.end_t is not None else until_t
        for node in job.nodes:
            uses[node].append((job.given_t, end_t, 1 if job.part else units))
    return uses


def place(name, units):
    """The node, and how much of it: "n3" is all, "n3+1" one part."""
    node, part, _ = name.partition("+")
    return node, 1 if part else units


def training_uses(run, units):
    """A member that is lost trains no more, though its generation ends later."""
    until_t = run.moments["drained_s"]
    uses = defaultdict(list)
    for training in run.trainings:
        ends = [t for t, _ in training.sets[1:]] + [until_t]
        for (begin_t, names), end_t in zip(training.sets, ends):
            for name in names:
                lost = [t for t, n in training.lost if n == name and t > begin_t]
                node, amount = place(name, units)
                uses[node].append((begin_t, min([end_t, *lost]), amount))
    return uses


def lease_uses(run, units):
    until_t = run.moments["drained_s"]
    uses = defaultdict(list)
    for lease in run.leases:
        node, amount = place(lease.node, units)
        uses[node].append((lease.held_t, lease.ended_t or until_t, amount))
    return uses
