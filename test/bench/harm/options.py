# SPDX-License-Identifier: Apache-2.0
"""With which options does a cluster of a row start, and a job of it?"""

import os

import rows
from slurm_release import slurm_release


def cluster_options(row, gleaner, work):
    options = [word for kind in row.kinds for word in ("--node-kind", kind)]
    slurm = [*rows.SLURM, *log_options(slurm_release())]
    if row.epilog:
        slurm.append(f"Epilog={write_epilog(row, work)}")
    for line in slurm:
        options += ["--slurm", line]
    options += row.cluster
    if not gleaner:
        return [*options, "--without-gleaner"]
    for pair in [*rows.GLEANER, *row.gleaner]:
        options += ["--set", pair]
    return options


def log_options(release):
    """So that slurmctld's log says which jobs backfill has started."""
    if release < (26, 5):
        return []
    return ["DebugFlags=Hetjob", "SlurmctldDebug=verbose"]


def write_epilog(row, work):
    path = os.path.join(work, "epilog")
    with open(path, "w") as file:
        file.write(f"#!/bin/sh\n{row.epilog}\n")
    os.chmod(path, 0o755)
    return path


def plan_of(row, jobs):
    options = {True: list(row.part), False: list(row.whole)}
    return [{**job._asdict(), "options": options[job.part]} for job in jobs]
