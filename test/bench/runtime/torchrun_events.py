# SPDX-License-Identifier: Apache-2.0
"""What do resizes and losses cost under torchrun?

It has no planned shrink: a node that leaves is one that is lost.  Any change
restarts every worker.  The stall is from the last step before to the first one
after, of the slowest worker, less the median step; steps since the last
checkpoint are computed again besides, which is not counted.
"""

import os
import signal
import time

from figures import median
from resize import TRACE_BEFORE_S, durations
from step_log import trace
from torchrun_training import TorchrunTraining

PAUSE_S = 1.0
REPS_1_TO_8 = 5  # each takes half a minute


def change(training, size, act):
    """Do it and wait for `size` workers to train again; the repetition."""
    training.logs.read()
    began = act()
    fresh = training.wait_restarted(size, began)
    ended = max(log[0].end for log in fresh.values())
    old = {n: l for n, l in training.logs.members.items() if l and l[0].end <= began}
    last = max(log[-1].end for log in old.values())
    newest = max(old.values(), key=lambda log: log[-1].end)
    usual = median([d for _, d in durations(newest)][-15:])
    time.sleep(PAUSE_S)
    return {
        "stall_ms": 1e3 * (ended - last - usual),
        "to_new_size_ms": 1e3 * (ended - began),
    }


def row(part, **fields):
    return {"part": part, "system": "torchrun", **fields, "repetitions": []}


def kill_worker(training, i, how=signal.SIGKILL):
    pid = training.workers_of(training.agents[i])[0]
    now = time.monotonic()
    os.kill(pid, how)
    return now


def as_loss(repetition):
    """The last steps of the others end after the kill: what they lose."""
    return {
        "to_next_step_ms": repetition["to_new_size_ms"],
        "overhead_ms": repetition["stall_ms"],
    }


def picture(setting, rows):
    """One expand.  A restarted worker's first step counts from the last step
    before, as it does for the training."""
    options = ["--gradient-kib=1024", "--state-kib=40960"]
    with TorchrunTraining(setting, 2, 4, options) as training:
        training.wait_restarted(2, 0)
        time.sleep(TRACE_BEFORE_S)
        began = training.add_node()
        training.wait_restarted(3, began)
        time.sleep(PAUSE_S)
        training.logs.read()
        logs = list(training.logs.members.values())
        last = max(s for log in logs for s in log if log[0].end <= began)
        joined = [[last, *log] if log[0].end > began else log for log in logs]
        rows.append(
            {
                "part": "trace",
                "system": "torchrun",
                "steps": trace(joined, began, TRACE_BEFORE_S, 60),
            }
        )


def grow_and_lose(setting, state_mib, resizes, losses):
    """2-3-4, a worker, a node: one training, so that starts cost less."""
    gradient_kib = min(1024, state_mib * 256)
    options = [f"--gradient-kib={gradient_kib}", f"--state-kib={state_mib * 1024}"]
    with TorchrunTraining(setting, 2, 4, options) as training:
        training.wait_restarted(2, 0)
        for size in (3, 4):
            resizes[size].append(change(training, size, training.add_node))
        losses["member"].append(
            as_loss(change(training, 4, lambda: kill_worker(training, 3)))
        )
        left = change(training, 3, lambda: training.lose_node(3))
        losses["node"].append(as_loss(left))
        resizes["lost"].append(left)


def grow_from_1_to_8(setting, state_mib):
    options = ["--gradient-kib=1024", f"--state-kib={state_mib * 1024}"]
    with TorchrunTraining(setting, 1, 8, options) as training:
        training.wait_restarted(1, 0)

        def add_seven():
            return [training.add_node() for _ in range(7)][0]

        return change(training, 8, add_seven)


def resize(setting, rows):
    """And losses, which its shrinks are."""
    picture(setting, rows)
    for state_mib in setting.peer_states_mib:
        cells = {
            3: row("resize", **{"from": 2}, to=3, state_mib=state_mib),
            4: row("resize", **{"from": 3}, to=4, state_mib=state_mib),
            "lost": row("resize", **{"from": 4}, to=3, state_mib=state_mib),
        }
        losses = {
            kind: row("loss", kind=kind, members=4, workload="synthetic")
            for kind in ("member", "node")
        }
        for _ in range(setting.reps):
            grow_and_lose(
                setting,
                state_mib,
                {size: cell["repetitions"] for size, cell in cells.items()},
                {kind: cell["repetitions"] for kind, cell in losses.items()},
            )
        many = row("resize", **{"from": 1}, to=8, state_mib=state_mib)
        for _ in range(min(setting.reps, REPS_1_TO_8)):
            many["repetitions"].append(grow_from_1_to_8(setting, state_mib))
        rows += [*cells.values(), many, *losses.values()]
        print(f"resize: torchrun, {state_mib} MiB done", flush=True)


def loss(setting, rows):
    cell = row("loss", kind="member", members=4, workload="char_lm")
    with TorchrunTraining(setting, 4, 4, ["--char-lm"]) as training:
        training.wait_restarted(4, 0)
        for _ in range(setting.reps):
            cell["repetitions"].append(
                as_loss(change(training, 4, lambda: kill_worker(training, 3)))
            )
    rows.append(cell)
    print("loss: torchrun, char_lm done", flush=True)
