# SPDX-License-Identifier: Apache-2.0
"""What do searches say together?  Best value over time, and trials per node-hour.

Pure.  A run is what one_search() returns.  Times count from its submission; what a
search had found at a moment is the best value of the trials that were complete.
"""

from figures import median

PEER = "peer"
ENDED = ("complete", "pruned")


def best_over_time(run):
    """[(seconds, value)]: each time that a complete trial was better than all."""
    points = []
    found = [t for t in run["trials"] if t["state"] == "complete"]
    for trial in sorted(found, key=lambda trial: trial["ended_t"]):
        if not points or trial["value"] < points[-1][1]:
            points.append((trial["ended_t"] - run["began_t"], trial["value"]))
    return points


def uses_until(run, t_s, of):
    """Node-seconds until then; `of` says how many nodes a sample counts."""
    total, before_s = 0.0, 0.0
    for t, rigid, lent in run["uses"]:
        at_s = min(t - run["began_t"], t_s)
        total += max(0.0, at_s - before_s) * of(rigid, lent)
        before_s = max(before_s, at_s)
    return total


def lent_until(run, t_s):
    return uses_until(run, t_s, lambda rigid, lent: lent)


def idle_until(run, t_s):
    return uses_until(run, t_s, lambda rigid, lent: run["nodes"] - rigid)


def seconds_to(run, value):
    """None: it never found one as good."""
    return next((s for s, v in best_over_time(run) if v <= value), None)


def of_run(run):
    length_s = run["over_t"] - run["began_t"]
    count = {s: sum(t["state"] == s for t in run["trials"]) for s in ENDED}
    idle_s = idle_until(run, length_s)
    points = best_over_time(run)
    return {
        "arm": run["arm"],
        "seed": run["seed"],
        "seconds": length_s,
        **count,
        "best": points[-1][1] if points else None,
        "best_s": points[-1][0] if points else None,
        "idle_node_s": idle_s,
        "lent_node_s": lent_until(run, length_s),
        "ended_per_idle_node_h": 3600 * sum(count.values()) / idle_s if idle_s else None,
    }


def compared(run, peer):
    """How long each took for the best value that both have found."""
    ours, theirs = best_over_time(run), best_over_time(peer)
    if not ours or not theirs:
        return None
    value = max(ours[-1][1], theirs[-1][1])
    ours_s, theirs_s = seconds_to(run, value), seconds_to(peer, value)
    return {
        "seed": run["seed"],
        "value": value,
        "seconds": ours_s,
        "peer_seconds": theirs_s,
        "ratio": ours_s / theirs_s,
        "node_s": lent_until(run, ours_s),
        "peer_node_s": lent_until(peer, theirs_s),
        "all_ratio": (run["over_t"] - run["began_t"]) / (peer["over_t"] - peer["began_t"]),
    }


def middle(values):
    known = [value for value in values if value is not None]
    return median(known) if known else None


def figures(runs):
    """By arm: medians over seeds, and each seed beside the peer."""
    peers = {run["seed"]: run for run in runs if run["arm"] == PEER}
    found = {}
    for arm in dict.fromkeys(run["arm"] for run in runs):
        mine = [run for run in runs if run["arm"] == arm]
        rows = [of_run(run) for run in mine]
        pairs = [compared(r, peers[r["seed"]]) for r in mine if r["seed"] in peers]
        pairs = [pair for pair in pairs if pair]
        rates = {row["seed"]: row["ended_per_idle_node_h"] for row in rows}
        peer_rates = {s: of_run(p)["ended_per_idle_node_h"] for s, p in peers.items()}
        gains = [
            rates[seed] / peer_rates[seed]
            for seed in rates
            if rates[seed] is not None and peer_rates.get(seed)
        ]
        found[arm] = {
            "rows": rows,
            "pairs": pairs,
            "seeds": len(rows),
            "median": {
                key: middle([row[key] for row in rows])
                for key in rows[0]
                if key not in ("arm", "seed")
            },
            "node_s_ratio": middle([pair["node_s"] / pair["peer_node_s"] for pair in pairs]),
            "time_ratio": middle([pair["ratio"] for pair in pairs]),
            "all_time_ratio": middle([pair["all_ratio"] for pair in pairs]),
            "rate_ratio": middle(gains),
        }
    return found


HEADER = [
    ["arm", "seeds", "s to same best / peer", "node-s / peer", "s for all / peer"]
    + ["trials per idle node-h", "/ peer", "best", "node-s lent"]
]


def table(by_arm):
    def cell(value, digits):
        return "-" if value is None else f"{value:.{digits}f}"

    rows = list(HEADER)
    for arm, one in by_arm.items():
        mid = one["median"]
        rows.append(
            [arm, str(one["seeds"]), cell(one["time_ratio"], 2), cell(one["node_s_ratio"], 2)]
            + [cell(one["all_time_ratio"], 2), cell(mid["ended_per_idle_node_h"], 0)]
            + [cell(one["rate_ratio"], 2), cell(mid["best"], 4)]
            + [cell(mid["lent_node_s"], 0)]
        )
    return ["| " + " | ".join(row) + " |" for row in rows]
