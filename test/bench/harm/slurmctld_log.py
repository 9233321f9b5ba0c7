# SPDX-License-Identifier: Apache-2.0
"""Who started which job, when and where, by slurmctld's log?

Paths: "main" is the main scheduler, "backfill" the backfill thread, "request"
the submission itself (srun, and leases).  The lines are those of Slurm 22.05 to
26.05, which says what backfill starts only when it is asked to (options.py).
"""

import re
from datetime import datetime
from typing import NamedTuple

from node_names import node_names

LINE = re.compile(r"\[(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+)\] (.*)")
STARTS = {
    "main": re.compile(r"sched: Allocate JobId=(\d+) NodeList=(\S+) "),
    "backfill": re.compile(r".*backfill: .*Started JobId=(\d+) in \S+ on (\S+)"),
    "request": re.compile(
        r"sched: _slurm_rpc_allocate_resources JobId=(\d+) NodeList=(\S+) "
    ),
}
PREEMPTED = re.compile(
    r"preempted JobId=(\d+) has been killed to reclaim resources for JobId=(\d+)"
)


class Start(NamedTuple):
    t: float
    path: str
    nodes: list


class Preemption(NamedTuple):
    t: float
    lease: int  # the job that was ended
    job: int  # the one it was ended for


class SlurmctldLog(NamedTuple):
    starts: dict  # job: its last Start
    preemptions: list


def _start(t, text):
    for path, pattern in STARTS.items():
        found = pattern.match(text)
        if found and found[2] != "(null)":  # a job that waits has no nodes
            return int(found[1]), Start(t, path, node_names(found[2]))
    return None


def read_slurmctld_log(lines):
    log = SlurmctldLog({}, [])
    for line in lines:
        found = LINE.match(line)
        if not found:
            continue
        t = datetime.fromisoformat(found[1]).timestamp()
        preempted = PREEMPTED.match(found[2])
        if preempted:
            log.preemptions.append(Preemption(t, *map(int, preempted.groups())))
            continue
        started = _start(t, found[2])
        if started:
            log.starts[started[0]] = started[1]
    return log
