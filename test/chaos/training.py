# SPDX-License-Identifier: Apache-2.0
"""One training on this machine, each of its nodes in a network of its own."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import processes
from disk import Disk

PYTHON_TRAINER = Path(__file__).resolve().parent / "python_trainer.py"
SOURCE = PYTHON_TRAINER.parent.parent.parent
FAILURE_TIMEOUT_S = 2
STUCK_TIMEOUT_S = 3
SAMPLES, BATCH, STEP_MS = 960, 16, 15

AGENT = """#!/bin/sh
# An agent runs in the network of its node.
exec {inside} "{agent}" "$@"
"""


def names_in(text):
    """["l1", "l8", "l9", "l10"] of "l[1,8-9],l10"."""
    names = []
    for head, ranges in re.findall(r"([^,\[\]]+)(?:\[([^\]]*)\])?", text):
        for item in ranges.split(",") if ranges else [""]:
            first, _, last = item.partition("-")
            if not item:
                names.append(head)
            else:
                numbers = range(int(first), int(last or first) + 1)
                names += [f"{head}{number}" for number in numbers]
    return names


@dataclass
class Shape:
    """How large a training is."""

    nodes: int = 3
    nodes_max: int = 4
    members_per_node: int = 1
    params: int = 20000  #: 4 bytes of gradient each; 3,000,000 are two buckets
    program: str = "c"  #: or python

    @property
    def big(self):
        return self.params > 1_000_000

    @property
    def slack_s(self):
        """Its steps, its joins and its losses take longer, by so much at most."""
        slow = 20 if self.program == "python" else 0
        return slow + (20 if self.big else 0) + self.members_per_node

    @property
    def start_s(self):
        """Until all its programs run: to load PyTorch takes seconds of a processor."""
        members = self.nodes * self.members_per_node
        return self.slack_s + (10 * members if self.program == "python" else 0)

    @property
    def steps_per_s(self):
        """Roughly, so that a training takes as long as it is to."""
        if self.program == "python":
            return 2 if self.big else 5
        return 1000 / STEP_MS / (30 if self.big else 4)

    @staticmethod
    def of_python(random):
        """Eight members or more, when none is missing."""
        members_per_node = random.choice([1, 2])
        return Shape(
            nodes=8 // members_per_node,
            nodes_max=10 // members_per_node,
            members_per_node=members_per_node,
            params=3_000_000 if random.random() < 0.4 else 20_000,
            program="python",
        )

    @staticmethod
    def random(random, comm):
        # Open MPI has two processes more for each member.
        members_max = random.choice([4, 8, 16, 32] if comm == "tcp" else [4, 8])
        members_per_node = random.choice([1, 1, 2, 4])
        big = random.random() < 0.4
        if big:
            members_max = min(members_max, 8)
        nodes_max = max(2, min(8, members_max // members_per_node))
        return Shape(
            nodes=max(2, nodes_max - 1),
            nodes_max=nodes_max,
            members_per_node=members_per_node,
            params=3_000_000 if big else 20_000,
        )


class Training:
    """gleaner-coordinator and what it starts, in a folder of its own."""

    def __init__(
        self, build, folder, comm, on_loss, shape, passes, network, with_disk=False
    ):
        nodes = shape.nodes
        self.dir, self.network, self.shape = Path(folder), network, shape
        self.mark, self.on_loss = processes.new_mark(), on_loss
        self.added = 0
        self._events, self._read = [], 0
        for name in ("run", "tmp", "libexec"):
            (self.dir / name).mkdir(parents=True)
        self.disk = Disk(self.dir / "run") if with_disk else None
        agent = self.dir / "libexec" / "gleaner-agent"
        inside = f'ip netns exec "{network.namespace("$GLEANER_NODE")}"' if network else ""
        real = build / "runtime" / "agent" / "gleaner-agent"
        agent.write_text(AGENT.format(inside=inside, agent=real))
        agent.chmod(0o755)
        for _ in range(nodes):
            self._make_node()
        self.samples = SAMPLES * passes
        environment = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("GLEANER_", "SLURM_", "OMPI_", "PMIX_"))
        }
        environment.update(
            {
                processes.MARK: self.mark,
                "GLEANER_LIBEXEC": str(agent.parent),
                "TMPDIR": str(self.dir / "tmp"),
                "OMPI_ALLOW_RUN_AS_ROOT": "1",
                "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
            }
        )
        program, load_s = [build / "test" / "runtime" / "trainer"], 20
        if shape.program == "python":
            program, load_s = [sys.executable, PYTHON_TRAINER], 2 * shape.start_s
            environment.update(
                OMP_NUM_THREADS="1",
                PYTHONPATH=str(SOURCE / "runtime" / "python"),
                PYTHONDONTWRITEBYTECODE="1",
                GLEANER_LIBRARY=str(build / "runtime" / ".libs" / "libgleaner.so.0"),
            )
        command = [
            build / "runtime" / "coordinator" / "gleaner-coordinator",
            *("--dir", self.dir / "run", "--comm", comm, f"--local={nodes}"),
            f"--members-per-node={shape.members_per_node}",
            f"--on-loss={on_loss}",
            *(f"--failure-timeout={FAILURE_TIMEOUT_S}", "--checkpoint-interval=1"),
            *(f"--stuck-timeout={STUCK_TIMEOUT_S}", f"--load-timeout={load_s:.0f}"),
            *((f"--address={network.address}",) if network else ()),
            *("--", *program),
            *("--samples", SAMPLES, "--batch", BATCH, "--passes", passes),
            *("--step-ms", STEP_MS, "--params", shape.params),
        ]
        self._out = (self.dir / "out").open("wb")
        self._err = (self.dir / "err").open("wb")
        self.process = subprocess.Popen(
            list(map(str, command)),
            stdout=self._out,
            stderr=self._err,
            env=environment,
            cwd=self.dir,
        )

    # What it says.

    def events(self, kind=None):
        """All whole lines of events.jsonl so far."""
        try:
            with (self.dir / "run" / "events.jsonl").open("rb") as file:
                file.seek(self._read)
                text = file.read()
        except FileNotFoundError:
            text = b""
        whole = text[: text.rfind(b"\n") + 1]
        self._read += len(whole)
        self._events += [json.loads(line) for line in whole.splitlines()]
        return [e for e in self._events if kind is None or e["event"] == kind]

    def steps(self):
        """How many steps were ever recorded, those that were undone included."""
        return len(self.events("step"))

    def left_s(self):
        """How long it will train at least."""
        steps = self.events("step")
        seen = steps[-1]["samples_seen"] if steps else 0
        return (self.samples - seen) / BATCH * STEP_MS / 1000

    def in_generation(self):
        """Names of the nodes that train now."""
        generations = self.events("generation")
        if not generations or generations[-1]["to"] == 0:
            return []
        return names_in(generations[-1]["nodes"])

    def held(self):
        """Names of the nodes that it has, training or not."""
        nodes = {}
        for event in self.events():
            if event["event"] == "node_joined":
                nodes[event["node"]] = True
            elif event["event"] == "node_left":
                nodes.pop(event["node"], None)
        return list(nodes)

    def ended(self):
        return self.process.poll() is not None

    # Its processes, by node.

    def processes(self, node):
        """{"agent": [pid], "member": [pid], "comm": [pid, ...]}"""
        found = {"agent": [], "member": [], "comm": []}
        for pid, environment in processes.marked(self.mark).items():
            if environment.get("GLEANER_NODE") != node:
                continue
            command = processes.command_of(pid)
            if command == "gleaner-agent":
                found["agent"].append(pid)
            elif command == "trainer" or self._is_python_member(pid, command):
                found["member"].append(pid)
            elif command.startswith("gleaner-comm"):
                found["comm"].append(pid)
        return found

    def _is_python_member(self, pid, command):
        """And no loader's worker, which is a member's child."""
        if self.shape.program != "python" or not command.startswith("python"):
            return False
        return processes.command_of(processes.parent_of(pid)) == "gleaner-agent"

    # What is done to it.

    def _make_node(self):
        self.added += 1
        if self.network:
            self.network.add(f"l{self.added}")

    def order(self, line):
        try:
            with os.fdopen(
                os.open(self.dir / "run" / "control", os.O_WRONLY | os.O_NONBLOCK), "w"
            ) as pipe:
                pipe.write(line + "\n")
        except OSError:
            if not self.ended():
                time.sleep(0.1)
                if not self.ended():
                    raise

    def add_node(self):
        self._make_node()
        self.order("add")

    def kill(self):
        """All of it, after a failure."""
        if self.disk:
            self.disk.go_on()  # or what writes to it cannot be ended
            shutil.copytree(self.dir / "run", self.dir / "kept", dirs_exist_ok=True)
        for pid in processes.marked(self.mark):
            processes.send(pid, signal.SIGKILL)
        self.process.wait()

    def close(self):
        self._out.close()
        self._err.close()
        if self.disk:
            self.disk.close()
