#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What did Gleaner learn in `./demo --jpa`, how soon, and what was it worth?

    jpa_report.py --trainings trainings.json --link 200mbit --nodes 12 \
        --learned DIR --equal DIR --picture jpa.svg --summary jpa.json

DIR: of one part of the demo, with jobs, profiles.jsonl and trainer-JOB/events.jsonl.
Fails when the plan was not right in the end, or a curve is far from the truth.
"""

import argparse
import json
import math
import pathlib
import re
import sys

RIGHT = 0.95  # of the best plan's worth: "right"
SETTLING_S = 15  # for a plan after the number of nodes that are free has changed
NOTICE_S = 6  # before the other job comes its nodes are left
ERROR_MAX_PERCENT = 15  # at sizes that were measured
HEADERS = 1.045  # Ethernet, IP and TCP around what is sent
COLOURS = ["#0072B2", "#D55E00", "#009E73"]


def bits_per_s(link):
    number, unit = re.fullmatch(r"(\d+)([kmg])bit", link).groups()
    return int(number) * {"k": 1e3, "m": 1e6, "g": 1e9}[unit]


class Truth:
    """A training's speed, samples/s, by how it was made."""

    def __init__(self, training, gradient_bytes, link):
        self._batch, self._emulate = training["batch"], training["emulate"]
        self._ring_s = gradient_bytes * 8 * HEADERS / bits_per_s(link)

    def speed(self, nodes):
        most = math.ceil(self._batch / nodes)
        ring_s = 2 * (nodes - 1) / nodes * self._ring_s
        fixed_s, sample_s = self._emulate["fixed_s"], self._emulate["sample_s"]
        return self._batch / (fixed_s + sample_s * most + ring_s)

    def times_one_node(self, nodes):
        return self.speed(nodes) / self.speed(1) if nodes else 0.0


def json_lines(path):
    found = []
    for line in path.read_text().splitlines():
        try:
            found.append(json.loads(line))
        except json.JSONDecodeError:
            pass  # the last line of a program that was ended
    return found


class Part:
    """One half of the demo: what its logs say."""

    def __init__(self, folder):
        self.jobs = [int(line) for line in (folder / "jobs").read_text().split()]
        self.events = {
            job: json_lines(folder / f"trainer-{job}" / "events.jsonl") for job in self.jobs
        }
        steps = [e["t"] for job in self.jobs for e in self._of(job, "step")]
        self.from_s = min(e["t"] for job in self.jobs for e in self._of(job, "start"))
        self.to_s = max(steps)
        # When the trainings could not have the nodes of the other job.
        self.rigid_s = [float(t) - self.from_s for t in (folder / "rigid").read_text().split()]
        self.profiles = {job: [] for job in self.jobs}
        profiles = folder / "profiles.jsonl"
        for profile in json_lines(profiles) if profiles.exists() else []:
            if profile["job"] in self.profiles:
                self.profiles[profile["job"]].append(profile)

    def _of(self, job, kind):
        return [e for e in self.events[job] if e["event"] == kind]

    def samples(self, job):
        return max((e["samples_seen"] for e in self._of(job, "step")), default=0)

    def sizes(self, job):
        """(time since the start, nodes that train from then on)."""
        changes = [(0.0, 0)]
        for event in self.events[job]:
            if event["event"] in ("generation", "parked"):
                size = event.get("to", 0) if event["event"] == "generation" else 0
                changes.append((event["t"] - self.from_s, size))
        return changes

    def size_at(self, job, t_s):
        return [size for at_s, size in self.sizes(job) if at_s <= t_s][-1]


def best_worth(truths, free):
    """The most that any division of so many nodes is worth, in nodes."""
    best = [0.0] * (free + 1)
    for truth in truths:
        best = [
            max(best[n - k] + truth.times_one_node(k) for k in range(n + 1))
            for n in range(free + 1)
        ]
    return max(best)


class Worth:
    """Of what the trainings have, over the best division: 1 is best."""

    def __init__(self, part, truths, nodes):
        self._part, self._truths = part, truths
        self._all, self._fewer = best_worth(truths, nodes), best_worth(truths, nodes - 4)

    def at(self, t_s):
        """t_s seconds after the start."""
        begin_s, end_s = self._part.rigid_s
        best = self._fewer if begin_s <= t_s < end_s else self._all
        return self.nodes_worth(t_s) / best

    def nodes_worth(self, t_s):
        return sum(
            truth.times_one_node(self._part.size_at(job, t_s))
            for job, truth in zip(self._part.jobs, self._truths)
        )

    def right_after_s(self):
        """From then on it is right until the other job comes; None: never."""
        until_s = int(self._part.rigid_s[0]) - NOTICE_S
        wrong = [t for t in range(max(until_s, 1)) if self.at(t) < RIGHT]
        after_s = (wrong[-1] + 1) if wrong else 0
        return after_s if after_s < until_s else None

    def mean_when_settled(self):
        """Over the time when the plan could follow what had changed."""
        begin_s, end_s = self._part.rigid_s
        last_s = int(self._part.to_s - self._part.from_s)
        changes = (0, begin_s - NOTICE_S, end_s)
        values = [
            self.at(t)
            for t in range(last_s)
            if not any(c <= t < c + SETTLING_S for c in changes)
        ]
        return sum(values) / len(values) if values else None


def errors_percent(profile, truth):
    """What is expected of each size that was measured, against the truth."""
    measured = {size["nodes"] for size in profile["measured"] if size["steps"] >= 10}
    return {
        point["nodes"]: 100 * (point["expected"] / truth.speed(point["nodes"]) - 1)
        for point in profile["curve"]
        if point["nodes"] in measured
    }


def work_done(part, truths):
    """In seconds of one node, which makes trainings comparable."""
    return sum(part.samples(job) / truth.speed(1) for job, truth in zip(part.jobs, truths))


def summarise(learned, equal, truths, trainings, nodes):
    worth = Worth(learned, truths, nodes)
    rate = work_done(learned, truths) / (learned.to_s - learned.from_s)
    rate_equal = work_done(equal, truths) / (equal.to_s - equal.from_s)
    return {
        "right_after_s": worth.right_after_s(),
        "of_best_when_settled": worth.mean_when_settled(),
        "nodes_worth": rate,
        "nodes_worth_equal_share": rate_equal,
        "gain_over_equal_share": rate / rate_equal,
        "trainings": [
            {
                "name": training["name"],
                "job": job,
                "error_percent": errors_percent(learned.profiles[job][-1], truth),
            }
            for training, job, truth in zip(trainings, learned.jobs, truths)
        ],
    }


def failures_of(summary):
    if summary["right_after_s"] is None:
        yield "the plan was never right before the other job came"
    for training in summary["trainings"]:
        for nodes, error in training["error_percent"].items():
            if abs(error) > ERROR_MAX_PERCENT:
                yield f"{training['name']} on {nodes} nodes: {error:+.1f} % off the truth"


def tell(summary):
    after_s = summary["right_after_s"]
    print(
        f"nodes were where they help after {after_s} s"
        if after_s is not None
        else "nodes were not where they help"
    )
    print(f"work done: {summary['gain_over_equal_share']:.2f} times that of equal shares")
    for training in summary["trainings"]:
        errors = ", ".join(
            f"{nodes}: {error:+.1f} %" for nodes, error in training["error_percent"].items()
        )
        print(f"{training['name']}: what is expected of nodes, against the truth: {errors}")


# --- the picture --------------------------------------------------------------


def draw(learned, truths, trainings, summary, nodes, picture):
    import matplotlib

    matplotlib.use("svg")
    from matplotlib import pyplot

    pyplot.rcParams.update({"font.size": 9, "svg.fonttype": "none"})
    figure = pyplot.figure(figsize=(11, 10), constrained_layout=True)
    after_s = summary["right_after_s"]
    figure.suptitle(
        f"Three trainings of which nothing was known: after {after_s} s their nodes are right"
        f"\nTogether they do {summary['gain_over_equal_share']:.2f} times the work of equal shares",
        fontsize=13,
        fontweight="bold",
        x=0.01,
        ha="left",
    )
    rows = figure.add_gridspec(1 + len(trainings), 3, height_ratios=[1.2] + [1] * len(trainings))
    draw_nodes(figure.add_subplot(rows[0, :]), learned, trainings, nodes, after_s)
    for row, (training, job, truth) in enumerate(zip(trainings, learned.jobs, truths)):
        for column, (when, profile) in enumerate(moments(learned, job)):
            axes = figure.add_subplot(rows[1 + row, column])
            draw_curve(axes, profile, truth, COLOURS[row], nodes)
            if column == 0:
                axes.set_ylabel(f"{training['name']}\nsamples/s")
            axes.set_title(f"after {when:.0f} s", fontsize=9, loc="left")
            if row == column == 0:
                axes.legend(loc="lower right", fontsize=7, frameon=False)
            if row == len(trainings) - 1:
                axes.set_xlabel("nodes")
    figure.savefig(picture, format="svg", metadata={"Date": None})


def draw_nodes(axes, part, trainings, nodes, after_s):
    last_s = int(part.to_s - part.from_s)
    times = [t / 4 for t in range(4 * last_s)]
    heights = [[part.size_at(job, t) for t in times] for job in part.jobs]
    axes.stackplot(
        times,
        heights,
        step="post",
        colors=COLOURS,
        labels=[f"{t['name']}: {t['about']}" for t in trainings],
    )
    begin_s, end_s = part.rigid_s
    axes.fill_between([begin_s, end_s], nodes - 4, nodes, color="#9aa5b1", label="another job")
    if after_s is not None:
        axes.axvline(after_s, color="black", linestyle=":")
    axes.set(xlim=(0, last_s), ylim=(0, nodes), xlabel="seconds", ylabel="nodes that train")
    axes.legend(loc="lower right", fontsize=8)


def moments(part, job):
    """Of what was known: soon, a little later, in the end."""
    known = [
        (profile["t"] - part.from_s, profile)
        for profile in part.profiles[job]
        if profile["curve"] and profile["measured"]
    ]
    if not known:
        return []
    first_s = known[0][0]
    soon = min(known, key=lambda each: abs(each[0] - first_s - 1))
    later = min(known, key=lambda each: abs(each[0] - 20))
    return [soon, later, known[-1]]


def draw_curve(axes, profile, truth, colour, nodes):
    curve = profile["curve"]
    at = [point["nodes"] for point in curve]
    low, high = ([point[key] for point in curve] for key in ("low", "high"))
    sizes = range(1, nodes + 1)
    axes.plot(sizes, [truth.speed(m) for m in sizes], color="black", ls="--", lw=1, label="truth")
    axes.fill_between(at, low, high, color=colour, alpha=0.2, label="nine times in ten")
    axes.plot(at, [point["expected"] for point in curve], color=colour, label="expected")
    axes.plot(
        [size["nodes"] for size in profile["measured"]],
        [profile["global_batch"] / size["step_s"] for size in profile["measured"]],
        "s",
        color=colour,
        label="measured",
    )
    highest = max(truth.speed(m) for m in sizes)
    axes.set(xlim=(0.5, nodes + 0.5), ylim=(0, 1.5 * highest))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("trainings", "link", "nodes", "learned", "equal", "picture", "summary"):
        parser.add_argument(f"--{name}", required=True)
    arguments = parser.parse_args()
    trainings = json.loads(pathlib.Path(arguments.trainings).read_text())
    nodes = int(arguments.nodes)
    learned, equal = (Part(pathlib.Path(d)) for d in (arguments.learned, arguments.equal))
    for training, job in zip(trainings, learned.jobs):
        if not any(p["curve"] and p["measured"] for p in learned.profiles[job]):
            sys.exit(f"jpa_report: nothing was learned of {training['name']} (job {job})")
    truths = [
        Truth(training, learned.profiles[job][-1]["gradient_bytes"], arguments.link)
        for training, job in zip(trainings, learned.jobs)
    ]
    summary = summarise(learned, equal, truths, trainings, nodes)
    pathlib.Path(arguments.summary).write_text(json.dumps(summary, indent=2) + "\n")
    tell(summary)
    draw(learned, truths, trainings, summary, nodes, arguments.picture)
    failures = list(failures_of(summary))
    for failure in failures:
        print(f"jpa_report: {failure}", file=sys.stderr)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
