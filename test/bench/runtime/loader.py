# SPDX-License-Identifier: Apache-2.0
"""How long do members wait for their samples around a resize?

Two members, three, two, with loader workers that just keep up.  A step's wait
is that of the member that waits longest.  With the change announced, as it is,
and without: then shares change with no warning.
"""

import time

from figures import median
from gleaner_training import GleanerTraining

REPS_MAX = 5
STEADY = 10  # steps before the switch
AT = 4  # steps from it on


def waits_by_step(training):
    return {
        event["step"]: event["max"]
        for event in training.events("log")
        if event["key"] == "loader_wait_ms"
    }


def waits_around(training, first):
    """By step: before, at and after the switch to the step `first`."""
    waits = waits_by_step(training)
    steps = [waits[step] for step in range(first - STEADY, first + AT + STEADY)]
    return {
        "before_ms": median(steps[:STEADY]),
        "at_ms": sum(steps[STEADY : STEADY + AT]),
        "after_ms": median(steps[STEADY + AT :]),
    }


def resize(training, size, change):
    """The first step in the new size, once enough of its steps are told."""
    change()
    training.wait_for_size(size, 1, limit_s=60)
    seen = lambda: training.events("generation")[-1]  # noqa: E731
    training.wait(lambda: seen()["to"] == size)
    first = seen()["step"]
    end = time.monotonic() + 60
    # What members waited comes with their heartbeats.
    while max(waits_by_step(training), default=0) < first + AT + STEADY:
        if time.monotonic() > end:
            raise TimeoutError("steps after a resize did not come")
        time.sleep(0.05)
    return waits_around(training, first)


def run(setting, rows):
    reps = 1 if setting.quick else min(REPS_MAX, setting.reps)
    program = ["/usr/bin/python3", setting.source("test/bench/runtime/loader_steps.py")]
    for announced in (True, False):
        cells = [
            {
                "part": "loader",
                "system": "gleaner",
                "plane": "tcp",
                "from": old,
                "to": new,
                "announced": announced,
                "repetitions": [],
            }
            for old, new in ((2, 3), (3, 2))
        ]
        how = [] if announced else ["--unannounced"]
        for _ in range(reps):
            with GleanerTraining(setting, 2, program + how) as training:
                before = training.wait_for_size(2, 2 * STEADY)
                leaver = sorted(before)[-1]
                grown = resize(training, 3, lambda: training.add_nodes(1))
                node = training.node_of(leaver)
                shrunk = resize(training, 2, lambda: training.remove_nodes([node]))
            cells[0]["repetitions"].append(grown)
            cells[1]["repetitions"].append(shrunk)
        rows.extend(cells)
        print(f"loader: announced={announced} done", flush=True)
