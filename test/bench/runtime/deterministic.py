# SPDX-License-Identifier: Apache-2.0
"""What does deterministic mode cost?

The character model trains with and without it, one after the other, in pairs;
the ratio is of a pair's median steps.
"""

from figures import median
from gleaner_training import GleanerTraining

PAIRS_MAX = 5
STEPS = 60
WARM_UP = 10  # steps


def step_ms(setting, members, options):
    """The median step of a new training, of the member that is slowest."""
    program = ["/usr/bin/python3", setting.source("test/bench/runtime/char_lm_steps.py")]
    options = [f"--nodes-min={members}", *options]
    with GleanerTraining(setting, members, program, options=options) as training:
        logs = training.wait_for_size(members, WARM_UP + STEPS, limit_s=120)
        return 1e3 * max(
            median([b.end - a.end for a, b in zip(log[WARM_UP:], log[WARM_UP + 1 :])])
            for log in logs.values()
        )


def run(setting, rows):
    pairs = 1 if setting.quick else min(PAIRS_MAX, setting.reps)
    cells = [(2, 8)] if setting.quick else [(1, 8), (1, 16), (2, 8), (2, 16)]
    for members, shards in cells:
        row = {
            "part": "deterministic",
            "system": "gleaner",
            "plane": "tcp",
            "members": members,
            "shards": shards,
            "step_ms": [],
            "usual_ms": [],
        }
        for _ in range(pairs):
            row["usual_ms"].append(step_ms(setting, members, []))
            row["step_ms"].append(
                step_ms(setting, members, [f"--deterministic={shards}"])
            )
        rows.append(row)
        print(f"deterministic: {members} members, {shards} shards done", flush=True)
