# SPDX-License-Identifier: Apache-2.0
"""How much later do the same jobs start?

A job's path is who started it: srun, where it came by srun; else the main or
the backfill scheduler.  Jobs are compared one by one: the same job with and
without Gleaner.
"""

from figures import summary

PATHS = ["main", "backfill", "srun"]


def compared(run):
    """Those that were submitted inside the window and started, by name."""
    return {
        name: job
        for name, job in run.jobs.items()
        if not job.warm and job.submit_t is not None and job.start_t is not None
    }


def delay_s(job):
    return job.start_t - job.submit_t


def by_path(values):
    """`values`: (path, value); a summary for each path, and for all."""
    groups = {"all": [value for _, value in values]}
    for path in PATHS:
        groups[path] = [value for at, value in values if at == path]
    return {path: summary(group) for path, group in groups.items() if group}


def delays(run):
    return by_path([(job.path, delay_s(job)) for job in compared(run).values()])


def pairs(run, baseline):
    """(name, path in `run`, path in the baseline, delay in each)."""
    ours, theirs = compared(run), compared(baseline)
    return [
        (name, job.path, theirs[name].path, delay_s(job), delay_s(theirs[name]))
        for name, job in ours.items()
        if name in theirs
    ]


def added(run, baseline):
    return by_path([(p[1], p[3] - p[4]) for p in pairs(run, baseline)])


def unpaired(run, baseline):
    """Jobs that started in only one of the two."""
    ours, theirs = compared(run), compared(baseline)
    return {
        "only_here": len(ours.keys() - theirs.keys()),
        "only_there": len(theirs.keys() - ours.keys()),
    }
