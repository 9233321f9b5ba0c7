#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Trainings that scale very differently, for the simulator.

Usage: diverse_set.py OUT [--seed 1]
Writes OUT/diverse_curves.csv and OUT/diverse_1000.csv: 40 models of five sorts,
and 1,000 trainings of them, in random order.  Recorded curves are nearly linear,
so that a guess does as well as the truth; these are not.

A step of m members takes, in parts of what its compute takes on one,
    ceil(B / m) / B + fixed + hop * log2 m + crowd * (m - 1)
and from some size on a multiple of that, for the sort that collapses.
"""

import argparse
import math
import os
import random

MODELS_A_SORT = 8
TRAININGS = 1000
NODES_MAX = 64
ONE_NODE_S = 12.8 * 3600  # as long as one of the HPO set takes on one node


def even(rng, least, most):
    """Evenly in the logarithm."""
    return math.exp(rng.uniform(math.log(least), math.log(most)))


def model(rng, sort):
    step = {"batch": rng.randint(512, 8192), "fixed": even(rng, 1e-4, 2e-3),
            "hop": even(rng, 1e-5, 5e-4), "crowd": 0.0, "from": 0, "times": 1.0}
    if sort == "communication":
        step["hop"] = even(rng, 1e-2, 1e-1)
        step["crowd"] = even(rng, 1e-4, 1e-2)
    elif sort == "saturating":
        step["fixed"] = even(rng, 3e-2, 3e-1)
    elif sort == "staircase":
        step["batch"] = rng.choice([8, 12, 16, 24, 32, 48])
    elif sort == "collapse":
        step["from"] = rng.randint(4, 24)
        step["times"] = rng.uniform(1.5, 4)
    return step


def relative_step(step, m):
    alone = (math.ceil(step["batch"] / m) / step["batch"] + step["fixed"]
             + step["hop"] * math.log2(m) + step["crowd"] * (m - 1))
    return alone * (step["times"] if step["from"] and m >= step["from"] else 1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("out")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    rng = random.Random(args.seed)
    os.makedirs(args.out, exist_ok=True)
    rates, batches = {}, {}
    with open(f"{args.out}/diverse_curves.csv", "w") as out:
        out.write("model,nodes,samples_per_s\n")
        for sort in ("linear", "communication", "saturating", "staircase", "collapse"):
            for i in range(MODELS_A_SORT):
                step, rate = model(rng, sort), even(rng, 300, 6000)
                name = f"{sort}{i}"
                rates[name], batches[name] = rate, step["batch"]
                out.write(f"{name},0,0\n")
                for m in range(1, NODES_MAX + 1):
                    speed = rate * relative_step(step, 1) / relative_step(step, m)
                    out.write(f"{name},{m},{speed:.3f}\n")
    with open(f"{args.out}/diverse_1000.csv", "w") as out:
        out.write("trainer,model,submit_s,nodes_min,nodes_max,expand_s,shrink_s,work_samples,batch\n")
        for i in range(TRAININGS):
            name = rng.choice(sorted(rates))
            out.write(f"d{i:04},{name},{36.0 * i:.1f},1,{NODES_MAX},18.0,12.0,"
                      f"{ONE_NODE_S * rates[name]:.0f},{batches[name]}\n")


main()
