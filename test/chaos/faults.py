# SPDX-License-Identifier: Apache-2.0
"""What can happen to a training, and how soon must it proceed?

Each kind of event is one function: it does something to a node or to a process,
and returns how to undo it, if it must be undone.  `bound_s` is for three more
steps to be recorded, on a machine that is busy with other things.
"""

import signal
import time
from dataclasses import dataclass
from typing import Callable

import processes
from training import FAILURE_TIMEOUT_S, STUCK_TIMEOUT_S

BUSY_MACHINE_S = 10


def nothing():
    pass


@dataclass
class Kind:
    name: str
    weight: float
    bound_s: float
    happen: Callable  # (training, node, random) -> what undoes it; None: it cannot
    keeps: int = 0  # nodes that must train besides this one
    needs_network: bool = False
    needs_disk: bool = False


def to_process(which, number, undo=None):
    def happen(training, node, random):
        pids = training.processes(node)[which]
        if which == "member" and pids:  # one of those on the node
            pids = [random.choice(pids)]
        if not any([processes.send(pid, number) for pid in pids]):
            return None
        if undo is None:
            return nothing
        return lambda: [processes.send(pid, undo) for pid in pids]

    return happen


def expand(training, _node, _random):
    training.add_node()
    return nothing


def shrink(training, node, random):
    training.order(f"remove {node} {random.choice([0.1, 2, 20])}")
    return nothing


def kill_node(training, node, _random):
    found = training.processes(node)
    pids = found["agent"] + found["member"] + found["comm"]
    if not any([processes.send(pid, signal.SIGKILL) for pid in pids]):
        return None
    return nothing


def freeze_node(training, node, _random):
    found = training.processes(node)
    pids = found["agent"] + found["member"] + found["comm"]
    if not any([processes.send(pid, signal.SIGSTOP) for pid in pids]):
        return None
    return lambda: [processes.send(pid, signal.SIGCONT) for pid in pids]


def link(how):
    def happen(training, node, _random):
        getattr(training.network, how)(node)
        return lambda: training.network.restore(node)

    return happen


def slow(training, node, _random):
    training.network.slow(node, "200mbit" if training.shape.big else "4mbit")
    return lambda: training.network.restore(node)


def lose_packets(training, node, random):
    training.network.lose(node, random.choice([1, 3, 10]))
    return lambda: training.network.restore(node)


class HeldUp(Exception):
    """A training waited for its disk."""


def went_on(training, since, until):
    """Steps were recorded meanwhile, as their times say once they can be read."""
    times = [e["t"] for e in training.events("step") if since < e["t"] < until]
    if not times and not training.ended():
        raise HeldUp(f"no step in {until - since:.1f} s in which the disk did not answer")


def disk_trouble(begin, end):
    """For longer than a silence that is borne."""

    def happen(training, _node, _random):
        trouble_s = 2 * FAILURE_TIMEOUT_S + training.shape.slack_s
        if training.left_s() < 2 * trouble_s:
            return None  # its end could not be recorded
        since = time.time()
        getattr(training.disk, begin)()
        time.sleep(trouble_s)
        until = time.time()
        getattr(training.disk, end)()
        time.sleep(1)  # what waited is written
        went_on(training, since, until)
        return nothing

    return happen


def part(training, node, random):
    others = [name for name in training.in_generation() if name != node]
    if not others:
        return None
    other = random.choice(others)
    training.network.part(node, other)
    return lambda: training.network.mend(node, other)


SILENT_S = FAILURE_TIMEOUT_S + BUSY_MACHINE_S
# A plane may not notice by itself; then it is built again and again, until one of
# the members goes.  Of a member in its first steps five times as much is borne.
UNNOTICED_S = 5 * STUCK_TIMEOUT_S + 6 * FAILURE_TIMEOUT_S + BUSY_MACHINE_S
KINDS = [
    Kind("expand", 4, BUSY_MACHINE_S, expand),
    Kind("shrink", 3, BUSY_MACHINE_S, shrink, keeps=1),
    Kind("kill a member", 3, BUSY_MACHINE_S, to_process("member", signal.SIGKILL)),
    Kind("kill an agent", 2, BUSY_MACHINE_S, to_process("agent", signal.SIGKILL), 1),
    Kind("kill a comm process", 2, BUSY_MACHINE_S, to_process("comm", signal.SIGKILL)),
    Kind("kill a node", 2, BUSY_MACHINE_S, kill_node, keeps=1),
    Kind(
        "freeze a member",
        2,
        SILENT_S,
        to_process("member", signal.SIGSTOP, undo=signal.SIGCONT),
    ),
    Kind(
        "freeze an agent",
        1,
        SILENT_S,
        to_process("agent", signal.SIGSTOP, undo=signal.SIGCONT),
        keeps=1,
    ),
    Kind(
        "freeze a comm process",
        2,
        UNNOTICED_S,
        to_process("comm", signal.SIGSTOP, undo=signal.SIGCONT),
    ),
    Kind("freeze a node", 1, SILENT_S, freeze_node, keeps=1),
    Kind(
        "a member loops for ever",
        1,
        5 * STUCK_TIMEOUT_S + BUSY_MACHINE_S,  # it may be in its first steps
        to_process("member", signal.SIGUSR1),
        keeps=1,
    ),
    Kind("drop a link", 2, SILENT_S, link("drop"), keeps=1, needs_network=True),
    Kind("part two nodes", 2, UNNOTICED_S, part, keeps=1, needs_network=True),
    Kind("slow a link", 1, SILENT_S, slow, needs_network=True),
    Kind("a link loses packets", 2, SILENT_S, lose_packets, needs_network=True),
    Kind(
        "the disk stands still",
        1,
        BUSY_MACHINE_S,
        disk_trouble("stand_still", "go_on"),
        needs_disk=True,
    ),
    Kind(
        "the disk is full",
        1,
        BUSY_MACHINE_S,
        disk_trouble("fill", "empty"),
        needs_disk=True,
    ),
]
