# SPDX-License-Identifier: Apache-2.0
"""How is a private Slurm started, asked and ended?"""

import contextlib
import os
import subprocess
import time

CLIENT_S_MAX = 20  # clients wait for minutes when slurmctld is down


class Cluster:
    """A minicluster in `directory`; a context manager."""

    def __init__(self, build, directory, options):
        self._program = os.path.join(build, "src/minicluster/minicluster")
        self.directory = directory
        self._options = options

    def __enter__(self):
        try:
            self._minicluster("start", *self._options)
            self.environment = self._environment()
        except BaseException:
            self._end()
            raise
        return self

    def __exit__(self, *_):
        self._end()

    def _end(self):
        if os.path.isdir(self.path("etc")):
            self._minicluster("stop", check=False)

    def _minicluster(self, what, *options, check=True):
        command = [self._program, what, self.directory, *options]
        done = subprocess.run(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        if done.returncode != 0 and check:
            raise RuntimeError(f"minicluster {what} failed:\n{done.stdout}")

    def _environment(self):
        """What `minicluster env` sets, and nothing of a Slurm around us."""
        kept = {
            key: value
            for key, value in os.environ.items()
            if not key.startswith(("SLURM", "GLEANER", "SBATCH", "SRUN", "SALLOC"))
        }
        script = 'eval "$("$0" env "$1")" && exec env -0'
        command = ["bash", "-c", script, self._program, self.directory]
        done = subprocess.run(
            command, env=kept, check=True, stdout=subprocess.PIPE, text=True
        )
        return dict(line.split("=", 1) for line in done.stdout.split("\0") if line)

    def path(self, *parts):
        return os.path.join(self.directory, *parts)

    def has(self, daemon):
        return os.path.exists(self.path("run", daemon + ".pid"))

    def pid(self, daemon):
        with open(self.path("run", daemon + ".pid")) as file:
            return int(file.read())

    def add_user(self, name):
        self._minicluster("adduser", name)

    def ask(self, *command, user=None):
        """What a client of Slurm prints; raises when it fails."""
        done = subprocess.run(
            command,
            **(user.process if user else {}),
            env=self.environment,
            timeout=CLIENT_S_MAX,
            capture_output=True,
            text=True,
        )
        if done.returncode != 0:
            said = (done.stdout + done.stderr).strip()
            raise RuntimeError(f"{' '.join(command)}: {said}")
        return done.stdout

    def cancel(self, *which):
        """Ends jobs at once: of what ignores SIGTERM scancel alone waits for."""
        with contextlib.suppress(RuntimeError):
            self.ask("scancel", "--quiet", "--full", "--signal=KILL", *which)
        with contextlib.suppress(RuntimeError):
            self.ask("scancel", "--quiet", *which)


def wait_until(seconds, condition):
    """Polls; False when it has not come true by then."""
    end_s = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end_s:
            return False
        time.sleep(0.1)
    return True
