# SPDX-License-Identifier: Apache-2.0
"""What does a row look like?  Delays by path, what was added, who had the nodes."""

from figures import percentile
from starts import PATHS
from svg import Linear, Log, Panel, SignedLog, document, line, rect, text
from tables import NAMES

WIDTH, HEIGHT = 980, 800
LEFT, RIGHT = 64, 24
WITH, WITHOUT, AGAIN = "#2a6fbb", "#c44e52", "#e5a3a5"
RIGID, TRAINING, LEASED = "#b9bec5", "#2a6fbb", "#a9cbee"
DELAY_S = (0.03, 30)


def shares(values):
    """The distribution as steps: (value, share of values up to it)."""
    points, ordered = [], sorted(values)
    for number, value in enumerate(ordered):
        points += [(value, number / len(ordered)), (value, (number + 1) / len(ordered))]
    return points


def delay_panels(row):
    """How long jobs waited, a panel for each path."""
    runs = [
        (row["pairs"], 3, WITH, 2),
        (row["pairs"], 4, WITHOUT, 2),
        (row.get("control", {}).get("pairs", []), 3, AGAIN, 1.5),
    ]
    gap = 44
    width = (WIDTH - LEFT - RIGHT - gap * (len(PATHS) - 1)) / len(PATHS)
    parts = []
    for place, path in enumerate(PATHS):
        box = LEFT + place * (width + gap), 110, width, 170
        names = {pair[0] for pair in row["pairs"] if pair[1] == path}
        title = f"{NAMES[path]}, {len(names)} jobs"
        panel = Panel(box, Log(*DELAY_S), Linear(0, 1), title)
        panel.x_ticks([0.1, 1, 10], "start delay, s")
        panel.y_ticks([0, 0.5, 1], "{:.0%}")
        for pairs, column, colour, stroke in reversed(runs):
            values = [pair[column] for pair in pairs if pair[0] in names]
            panel.curve(shares(values) if values else [], colour, stroke)
        parts += panel.parts
    return parts


def added_panel(row):
    """Job by job; a second run without shows what is noise."""
    box = LEFT, 360, WIDTH - LEFT - RIGHT, 150
    scale = SignedLog(0.1, 100)
    title = "added to each job's start, s: jobs in order of it"
    panel = Panel(box, Linear(0, 100), scale, title)
    panel.x_ticks([0, 25, 50, 75, 100], "% of jobs")
    panel.y_ticks([-100, -10, -1, -0.1, 0, 0.1, 1, 10, 100])
    noise = row.get("control", {}).get("pairs", [])
    for pairs, colour in ((noise, AGAIN), (row["pairs"], WITH)):
        values = sorted(pair[3] - pair[4] for pair in pairs)
        count = max(1, len(values) - 1)
        panel.curve([(100 * i / count, v) for i, v in enumerate(values)], colour)
    return panel.parts


def node_panel(row):
    box = LEFT, 590, WIDTH - LEFT - RIGHT, 150
    points = row["curve"]
    share = row["harvest_ratio"]
    title = "nodes" if share is None else (
        f"nodes: {share:.0%} of the time in holes over 10 s was trained"
    )
    panel = Panel(box, Linear(0, points[-1][0]), Linear(0, row["nodes"]), title)
    floor = [(p[0], 0) for p in points]
    for column, colour in ((1, RIGID), (2, TRAINING), (3, LEASED)):
        top = [(p[0], sum(p[1 : column + 1])) for p in points]
        panel.band(floor, top, colour)
        floor = top
    panel.y_ticks([0, row["nodes"] // 2, row["nodes"]])
    step = 10 if points[-1][0] <= 80 else 20
    panel.x_ticks(range(0, int(points[-1][0]) + 1, step), "seconds")
    return panel.parts


def legend(row):
    entries = [("with Gleaner", WITH), ("without", WITHOUT)]
    if row.get("control"):
        entries.append(("without, a second run", AGAIN))
    parts, x = [], LEFT
    for words, colour in entries:
        parts += [line(x, 62, x + 22, 62, colour, ' stroke-width="3"')]
        parts += [text(x + 28, 66, words)]
        x += 60 + 7 * len(words)
    x = WIDTH - 380
    for words, colour in (
        ("rigid job", RIGID),
        ("training", TRAINING),
        ("on lease, not training", LEASED),
    ):
        parts += [rect(x, 556, 14, 12, colour), text(x + 20, 566, words)]
        x += 46 + 7 * len(words)
    return parts


def picture(row):
    added_s = [pair[3] - pair[4] for pair in row["pairs"]]
    heading = (
        f"{row['jobs']} jobs on {row['nodes']} nodes in {row['seconds']:.0f} s"
        f" ({row['title']})"
    )
    median = f"added to a start: p50 {percentile(added_s, 50):.2f} s" if added_s else ""
    parts = [
        text(LEFT, 30, heading, extra=' font-size="16" font-weight="bold"'),
        text(WIDTH - RIGHT, 66, median, "end"),
        *legend(row),
        *delay_panels(row),
        *added_panel(row),
        *node_panel(row),
    ]
    return document(WIDTH, HEIGHT, parts)
