# SPDX-License-Identifier: Apache-2.0
"""Which process submits a plan's jobs, and who ends it and them?"""

import json
import os
import shutil
import signal
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
END_S_MAX = 15


class Submitter:
    """The process that submits; a context manager that ends all it submitted."""

    def __init__(self, cluster, user, record_dir, plan, t0):
        self._cluster = cluster
        files = {name: os.path.join(record_dir, name) for name in ("plan.json", "job")}
        self._record = os.path.join(record_dir, "record.jsonl")
        with open(files["plan.json"], "w") as file:
            json.dump(plan, file)
        shutil.copy(os.path.join(HERE, "job"), files["job"])
        open(self._record, "w").close()
        os.chown(self._record, user.uid, user.gid)
        program = [sys.executable, os.path.join(record_dir, "replay.py")]
        shutil.copy(os.path.join(HERE, "replay.py"), program[1])
        with open(os.path.join(record_dir, "clients.log"), "w") as clients:
            self._process = subprocess.Popen(
                [*program, files["plan.json"], files["job"], self._record, str(t0)],
                **user.process,
                env=cluster.environment,
                cwd=record_dir,
                start_new_session=True,
                stderr=clients,
            )

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._cluster.cancel("--partition=main")
        try:
            self._process.wait(END_S_MAX)
        except subprocess.TimeoutExpired:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()

    def started(self):
        with open(self._record) as file:
            return sum('"event":"start"' in line for line in file)
