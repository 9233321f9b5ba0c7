#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What does Gleaner make of idle nodes as it ships, and what is knowledge worth?

Usage: sim_rows.py DATA OUT GLEANER [--sets hpo mix diverse] [--weeks summit kth]
                   [--numbers 10 30 100 400] [--seeds 1 2 3] [--rows NAME...]
                   [--days 7] [--jobs 2]
Writes OUT/bench-sim-rows.json, one object a row, and prints a table.
All rows of Gleaner's rules are asked for plans at the same moments; true curves are
hidden from `advisor` and `guess`.  Work is scaled by 1.5, so that no set is finished.
`kth` is held out: a week of a job log, run through FCFS with EASY backfill.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import statistics
import subprocess
import sys

WEEKS = {
    "summit": "--idle-events {data}/idle/summit1024_7d.csv.gz",
    "kth": "--swf {data}/swf/kth_sp2_1w_B.swf --nodes 100 --reclaim 1",
}
SETS = {
    "hpo": "--trainers {data}/trainers/hpo_shufflenet_1000.csv"
           " --curves {data}/trainers/curves_summit.csv",
    "mix": "--trainers {data}/trainers/imagenet_mix_1001.csv"
           " --curves {data}/trainers/curves_summit.csv",
    "diverse": "--trainers {out}/diverse_1000.csv --curves {out}/diverse_curves.csv",
}
OURS = "--t-fwd 120 --rules gleaner"
# gleanerd's defaults: policy, T_fwd, costs told until they are measured, no swaps.
SHIPS = "--policy gleaner --t-fwd 120 --told-costs 0.5,0.2,3 --rules gleaner"
FREETRAIN = "--policy freetrain --t-fwd 120 --charge-cold-start"
ROWS = {
    "as it ships": SHIPS + " --knowledge advisor",
    "as it ships, shared families": SHIPS + " --knowledge advisor --families shared",
    "without visits": SHIPS + " --knowledge advisor --profile-share 0",
    "without visits, shared families":
        SHIPS + " --knowledge advisor --families shared --profile-share 0",
    "guess": SHIPS + " --knowledge guess",
    "truth": SHIPS + " --knowledge truth",
    "exact, truth": OURS + " --policy exact",
    "freetrain, truth": OURS + " --policy freetrain",
    "equal share": OURS + " --policy equal_share",
    "trivial": OURS + " --policy trivial",
    "bound: no costs, truth": SHIPS + " --cost-scale 0 --knowledge truth",
    "FreeTrain as published": FREETRAIN,
    "FreeTrain as published, users off by 2x": FREETRAIN + " --knowledge users",
}
BOUND, GUESS, TRUTH = "bound: no costs, truth", "guess", "truth"
LEARN = [row for row in ROWS if "--knowledge advisor" in ROWS[row]]


def run(args, key, seed):
    week, name, trainings, row = key
    options = " ".join([WEEKS[week], SETS[name], "--work-scale 1.5",
                        f"--seed {seed} --until {args.days * 86400}",
                        f"--max-trainers {trainings}", ROWS[row]])
    command = [args.gleaner, "sim",
               *options.format(data=args.data, out=args.out).split()]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"sim_rows.py: {' '.join(command)}: {done.stderr}")
    return key, json.loads(done.stdout)


def collect(args):
    """The figures of each seed, by (week, set, number, row)."""
    found = {}
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        jobs = [
            pool.submit(run, args, (week, name, trainings, row), seed)
            for trainings in args.numbers for week in args.weeks
            for name in args.sets for row in args.rows for seed in args.seeds
        ]
        for job in concurrent.futures.as_completed(jobs):
            key, figures = job.result()
            found.setdefault(key, []).append(figures)
            write(args, found)
    return found


def closed(hours, key):
    """The part of the regret between guess and truth that a row closes."""
    *where, row = key
    guess, truth = hours.get((*where, GUESS)), hours.get((*where, TRUTH))
    if row not in LEARN or None in (guess, truth) or guess == truth:
        return None
    return (hours[key] - guess) / (truth - guess)


def mean(runs, figure):
    return statistics.fmean(run[figure] for run in runs)


def rows_of(args, found):
    hours = {key: mean(runs, "normalised_node_h") for key, runs in found.items()}
    order = {row: i for i, row in enumerate(ROWS)}
    rows = []
    for key, runs in sorted(found.items(),
                            key=lambda item: (*item[0][:3], order[item[0][3]])):
        week, name, trainings, row = key
        bound = hours.get((week, name, trainings, BOUND))
        own = [run["normalised_node_h"] for run in runs]
        guess, truth = (hours.get((week, name, trainings, of)) for of in (GUESS, TRUTH))
        rows.append({
            "row": row, "week": week, "set": name, "policy": runs[0]["policy"],
            "trainings": trainings,
            "node_h_trained": hours[key],
            "regret_closed": closed(hours, key),
            "profile_node_h": mean(runs, "profile_node_h"),
            "bound_ratio": bound and hours[key] / bound,
            "spread": (max(own) - min(own)) / hours[key],
            "overhead": mean(runs, "profile_node_h") / mean(runs, "node_h_used"),
            "profile_visits": mean(runs, "profile_visits"),
            "decisions": mean(runs, "decisions"),
            "regret_node_h": None if None in (guess, truth) else truth - guess,
            "options": ROWS[row], "seeds": len(runs), "days": args.days,
        })
    return rows


def write(args, found):
    with open(f"{args.out}/bench-sim-rows.json", "w") as out:
        json.dump(rows_of(args, found), out, indent=1)


def table(rows):
    def text(value, digits):
        return "" if value is None else f"{value:.{digits}f}"

    print("| week | set | trainings | row | node-h trained | / bound | regret closed "
          "| of node-h | visits, node-h | % of used |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    for row in rows:
        learns = row["row"] in LEARN
        print(f"| {row['week']} | {row['set']} | {row['trainings']} | {row['row']} | "
              f"{text(row['node_h_trained'], 0)} | {text(row['bound_ratio'], 3)} | "
              f"{text(row['regret_closed'], 2)} | "
              f"{text(row['regret_node_h'], 0) if learns else ''} | "
              f"{text(row['profile_node_h'], 1) if learns else ''} | "
              f"{text(100 * row['overhead'], 2) if learns else ''} |")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("data")
    parser.add_argument("out")
    parser.add_argument("gleaner")
    parser.add_argument("--sets", nargs="+", default=list(SETS), choices=list(SETS))
    parser.add_argument("--weeks", nargs="+", default=list(WEEKS), choices=list(WEEKS))
    parser.add_argument("--rows", nargs="+", default=list(ROWS), choices=list(ROWS))
    parser.add_argument("--numbers", nargs="+", type=int, default=[10, 30, 100, 400])
    parser.add_argument("--seeds", nargs="+", type=int, default=[1, 2, 3])
    parser.add_argument("--days", type=float, default=7)
    parser.add_argument("--jobs", type=int, default=2)
    args = parser.parse_args()
    os.makedirs(args.out, exist_ok=True)
    maker = pathlib.Path(__file__).with_name("diverse_set.py")
    subprocess.run([sys.executable, maker, args.out], check=True)
    table(rows_of(args, collect(args)))


main()
