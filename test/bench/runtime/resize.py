# SPDX-License-Identifier: Apache-2.0
"""What does a planned resize cost the training?

Of the members that stay: the *stall* is the longest gap between two ends of
steps around the switch, less the median step before; *lost* is what the steps
from the order to the tenth in the new size took beyond the median of their
size.  *To new size* is from the order to when all members have ended a step in
the new size; with nodes added, programs start meanwhile.  Joiners are copied to, and
in other trainings they follow: what a copy of the state for these costs comes before
the switch, in *lost* and in *worst*, the longest step since the order.
"""

import itertools
import random
import time

from figures import median
from gleaner_training import GleanerTraining
from step_log import trace

SETTLED, AFTER = 6, 11  # steps
USUAL = 15  # steps of which the median is taken
TRACE_BEFORE_S, TRACE_AFTER_S = 2, 8


def resize(training, size_before, size, choose):
    """Order it, wait for it; the row of one repetition, or None when it came
    in several pieces."""
    logs = training.logs
    start = time.monotonic()
    before = training.wait_for_size(size_before, SETTLED, after_s=start)
    ordered = time.monotonic()
    if size > size_before:
        training.add_nodes(size - size_before)
    else:
        leavers = choose.sample(sorted(before), size_before - size)
        training.remove_nodes([training.node_of(m) for m in leavers])
    after = training.wait_for_size(size, AFTER, after_s=ordered)
    stayers = [m for m in before if m in after]
    seen = {s.world for m in stayers for s in logs.members[m] if s.end > ordered}
    if seen - {size_before, size}:
        return None
    return {
        "stall_ms": 1e3 * max(stall(logs.members[m], ordered, size) for m in stayers),
        "worst_ms": 1e3 * max(worst(logs.members[m], ordered) for m in stayers),
        "lost_ms": 1e3 * max(lost(logs.members[m], ordered, size) for m in stayers),
        "to_new_size_ms": 1e3 * (max(log[0].end for log in after.values()) - ordered),
    }


def durations(log):
    return [(b, b.end - a.end) for a, b in zip(log, log[1:])]


def usual(log, ordered):
    before = [d for step, d in durations(log) if step.end <= ordered]
    return median(before[-USUAL:])


def stall(log, ordered, size):
    steps = durations(log)
    first = next(
        i for i, (s, _) in enumerate(steps) if s.end > ordered and s.world == size
    )
    around = [d for s, d in steps[max(0, first - 2) : first + 3] if s.end > ordered]
    return max(around) - usual(log, ordered)


def worst(log, ordered):
    return max(d for s, d in durations(log) if s.end > ordered) - usual(log, ordered)


def lost(log, ordered, size):
    steps = [(s, d) for s, d in durations(log) if s.end > ordered]
    old = [d for s, d in steps if s.world != size]
    new = [d for s, d in steps if s.world == size]
    # The first step in the new size is what the resize cost: not usual for it.
    usual_new = median(new[1:AFTER])
    usual_old = usual(log, ordered)
    return sum(d - usual_old for d in old) + sum(d - usual_new for d in new[:10])


def c_program(setting):
    return [setting.built("test/bench/runtime/step_program")]


def gleaner_cycle(
    setting, plane, state_mib, sizes, rows, follow=False, face="C", run=c_program
):
    """Through `sizes` and back, until each change was seen often enough."""
    gradient_kib = min(1024, state_mib * 256)
    program = [
        *run(setting),
        f"--gradient-kib={gradient_kib}",
        f"--state-kib={state_mib * 1024}",
    ]
    choose = random.Random(1)
    with GleanerTraining(
        setting, sizes[0], program, plane, follow=follow
    ) as training:
        cells = {}
        for change in zip(sizes, sizes[1:] + sizes[:1]):
            cells[change] = {
                "part": "resize",
                "system": "gleaner",
                "program": face,
                "plane": plane,
                "from": change[0],
                "to": change[1],
                "state_mib": state_mib,
                "joiners": "followed" if follow else "copied",
                "in_pieces": 0,
                "repetitions": [],
            }
        tries = 0
        while tries < 2 * setting.reps and any(
            len(c["repetitions"]) < setting.reps for c in cells.values()
        ):
            tries += 1
            for (size_before, size), cell in cells.items():
                row = resize(training, size_before, size, choose)
                if row is None:
                    cell["in_pieces"] += 1
                else:
                    cell["repetitions"].append(row)
        rows += cells.values()


def picture(setting, plane, rows):
    """One expand, with seconds of steps on both sides."""
    program = [setting.built("test/bench/runtime/step_program")]
    with GleanerTraining(setting, 2, program, plane) as training:
        training.wait_for_size(2, int(TRACE_BEFORE_S / 0.025))
        ordered = time.monotonic()
        training.add_nodes(1)
        training.wait_for_size(3, int(TRACE_AFTER_S / 0.025), after_s=ordered)
        logs = training.logs.members.values()
        rows.append(
            {
                "part": "trace",
                "system": "gleaner",
                "plane": plane,
                "steps": trace(logs, ordered, TRACE_BEFORE_S, TRACE_AFTER_S),
            }
        )


def run(setting, rows):
    picture(setting, setting.planes[0], rows)
    rounds = [[2, 3, 4, 3]] if setting.quick else [[2, 3, 4, 3], [1, 8]]
    ways = [False, True] if setting.follow else [False]
    for plane in setting.planes:
        for state_mib in setting.states_mib:
            for sizes, follow in itertools.product(rounds, ways):
                gleaner_cycle(setting, plane, state_mib, sizes, rows, follow)
                how = "followed" if follow else "copied"
                print(f"resize: {plane}, {state_mib} MiB, {sizes} {how}", flush=True)
    if setting.peers:
        import torchrun_events

        torchrun_events.resize(setting, rows)
