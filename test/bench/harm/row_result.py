# SPDX-License-Identifier: Apache-2.0
"""Which figures are made of a row's runs?"""

from figures import percentile, summary
from harvest import curve, harvest
from idle_wait import idle_waits
from losses import count_losses, ends_of_leases
from placements import worse_placements
from rows import EPILOG_S, node_weights
from starts import added, by_path, compared, delays, pairs, unpaired


def cycles(run):
    return {name: run.sdiag[name] for name in ("main", "backfill")}


def machine(run):
    return {
        "busy_p50": percentile(run.moments["busy"], 50),
        "busy_p95": percentile(run.moments["busy"], 95),
        "load_mean": sum(run.moments["load"]) / len(run.moments["load"]),
    }


def lease_times(run):
    grants = [x.grant_ms for x in run.leases if x.grant_ms is not None]
    takes = [x.take_back_ms for x in run.leases if x.take_back_ms is not None]
    return {
        "leases": len(run.leases),
        "grant_ms": summary(grants) if grants else None,
        "take_back_ms": summary(takes) if takes else None,
    }


def processor_time(run, baseline):
    ours, theirs = run.moments["cpu_s"], baseline.moments["cpu_s"]
    return {
        "with": ours["slurmctld"],
        "without": theirs["slurmctld"],
        "added_share": ours["slurmctld"] / theirs["slurmctld"] - 1
        if theirs["slurmctld"]
        else None,
        "gleanerd": ours.get("gleanerd"),
    }


def side(run, nodes, units, epilog_s):
    """What can be said of one run alone."""
    waits = idle_waits(run, nodes, compared(run), units, epilog_s)
    return {
        "start_delay_s": delays(run),
        "idle_wait_s": by_path(waits),
        "cycles": cycles(run),
        "machine": machine(run),
        "jobs_started": len(compared(run)),
        "rpcs": run.sdiag["rpcs"],
    }


def row_result(row, run, baseline, repeated=None):
    """`repeated`: a second run without Gleaner, to show what noise there is."""
    weights = node_weights(row)
    nodes, epilog_s = list(weights), EPILOG_S if row.epilog else 0
    found = {
        "row": row.name,
        "title": row.title,
        "log": row.log,
        "nodes": row.nodes,
        "added_start_delay_s": added(run, baseline),
        "unpaired": unpaired(run, baseline),
        "with": side(run, nodes, row.units, epilog_s),
        "without": side(baseline, nodes, row.units, epilog_s),
        **harvest(run, nodes, row.units, epilog_s),
        **lease_times(run),
        "losses": count_losses(run),
        "lease_ends": ends_of_leases(run),
        "slurmctld_cpu_s": processor_time(run, baseline),
        "placements": {
            "with": worse_placements(run, weights, epilog_s),
            "without": worse_placements(baseline, weights, epilog_s),
        },
        "pairs": pairs(run, baseline),
        "curve": curve(run, nodes, row.units, epilog_s),
    }
    if repeated:
        found["control"] = {
            "added_start_delay_s": added(repeated, baseline),
            "unpaired": unpaired(repeated, baseline),
            "without_again": side(repeated, nodes, row.units, epilog_s),
            "slurmctld_cpu_s": repeated.moments["cpu_s"]["slurmctld"],
            "pairs": pairs(repeated, baseline),
        }
    return found
