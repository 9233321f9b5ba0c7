# SPDX-License-Identifier: Apache-2.0
"""When does a replay begin, so that two can be compared?

The backfill thread looks at the queue once a second, at a fraction of it that
is another in each slurmctld.  Most starts wait for that moment.  Replays that
begin at the same distance from it differ by what is measured, and not by that.
"""

import math
import time

from cluster import wait_until
from slurmctld_log import read_slurmctld_log

PROBES_MAX = 5
PROBE_S_MAX = 10
LEAD_S = 1


def next_begin_s(after_s, phase):
    """The first moment from `after_s` on with this fraction of a second."""
    begin_s = math.floor(after_s) + phase
    return begin_s if begin_s >= after_s else begin_s + 1


def _start_of(cluster, job):
    with open(cluster.path("log/slurmctld.log")) as file:
        return read_slurmctld_log(file).starts.get(job)


def begin_s(cluster, user):
    """Asks by jobs on the head node, until backfill has started one."""
    command = ["sbatch", "--parsable", "--partition=head", "--output=/dev/null"]
    for _ in range(PROBES_MAX):
        job = int(cluster.ask(*command, "--wrap=true", user=user).split(";")[0])
        wait_until(PROBE_S_MAX, lambda: _start_of(cluster, job))
        start = _start_of(cluster, job)
        if start and start.path == "backfill":
            return next_begin_s(time.time() + LEAD_S, start.t % 1)
    raise RuntimeError(f"backfill has started none of {PROBES_MAX} jobs")
