# SPDX-License-Identifier: Apache-2.0
"""What does a coordinator do for a thousand members?

The coordinator is the real one; agents and members are connections of one
process that computes nothing (light_nodes.cc).  Its processor time by seconds,
by steps and by logged values; then members join, and many are lost at once.
"""

import glob
import json
import os
import shutil
import subprocess
import time

from process_end import end_process, show_last_lines

ON_NODE = 8
SIZES = [512, 1000]
LOST = 64
STEP_S = 0.05
#: Steps a second and values a step of the runs whose costs are compared.
LOADS = [(2, 0), (20, 0), (2, 2)]


class LightTraining:
    """A context manager: its processes and its directory are gone afterwards."""

    def __init__(self, setting, nodes, failure_timeout_s):
        self._dir = setting.work_dir("scale")
        program = setting.built("test/bench/runtime/light_nodes")
        os.symlink(program, os.path.join(self._dir, "gleaner-agent"))
        hub = os.path.join(self._dir, "hub")
        self._hub = subprocess.Popen(
            [program, "hub", hub],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            bufsize=1,
        )
        _until(lambda: os.path.exists(hub), 10)
        environment = setting.environment()
        environment.update(LIGHT_HUB=hub, GLEANER_LIBEXEC=self._dir)
        self._err = open(os.path.join(self._dir, "err"), "w")
        self._coordinator = subprocess.Popen(
            [
                setting.built("runtime/coordinator/gleaner-coordinator"),
                f"--local={nodes}",
                f"--nodes-min={nodes}",
                f"--members-per-node={ON_NODE}",
                f"--dir={self._dir}",
                f"--failure-timeout={failure_timeout_s}",
                "--checkpoint-interval=0",
                "--",
                "light",
            ],
            stdout=self._err,
            stderr=self._err,
            env=environment,
        )
        self.settle_s = 1.5 * failure_timeout_s / 5  # longer than a heartbeat
        self._read = 0
        self.events = []

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        show_last_lines(self._err.name, kind)
        for process in (self._coordinator, self._hub):
            end_process(process, 20)
        self._err.close()
        shutil.rmtree(self._dir, ignore_errors=True)

    def tell(self, order):
        """An order for the hub; how many members train."""
        self._hub.stdin.write(order + "\n")
        return int(self._hub.stdout.readline())

    def add_nodes(self, count):
        with open(os.path.join(self._dir, "control"), "w") as control:
            control.write("add\n" * count)

    def look(self):
        """All events so far."""
        path = os.path.join(self._dir, "events.jsonl")
        if os.path.exists(path):
            with open(path) as file:
                file.seek(self._read)
                for line in file:
                    if not line.endswith("\n"):
                        break
                    self._read += len(line.encode())
                    self.events.append(json.loads(line))
        return self.events

    def wait(self, condition, limit_s):
        def holds():
            if self._coordinator.poll() is not None:
                raise RuntimeError("the coordinator ended")
            return condition(self.look())

        _until(holds, limit_s)

    def processor_s(self):
        """Of all its threads, to the nanosecond."""
        used_ns = 0
        for path in glob.glob(f"/proc/{self._coordinator.pid}/task/*/schedstat"):
            with open(path) as file:
                used_ns += int(file.read().split()[0])
        return used_ns / 1e9

    def memory_kib(self):
        with open(f"/proc/{self._coordinator.pid}/status") as file:
            rss = next(line for line in file if line.startswith("VmRSS"))
        return int(rss.split()[1])


def _until(condition, limit_s):
    end = time.monotonic() + limit_s
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError("it did not come in time")
        time.sleep(0.02)


def of(events, kind):
    return [event for event in events if event["event"] == kind]


def grown_to(members, after=0):
    """A generation of that size since so many events, and steps in it."""

    def holds(events):
        sizes = [len(e["members"]) for e in of(events[after:], "generation")]
        return sizes[-1:] == [members]

    return holds


def load(training, members, seconds):
    """What a second costs under each load, and of it a step and a value."""
    cells = []
    for steps_per_s, values in LOADS:
        training.tell(f"set {1 / steps_per_s} {values}")
        time.sleep(training.settle_s)
        before, began = training.processor_s(), time.monotonic()
        steps = len(of(training.look(), "step"))
        time.sleep(seconds)
        took = time.monotonic() - began
        cells.append(
            {
                "steps_per_s": (len(of(training.look(), "step")) - steps) / took,
                "values": values,
                "share": (training.processor_s() - before) / took,
            }
        )
    training.tell(f"set {STEP_S} 0")
    time.sleep(1)  # the step under way has the old length
    quiet, steps, values = cells
    by_step = steps["steps_per_s"] - quiet["steps_per_s"]
    told = values["values"] * values["steps_per_s"] * members
    return {
        "part": "scale",
        "kind": "load",
        "members": members,
        "cells": cells,
        "step_us": 1e6 * (steps["share"] - quiet["share"]) / by_step,
        "value_us": 1e6 * (values["share"] - quiet["share"]) / told,
        "lost": len(of(training.look(), "member_lost")),
    }


def longest_gap(events, after):
    """Between two steps, beyond a step's time, s."""
    times = [e["t"] for e in of(events[after:], "step")]
    return max(b - a for a, b in zip(times, times[1:])) - STEP_S


def change(training, members, what):
    """From the order until all train in the new size; how long none did."""
    after = len(training.look())
    # The step before the order counts: the gap begins with it.
    while after and training.events[after - 1]["event"] != "step":
        after -= 1
    began, used = time.time(), training.processor_s()
    what()
    training.wait(grown_to(members, after), 120)
    steps = len(of(training.events, "step"))
    training.wait(lambda events: len(of(events, "step")) >= steps + 3, 60)
    generation = next(
        e
        for e in of(training.events[after:], "generation")
        if len(e["members"]) == members
    )
    return {
        "took_ms": 1000 * (generation["t"] - began),
        "stall_ms": 1000 * longest_gap(training.events, after - 1),
        "processor_ms": 1000 * (training.processor_s() - used),
    }


def run(setting, rows):
    few, many, lost = (32, 64, 8) if setting.quick else (*SIZES, LOST)
    seconds, timeout_s = (1, 5) if setting.quick else (30, 30)
    reps = 1 if setting.quick else min(5, setting.reps)
    loads, joins, losses, memory = [], [], [], []
    for rep in range(reps):
        with LightTraining(setting, few // ON_NODE, timeout_s) as training:
            training.tell(f"set {STEP_S} 0")
            training.wait(grown_to(few), 120)
            if rep == 0:
                loads.append(load(training, few, seconds))
            small_kib = training.memory_kib()
            training.tell("hold")
            before = len(training.look())
            nodes = (many - few) // ON_NODE
            training.add_nodes(nodes)
            training.wait(
                lambda events: len(of(events[before:], "member_started"))
                == many - few,
                120,
            )
            time.sleep(1)
            joins.append(change(training, many, lambda: training.tell("load")))
            memory.append((training.memory_kib() - small_kib) / (many - few))
            if rep == 0:
                loads.append(load(training, many, seconds))
            training.tell("hold")  # who is started in their stead waits
            losses.append(
                change(training, many - lost, lambda: training.tell(f"lose {lost}"))
            )
        print(f"scale: repetition {rep + 1} of {reps} done", flush=True)
    rows.extend(loads)
    rows.append(
        {
            "part": "scale",
            "kind": "change",
            "what": f"{few} to {many}",
            "repetitions": joins,
            "member_kib": memory,
        }
    )
    rows.append(
        {
            "part": "scale",
            "kind": "change",
            "what": f"{lost} of {many} lost at once",
            "repetitions": losses,
        }
    )
