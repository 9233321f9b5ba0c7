# SPDX-License-Identifier: Apache-2.0
"""Which jobs of a log are replayed, when, and how large?

A slice of the log is replayed in `compression` times less time on a smaller
machine.  What ran when the slice began is submitted in the first moments; only
jobs submitted later are compared (`warm` tells them apart).

Left out is what would make of the replay a queue, in which each start depends on
all before it: jobs that waited when the slice began, those wider than a quarter
of the machine (Slurm's time limits are whole minutes, so each would keep most of
it empty for one), and of the others as many as make the load too large.
"""

import math
import random
from typing import NamedTuple

STEP = 1 / 8  # of a slice, between the beginnings that are tried
MEDIAN_RUN_S_MIN = 2  # a slice of shorter jobs says little: Slurm is not compressed
RUN_S_MIN = 1  # shorter jobs are replayed as long as this
WARM_GAP_S = 0.1  # between two jobs of the first moments
SRUN_NODES_MAX = 4  # larger jobs come by sbatch
LIMIT_STEP_S = 60  # Slurm's time limits are whole minutes


class Scale(NamedTuple):
    nodes: int  # of the cluster
    seconds: float  # that the slice takes when it is replayed
    compression: float  # seconds of the log in one of these
    warm_s: float = 8  # before the slice begins
    width_max: float = 0.25  # of a job, as a share of the cluster

    @property
    def span_s(self):
        return self.seconds * self.compression


class ReplayedJob(NamedTuple):
    name: str
    at_s: float  # after the replay's beginning
    how: str  # sbatch or srun
    nodes: int
    run_s: float
    limit_min: int
    warm: bool
    part: bool = False  # one GPU of its node, not the whole node


def scaled_nodes(nodes, log, scale):
    return min(scale.nodes, max(1, round(nodes * scale.nodes / log.nodes)))


def submitted_in(log, scale, begin_s):
    return [j for j in log.jobs if begin_s <= j.submit_s < begin_s + scale.span_s]


def median_run_s(jobs, scale):
    ordered = sorted(job.run_s / scale.compression for job in jobs)
    return ordered[len(ordered) // 2] if ordered else 0


def slice_of(log, scale):
    """Where the slice begins that has the most jobs, if they are not too short."""
    last_s = log.length_s - scale.span_s
    if last_s < 0:
        raise ValueError(
            f"the log is {log.length_s:.0f} s long, a slice {scale.span_s:.0f} s"
            " [lower the compression]"
        )
    count = int(last_s / (scale.span_s * STEP)) + 1

    def order(begin_s):
        jobs = submitted_in(log, scale, begin_s)
        short = median_run_s(jobs, scale) < MEDIAN_RUN_S_MIN
        return short, -len(jobs), begin_s

    return min((i * scale.span_s * STEP for i in range(count)), key=order)


def _replayed(job, at_s, run_s, log, scale, warm):
    nodes = scaled_nodes(job.nodes, log, scale)
    run_s = max(run_s, RUN_S_MIN)
    limit_s = max(job.limit_s / scale.compression, run_s)
    limit_min = math.ceil(limit_s / LIMIT_STEP_S)
    return ReplayedJob(
        "", round(at_s, 3), "sbatch", nodes, round(run_s, 3), limit_min, warm
    )


def _all_jobs(log, scale, begin_s):
    jobs = []
    for job in log.jobs:
        if job.start_s < begin_s < job.end_s:
            at_s = len(jobs) * WARM_GAP_S
            run_s = (job.end_s - begin_s) / scale.compression
            jobs.append(_replayed(job, at_s, run_s, log, scale, True))
    for job in submitted_in(log, scale, begin_s):
        at_s = scale.warm_s + (job.submit_s - begin_s) / scale.compression
        run_s = job.run_s / scale.compression
        jobs.append(_replayed(job, at_s, run_s, log, scale, False))
    return jobs


def load_of(jobs, scale):
    """The share of the cluster's node time that jobs fill that start at once."""
    begin_s, end_s = scale.warm_s, scale.warm_s + scale.seconds
    used = sum(
        job.nodes * max(0, min(job.at_s + job.run_s, end_s) - max(job.at_s, begin_s))
        for job in jobs
    )
    return used / (scale.nodes * scale.seconds)


def _thinned(jobs, scale, load, draw):
    """Jobs are drawn; those that would make too much of it are left out."""
    kept, sum_load = [], 0
    jobs = [job for job in jobs if job.nodes <= scale.nodes * scale.width_max]
    for job in draw.sample(jobs, len(jobs)):
        more = load_of([job], scale)
        if sum_load + more <= load:
            sum_load += more
            kept.append(job)
    return sorted(kept, key=lambda job: job.at_s)


def replayed_jobs(log, scale, begin_s, load, seed, part_share=0.0):
    """The same jobs for the same seed.  Half of the small ones come by srun;
    `part_share` of those on one node want only a GPU of it."""
    draw = random.Random(seed)
    jobs = _thinned(_all_jobs(log, scale, begin_s), scale, load, draw)
    result = []
    for number, job in enumerate(jobs):
        by_srun, is_part = draw.random() < 0.5, draw.random() < part_share
        result.append(
            job._replace(
                name=f"r{number:03}",
                how="srun" if by_srun and job.nodes <= SRUN_NODES_MAX else "sbatch",
                part=is_part and job.nodes == 1,
            )
        )
    return result
