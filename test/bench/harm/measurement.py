# SPDX-License-Identifier: Apache-2.0
"""What is measured while jobs are replayed, and when does it begin and end?"""

import time

import meter
from cluster import wait_until

DAEMONS = ["slurmctld", "gleanerd"]
DAEMON_NICE = -10  # they have machines of their own elsewhere
DRAIN_S = 15  # for jobs submitted last to start


def prefer_daemons(cluster):
    for daemon in DAEMONS:
        if cluster.has(daemon):
            meter.prefer(cluster.pid(daemon), DAEMON_NICE)


def measure(cluster, submitter, scale, jobs, t0):
    """Waits for the replay, and counts from the end of its first moments."""
    daemons = [daemon for daemon in DAEMONS if cluster.has(daemon)]
    begin_s, end_s = t0 + scale.warm_s, t0 + scale.warm_s + scale.seconds
    time.sleep(max(0, begin_s - time.time()))
    cluster.ask("sdiag", "--reset")
    before = {d: meter.cpu_s(cluster.pid(d)) for d in daemons}
    with meter.MachineMeter() as machine:
        time.sleep(max(0, end_s - time.time()))
    after = {d: meter.cpu_s(cluster.pid(d)) for d in daemons}
    sdiag = cluster.ask("sdiag")
    wait_until(DRAIN_S, lambda: submitter.started() >= jobs)
    result = {
        "t0": t0,
        "begin_s": begin_s,
        "end_s": end_s,
        "drained_s": time.time(),
        "cpu_s": {d: round(after[d] - before[d], 2) for d in daemons},
        "busy": machine.busy,
        "load": machine.load,
    }
    return result, sdiag
