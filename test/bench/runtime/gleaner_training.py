# SPDX-License-Identifier: Apache-2.0
"""One training of Gleaner on this machine, its nodes added and taken by hand."""

import json
import os
import shutil
import signal
import subprocess
import time

from process_end import end_process, show_last_lines
from step_log import StepLogs


class GleanerTraining:
    """`program` is what members run; it is given `--log FILE` besides.

    A context manager: its processes and its directory are gone afterwards."""

    name = "gleaner"

    def __init__(
        self,
        setting,
        nodes,
        program,
        plane="tcp",
        failure_timeout_s=5,
        options=(),
        follow=False,
    ):
        self._dir = setting.work_dir("gleaner")
        self._events = None
        self._rest = ""
        self._pids = {}  # of members
        self._nodes = {}  # of members
        self.resizes = []  # "resize" events
        self._told = {}  # all events, by kind
        log = os.path.join(self._dir, "steps")
        command = [
            setting.built("runtime/coordinator/gleaner-coordinator"),
            f"--local={nodes}",
            f"--dir={self._dir}",
            f"--comm={plane}",
            f"--failure-timeout={failure_timeout_s}",
            "--checkpoint-interval=0",
            *options,
            "--",
            *program,
            f"--log={log}",
        ]
        self._err = open(os.path.join(self._dir, "err"), "w")
        environment = setting.environment()
        environment["GLEANER_FOLLOW"] = "on" if follow else "off"
        self._process = subprocess.Popen(
            command, stdout=self._err, stderr=self._err, env=environment
        )
        self.logs = StepLogs(log)

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        show_last_lines(self._err.name, kind)
        end_process(self._process, 10)
        self.logs.close()
        self._err.close()
        if self._events:
            self._events.close()
        self._wait_for_the_last()
        shutil.rmtree(self._dir, ignore_errors=True)

    def _wait_for_the_last(self):
        """Frozen members are ended by their agents too; but not for ever."""
        for pid in self._pids.values():
            end = time.monotonic() + 5
            while _is_running(pid, self._dir):
                if time.monotonic() > end:
                    os.kill(pid, signal.SIGKILL)
                time.sleep(0.02)

    def alive(self):
        return self._process.poll() is None

    def wait(self, condition, limit_s=60):
        return self.logs.wait(condition, limit_s, self.alive)

    def wait_for_size(self, size, steps, after_s=0.0, limit_s=60):
        return self.wait(lambda: self.logs.in_size(size, after_s, steps), limit_s)

    def add_nodes(self, count):
        self._control("add\n" * count)

    def remove_nodes(self, nodes):
        self._control("".join(f"remove {node} 30\n" for node in nodes))

    def _control(self, text):
        with open(os.path.join(self._dir, "control"), "w") as control:
            control.write(text)

    def node_of(self, member):
        self._read_events()
        return self._nodes[member]

    def pid_of(self, member):
        self._read_events()
        return self._pids[member]

    def agent_of(self, member):
        with open(f"/proc/{self.pid_of(member)}/stat") as stat:
            return int(stat.read().rsplit(")", 1)[1].split()[1])

    def events(self, kind):
        self._read_events()
        return self._told.get(kind, [])

    def _read_events(self):
        if self._events is None:
            self._events = open(os.path.join(self._dir, "events.jsonl"))
        *lines, self._rest = (self._rest + self._events.read()).split("\n")
        for event in map(json.loads, lines):
            self._told.setdefault(event["event"], []).append(event)
            if event["event"] == "member_started":
                self._pids[str(event["member"])] = event["pid"]
                self._nodes[str(event["member"])] = event["node"]
            elif event["event"] == "resize":
                self.resizes.append(event)


def _is_running(pid, directory):
    try:
        with open(f"/proc/{pid}/cmdline") as line:
            return directory in line.read()
    except OSError:
        return False
