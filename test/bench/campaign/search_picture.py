# SPDX-License-Identifier: Apache-2.0
"""How does the best value fall, over time and over node time?

    search_picture.py DIR/bench-campaign.json PICTURE.svg      (needs matplotlib)
"""

import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE)]

import matplotlib  # noqa: E402

matplotlib.use("svg")
from figures import median  # noqa: E402
from matplotlib import pyplot  # noqa: E402
from search_figures import best_over_time, lent_until  # noqa: E402

LOOK = {
    "weights": ("#2a6fbb", "Gleaner, weights by rung"),
    "equal": ("#7fb2e5", "Gleaner, no weights"),
    "peer": ("#c44e52", "Optuna, array of one-node jobs"),
}


def value_at(points, at):
    found = [value for x, value in points if x <= at]
    return found[-1] if found else None


def curve(all_points, end, steps=300):
    """The median over runs, from when most of them have found something."""
    xs, ys = [], []
    for i in range(steps + 1):
        at = end * i / steps
        values = [value_at(points, at) for points in all_points]
        known = [value if value is not None else float("inf") for value in values]
        if median(known) < float("inf"):
            xs.append(at)
            ys.append(median(known))
    return xs, ys


def draw(axes, runs, points_of, label):
    end = max((p[-1][0] for p in map(points_of, runs) if p), default=1) * 1.05
    for arm, (colour, name) in LOOK.items():
        mine = [points_of(run) for run in runs if run["arm"] == arm]
        for points in mine:
            xs, ys = [x for x, _ in points] + [end], [y for _, y in points]
            if ys:
                axes.step(xs, ys + ys[-1:], where="post", color=colour, alpha=0.25, lw=0.8)
        if mine:
            axes.step(*curve(mine, end), where="post", color=colour, lw=2.2, label=name)
    axes.set_xlabel(label)
    axes.grid(color="#e6e6e6")


def by_node_time(run):
    return [(lent_until(run, s), value) for s, value in best_over_time(run)]


def main():
    with open(sys.argv[1]) as file:
        runs = json.load(file)["runs"]
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(10, 4.2), sharey=True)
    draw(left, runs, best_over_time, "seconds since the search was submitted")
    draw(right, runs, by_node_time, "node-seconds that it was lent")
    left.set_ylabel("best loss of a complete trial")
    left.legend(frameon=False)
    figure.tight_layout()
    figure.savefig(sys.argv[2], metadata={"Date": None})


main()
