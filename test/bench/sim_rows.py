#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What is knowing how trainings scale worth, and what does the advisor get?

Usage: sim_rows.py DATA OUT GLEANER [--sets mix hpo] [--numbers 10 30 100 400]
                   [--seeds 1] [--jobs 2]
Writes OUT/bench-sim-rows.json, one object a row, and prints a table.
Work is scaled by 1.5, so that no set is finished within the week.
"""

import argparse
import concurrent.futures
import json
import os
import subprocess

FILES = {"mix": "imagenet_mix_1001.csv", "hpo": "hpo_shufflenet_1000.csv"}
SHIPS = "--policy gleaner --t-fwd 120 --told-costs 0.5,0.2,3 --rules gleaner"
OURS = "--t-fwd 120 --rules gleaner"
ROWS = {
    "as it ships": SHIPS + " --knowledge advisor",
    "gleaner, advisor, shared": SHIPS + " --knowledge advisor --families shared",
    "gleaner, guess": SHIPS + " --knowledge guess",
    "gleaner, truth": SHIPS + " --knowledge truth",
    "exact, truth": OURS + " --policy exact",
    "freetrain, truth": OURS + " --policy freetrain",
    "equal_share": OURS + " --policy equal_share",
    "trivial": OURS + " --policy trivial",
    "bound: no costs, truth": SHIPS + " --cost-scale 0 --knowledge truth",
    "FreeTrain as published": "--policy freetrain --t-fwd 120 --charge-cold-start",
    "FreeTrain as published, users off by 2x":
        "--policy freetrain --t-fwd 120 --charge-cold-start --knowledge users",
}
BOUND = "bound: no costs, truth"


def run(args, name, trainings, row, seed):
    command = [
        args.gleaner, "sim",
        "--idle-events", f"{args.data}/idle/summit1024_7d.csv.gz",
        "--trainers", f"{args.data}/trainers/{FILES[name]}",
        "--curves", f"{args.data}/trainers/curves_summit.csv",
        "--work-scale", "1.5", "--seed", str(seed),
        "--max-trainers", str(trainings), *ROWS[row].split(),
    ]
    figures = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    return name, trainings, row, figures


def collect(args):
    """Mean node hours trained and policy, by set, number and row."""
    found = {}
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        jobs = [
            pool.submit(run, args, name, trainings, row, seed)
            for trainings in args.numbers for name in args.sets
            for row in ROWS for seed in args.seeds
        ]
        for job in concurrent.futures.as_completed(jobs):
            name, trainings, row, figures = job.result()
            found.setdefault((name, trainings, row), []).append(figures)
            write(args, found)
    return found


def closed(hours, key, row):
    """The part of the regret between guess and truth that the row closes."""
    guess = hours.get((*key, "gleaner, guess"))
    truth = hours.get((*key, "gleaner, truth"))
    if not row.startswith(("as it ships", "gleaner, advisor")):
        return None
    if guess is None or truth is None or guess == truth:
        return None
    return (hours[(*key, row)] - guess) / (truth - guess)


def rows_of(found):
    hours = {
        key: sum(f["normalised_node_h"] for f in runs) / len(runs)
        for key, runs in found.items()
    }
    rows = []
    for (name, trainings, row), runs in sorted(
        found.items(), key=lambda item: (item[0][:2], list(ROWS).index(item[0][2]))
    ):
        key = (name, trainings)
        bound = hours.get((*key, BOUND))
        rows.append({
            "row": row, "set": name, "policy": runs[0]["policy"],
            "trainings": trainings,
            "node_h_trained": hours[(*key, row)],
            "regret_closed": closed(hours, key, row),
            # The advisor learns from sizes that the plan visits anyway.
            "profile_node_h": 0,
            "bound_ratio": bound and hours[(*key, row)] / bound,
            "node_h_guess_to_truth": None
            if (*key, "gleaner, guess") not in hours or (*key, "gleaner, truth") not in hours
            else hours[(*key, "gleaner, truth")] - hours[(*key, "gleaner, guess")],
            "options": ROWS[row], "seeds": len(runs),
        })
    return rows


def write(args, found):
    with open(f"{args.out}/bench-sim-rows.json", "w") as out:
        json.dump(rows_of(found), out, indent=1)


def table(rows):
    def text(value, digits):
        return "" if value is None else f"{value:.{digits}f}"

    print("| set | trainings | row | node-h trained | / bound | regret closed |")
    print("|---|---|---|---|---|---|")
    for row in rows:
        print(f"| {row['set']} | {row['trainings']} | {row['row']} | "
              f"{text(row['node_h_trained'], 0)} | {text(row['bound_ratio'], 3)} | "
              f"{text(row['regret_closed'], 2)} |")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("data")
    parser.add_argument("out")
    parser.add_argument("gleaner")
    parser.add_argument("--sets", nargs="+", default=list(FILES), choices=list(FILES))
    parser.add_argument("--numbers", nargs="+", type=int, default=[10, 30, 100, 400])
    parser.add_argument("--seeds", nargs="+", type=int, default=[1])
    parser.add_argument("--jobs", type=int, default=2)
    args = parser.parse_args()
    os.makedirs(args.out, exist_ok=True)
    table(rows_of(collect(args)))


main()
