# SPDX-License-Identifier: Apache-2.0
"""The same training under torchrun: each node is an agent of its own.

Settings that make it fast: workers are looked at every 0.1 s, and a rendezvous
waits 1 s for late comers.
"""

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time

from step_log import StepLogs


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class TorchrunTraining:
    """A context manager: its processes and directories are gone afterwards."""

    def __init__(self, setting, nodes, nodes_max, worker_options, timeout_s=60):
        self._setting = setting
        self._dir = setting.work_dir("torchrun")
        self._memory = tempfile.mkdtemp(prefix="gleaner-bench-", dir="/dev/shm")
        self._log = os.path.join(self._dir, "steps")
        self._port = free_port()
        self._nodes_max = nodes_max
        self._worker = [
            setting.source("test/bench/runtime/torchrun_worker.py"),
            f"--log={self._log}",
            f"--checkpoint={self._memory}/checkpoint",
            f"--timeout={timeout_s}",
            *worker_options,
        ]
        self.agents = []
        self.logs = StepLogs(self._log)
        self.add_node()
        if nodes > 1:
            time.sleep(0.5)  # the first one serves the rendezvous
        for _ in range(nodes - 1):
            self.add_node()

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if kind is not None and kind is not KeyboardInterrupt:
            for i in range(len(self.agents)):
                with open(self._output(i)) as output:
                    print("".join(output.readlines()[-4:]), flush=True)
        # Agents first, or they start workers again.
        workers = [w for a in self.agents for w in self.workers_of(a)]
        for agent in self.agents:
            agent.kill()
            agent.wait()
        for worker in workers:
            try:
                os.kill(worker, signal.SIGKILL)
            except ProcessLookupError:
                pass
        self.logs.close()
        shutil.rmtree(self._dir, ignore_errors=True)
        shutil.rmtree(self._memory, ignore_errors=True)

    def _output(self, i):
        return os.path.join(self._dir, f"agent{i}")

    def add_node(self):
        """When it was started."""
        command = [
            "/usr/bin/python3",
            self._setting.source("test/bench/runtime/torchrun_entry.py"),
            f"--nnodes=1:{self._nodes_max}",
            "--nproc_per_node=1",
            "--max_restarts=1000",
            "--rdzv_backend=c10d",
            f"--rdzv_endpoint=127.0.0.1:{self._port}",
            "--rdzv_id=1",
            "--rdzv_conf=last_call_timeout=1",
            "--monitor_interval=0.1",
            *self._worker,
        ]
        began = time.monotonic()
        with open(self._output(len(self.agents)), "w") as output:
            self.agents.append(
                subprocess.Popen(
                    command,
                    stdout=output,
                    stderr=output,
                    env=self._setting.environment(),
                )
            )
        return began

    def workers_of(self, agent):
        try:
            with open(f"/proc/{agent.pid}/task/{agent.pid}/children") as children:
                return [int(pid) for pid in children.read().split()]
        except OSError:
            return []

    def lose_node(self, i):
        """Agent and worker at once; when."""
        agent = self.agents.pop(i)
        workers = self.workers_of(agent)
        now = time.monotonic()
        agent.kill()
        for worker in workers:
            os.kill(worker, signal.SIGKILL)
        agent.wait()
        return now

    def restarted(self, size, after_s, steps=3):
        """All workers were started again since then, and are `size` that train:
        {worker: its steps}; None until then."""
        fresh = {
            name: log
            for name, log in self.logs.members.items()
            if log and log[0].end > after_s and log[-1].world == size
        }
        newest = max((log[-1].end for log in fresh.values()), default=0)
        fresh = {n: l for n, l in fresh.items() if l[-1].end > newest - 1}
        if len(fresh) < size or min(map(len, fresh.values())) < steps:
            return None
        return fresh

    def wait_restarted(self, size, after_s, limit_s=120):
        return self.logs.wait(
            lambda: self.restarted(size, after_s), limit_s, self.alive
        )

    def alive(self):
        return any(agent.poll() is None for agent in self.agents)
