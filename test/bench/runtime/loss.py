# SPDX-License-Identifier: Apache-2.0
"""What does the loss of a member cost the others?

*To next step* is from the kill to when all survivors have ended a step that the
dead had no part in: then they all have its reduction, it is stable.  *Overhead*
is that time less the rest of the step that was under way, as long as it would
have taken, and less one reduction by those who are left, which is to be done
again.  Of a frozen process also less failure_timeout_s, before which silence is
not a loss.
"""

import os
import random
import signal
import time

from figures import median
from gleaner_training import GleanerTraining
from resize import durations, usual

SETTLED, AFTER = 10, 8  # steps
SIZE = 4
TIMEOUT_S = 2.0
KINDS = ["member", "agent", "node", "frozen"]


def strike(training, member, kind):
    """The moment it happened."""
    pid, agent = training.pid_of(member), training.agent_of(member)
    now = time.monotonic()
    if kind == "frozen":
        os.kill(pid, signal.SIGSTOP)
    if kind in ("agent", "node"):
        os.kill(agent, signal.SIGKILL)
    if kind in ("member", "node"):
        os.kill(pid, signal.SIGKILL)
    return now


def without(log, killed):
    """The steps after the kill with fewer members."""
    return [s for s in log if s.end > killed and s.world < SIZE]


def recovered(log, killed):
    """The step that this survivor ended without the dead, and how long it took;
    None as long as it has not.

    A step that was begun keeps its plan, and with it the number of members; the
    next one is the first that says there are fewer.  So of the steps from the
    kill to that one it is the longest."""
    steps = [(s, d) for s, d in durations(log) if s.end > killed]
    for i, (step, _) in enumerate(steps):
        if step.world < SIZE:
            return max(steps[: i + 1], key=lambda step: step[1])
    return None


def overhead_s(log, killed, timeout_s):
    """Of one survivor.  The undisturbed step would have ended a median step
    after the one before."""
    reduction = median([s.reduce for s in without(log, killed)[1:]])
    _, took = recovered(log, killed)
    return took - usual(log, killed) - reduction - timeout_s


def lose(training, kind, choose):
    """Lose a member that way; the row of one repetition."""
    before = training.wait_for_size(SIZE, SETTLED, after_s=time.monotonic())
    time.sleep(choose.random() * 0.05)  # anywhere in a step
    victim = choose.choice(sorted(before))
    node = training.node_of(victim)
    killed = strike(training, victim, kind)
    logs = [training.logs.members[m] for m in before if m != victim]
    training.wait(lambda: all(recovered(log, killed) for log in logs))
    if kind in ("member", "frozen"):
        training.remove_nodes([node])  # or it starts another member, or has
    training.wait(lambda: all(len(without(log, killed)) > AFTER for log in logs))
    timeout_s = TIMEOUT_S if kind == "frozen" else 0
    ended = max(recovered(log, killed)[0].end for log in logs)
    row = {
        "to_next_step_ms": 1e3 * (ended - killed),
        "overhead_ms": 1e3 * max(overhead_s(log, killed, timeout_s) for log in logs),
    }
    training.add_nodes(1)
    return row


def measure(setting, plane, workload, program, kinds, rows):
    choose = random.Random(1)
    cells = {
        kind: {
            "part": "loss",
            "system": "gleaner",
            "plane": plane,
            "workload": workload,
            "kind": kind,
            "members": SIZE,
            "failure_timeout_s": TIMEOUT_S,
            "repetitions": [],
        }
        for kind in kinds
    }
    # Nothing is computed twice: what is measured is the repair.
    how = ["--on-loss=short"]
    with GleanerTraining(
        setting, SIZE, program, plane, TIMEOUT_S, options=how
    ) as training:
        for _ in range(setting.reps):
            for kind, cell in cells.items():
                cell["repetitions"].append(lose(training, kind, choose))
    rows += cells.values()
    print(f"loss: {plane}, {workload} done", flush=True)


def run(setting, rows):
    synthetic = [
        setting.built("test/bench/runtime/step_program"),
        "--gradient-kib=10240",
        "--state-kib=40960",
    ]
    char_lm = ["/usr/bin/python3", setting.source("test/bench/runtime/char_lm_steps.py")]
    for plane in setting.planes:
        measure(setting, plane, "synthetic", synthetic, KINDS, rows)
        if not setting.quick:
            measure(setting, plane, "char_lm", char_lm, KINDS, rows)
    if setting.peers:
        import torchrun_events

        torchrun_events.loss(setting, rows)
