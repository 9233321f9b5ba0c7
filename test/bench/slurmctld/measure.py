# SPDX-License-Identifier: Apache-2.0
"""What slurmctld does in a phase, and how phases are set side by side."""

import os
import re
import time

TICKS_S = os.sysconf("SC_CLK_TCK")


def cpu_s(pid, thread=None):
    """Time on the processor of a process, or of its threads of one name."""
    stats = [f"/proc/{pid}/stat"]
    if thread:
        stats = [f"/proc/{pid}/task/{task}/stat" for task in os.listdir(f"/proc/{pid}/task")]
    total = 0
    for path in stats:
        try:
            with open(path) as file:
                name, rest = file.read().split("(", 1)[1].rsplit(")", 1)
        except OSError:
            continue  # the thread has ended
        fields = rest.split()
        if not thread or name == thread:
            total += int(fields[11]) + int(fields[12])
    return total / TICKS_S


def memory_mb(pid):
    with open(f"/proc/{pid}/status") as file:
        return int(re.search(r"VmRSS:\s+(\d+)", file.read()).group(1)) / 1024


def quantile(values, share):
    values = sorted(values)
    return values[int(share * (len(values) - 1))] if values else None


class Phase:
    """slurmctld from here to end()."""

    def __init__(self, cluster, kind, gleaner):
        self.cluster = cluster
        self.row = {"kind": kind, "gleaner": gleaner}
        self.slurmctld = cluster.pid("slurmctld")
        self.gleanerd = cluster.pid("gleanerd")
        cluster.slurm("sdiag", "--reset")
        self.calls = []
        self.begun_s = time.monotonic()
        self.cpu_begin_s = self.cpu()

    def cpu(self):
        return {
            "slurmctld": cpu_s(self.slurmctld),
            "scavenger": cpu_s(self.slurmctld, "gleaner_scav"),
            "gleanerd": cpu_s(self.gleanerd) if self.gleanerd else 0,
        }

    def end(self):
        length_s = time.monotonic() - self.begun_s
        used = self.cpu()
        sdiag = self.cluster.slurm("sdiag")
        self.row["length_s"] = length_s
        self.row["cpu_share"] = {
            what: (used[what] - self.cpu_begin_s[what]) / length_s for what in used}
        self.row["main_cycle_max_ms"] = counter(sdiag, "Main schedule", "Max cycle")
        self.row["main_cycles"] = number(sdiag, "Main schedule", "Total cycles")
        self.row["backfill_cycles"] = number(sdiag, "Backfilling stats", "Total cycles")
        self.row["backfill_max_ms"] = counter(sdiag, "Backfilling stats", "Max cycle")
        self.row["memory_mb"] = memory_mb(self.slurmctld)
        self.row["calls"] = self.calls
        return self.row


def number(sdiag, section, key):
    after = sdiag.split(section, 1)[-1]
    found = re.search(re.escape(key) + r":\s*(\d+)", after)
    return int(found.group(1)) if found else None


def counter(sdiag, section, key):
    us = number(sdiag, section, key)
    return None if us is None else us / 1000


def looks(log, since):
    """What the scavenger said of itself when gleanerd was stopped."""
    with open(log) as file:
        file.seek(since)
        lines = [line for line in file if "gleanerd_lost" in line]
    rows = []
    for line in lines:
        pairs = dict(re.findall(r"(looks|for_s|share|share_wall)=([0-9.e+-]+)", line))
        if "for_s" in pairs:
            rows.append({key: float(value) for key, value in pairs.items()})
    return rows


def compare(phases, kind):
    """Both sides of one kind of phase, as numbers for a table."""
    table = {}
    for gleaner in (False, True):
        side = [p for p in phases if p["kind"] == kind and p["gleaner"] == gleaner]
        if not side:
            continue
        calls = {}
        for phase in side:
            for what, ms in phase["calls"]:
                calls.setdefault(what, []).append(ms)
        length_s = sum(p["length_s"] for p in side)
        table["with" if gleaner else "without"] = {
            "phases": len(side),
            "cpu_share": {
                who: sum(p["cpu_share"][who] * p["length_s"] for p in side) / length_s
                for who in side[0]["cpu_share"]},
            "calls": {what: {"count": len(ms), "p50_ms": quantile(ms, 0.5),
                             "p99_ms": quantile(ms, 0.99)}
                      for what, ms in calls.items()},
            "main_cycle_max_ms": max(p["main_cycle_max_ms"] or 0 for p in side),
            "backfill_max_ms": max(p["backfill_max_ms"] or 0 for p in side),
        }
    return table
