# SPDX-License-Identifier: Apache-2.0
"""Was every sample used once, and is nothing left behind?"""

import os
import re
import time
from pathlib import Path

import processes
from training import SAMPLES

END_S = 3


def faults_of(training):
    """What is wrong with a training that has ended; [] if nothing."""
    wrong = []
    if training.process.returncode != 0:
        wrong.append(f"it ended with {training.process.returncode}")
    wrong += wrong_samples(training)
    wrong += left_behind(training)
    return wrong


def wrong_samples(training):
    """By the record, and by what the members themselves added up."""
    steps = []
    for event in training.events():
        if event["event"] == "step":
            steps.append(event)
        elif event["event"] == "rollback":
            steps = [step for step in steps if step["step"] <= event["to_step"]]
    wrong, passes = [], {}
    for number, step in enumerate(steps, 1):
        if step["step"] != number:
            wrong.append(f"step {step['step']} is recorded as number {number}")
            break
        passes.setdefault(step["pass"], []).extend(map(tuple, step["taken"]))
    for number, taken in sorted(passes.items()):
        at = 0
        for first, last in sorted(taken):
            if first != at:
                wrong.append(f"pass {number}: after {at} comes {first}")
                break
            at = last
        if at != SAMPLES:
            wrong.append(f"pass {number} ends at {at} of {SAMPLES}")
    if len(passes) * SAMPLES != training.samples:
        wrong.append(f"{len(passes)} passes were trained")
    finish = training.events("finish")
    if not finish or finish[-1]["duplicate_samples"] or finish[-1]["missing_samples"]:
        wrong.append(f"the coordinator's own account: {finish[-1:]}")
    expected = len(passes) * SAMPLES * (SAMPLES + 1) / 2
    out = (training.dir / "out").read_text()
    sums = re.findall(r"^done .*weight=([0-9.]+)", out, re.M)
    if not sums or len(set(sums)) > 1:
        wrong.append(f"members' states differ in the end: {sums}")
    elif len(hashes := set(re.findall(r"^done .*hash=(\w+)", out, re.M))) > 1:
        wrong.append(f"members' states differ in the end: {hashes}")
    # A short step's mean, times the whole batch, is not a sum of its samples.
    elif training.on_loss == "recompute" and float(sums[0]) != expected:
        wrong.append(f"members added up {sums[0]}, expected {expected}")
    return wrong


def left_behind(training):
    end = time.monotonic() + END_S
    while (left := processes.marked(training.mark)) and time.monotonic() < end:
        time.sleep(0.05)
    wrong = [
        f"process {pid} ({processes.command_of(pid)}) of {env.get('GLEANER_NODE')} lives"
        for pid, env in left.items()
    ]
    wrong += [f"left in /dev/shm: {name}" for name in os.listdir("/dev/shm")]
    wrong += [f"left in TMPDIR: {name}" for name in os.listdir(training.dir / "tmp")]
    expected = {"events.jsonl", "checkpoints"}
    wrong += [
        f"left in the run directory: {name}"
        for name in set(os.listdir(training.dir / "run")) - expected
    ]
    files = list(Path(training.dir / "run" / "checkpoints").iterdir())
    wrong += [f"left half-written: {f.name}" for f in files if ".tmp" in f.name]
    return wrong
