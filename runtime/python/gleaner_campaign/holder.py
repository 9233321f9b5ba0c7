# SPDX-License-Identifier: Apache-2.0
"""Does the process that holds a trial still live?

Slurm knows: a trial whose job is gone is free.  On one host the kernel knows it
better and sooner.  `decide` is the rule, without I/O; what it is given is in
liveness.py.
"""

from __future__ import annotations

import enum
import os
import secrets
import socket
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Optional

ATTRIBUTE = "gleaner:holder"


@dataclass(frozen=True)
class Holder:
    """A process, in the words of Slurm and of its host."""

    token: str  # no two holders have the same
    host: str
    boot: str  # the kernel that runs there, and the process namespace
    pid: int
    started: str  # the process's start, in the kernel's ticks
    cluster: str = ""
    job: str = ""
    step: str = ""
    restarts: int = 0

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @staticmethod
    def of_json(value: Any) -> Optional["Holder"]:
        """None for what is no holder."""
        try:
            return Holder(**value)
        except TypeError:
            return None


class Life(enum.Enum):
    alive = "alive"
    gone = "gone"
    unknown = "unknown"  # counts as alive


@dataclass(frozen=True)
class JobSeen:
    """What Slurm says of a job."""

    state: str  # RUNNING, …; "" where Slurm does not know the job
    restarts: int = 0


OVER = {
    "",
    "BOOT_FAIL",
    "CANCELLED",
    "COMPLETED",
    "DEADLINE",
    "FAILED",
    "NODE_FAIL",
    "OUT_OF_MEMORY",
    "PENDING",  # requeued: the run that held the trial is over
    "PREEMPTED",
    "REVOKED",
    "SPECIAL_EXIT",
    "TIMEOUT",
}


def decide(
    holder: Optional[Holder],
    here: str,
    runs_here: Optional[bool],
    job: Optional[JobSeen],
    cluster: str,
) -> Life:
    """`here`: this host's boot; `runs_here`: whether its kernel has the process;
    `job`: None where Slurm did not answer; `cluster`: whose Slurm was asked."""
    if holder is None:
        return Life.gone
    if holder.boot == here and runs_here is not None:
        return Life.alive if runs_here else Life.gone
    if not holder.job or job is None:
        return Life.unknown
    if holder.cluster and cluster and holder.cluster != cluster:
        return Life.unknown
    if job.state in OVER or job.restarts > holder.restarts:
        return Life.gone
    return Life.alive


def boot() -> str:
    """Names this host's kernel, since it was started, and its process numbers."""
    try:
        kernel = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        return f"{kernel} {os.readlink('/proc/self/ns/pid')}"
    except OSError:
        return socket.gethostname()


def start_of(pid: int) -> Optional[str]:
    """When the process was started; None where there is none, or a zombie."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return None if fields[0] in "ZX" else fields[19]


def process(pid: int) -> Holder:
    """The holder that this process is, or the one that called us."""
    environment = os.environ.get
    return Holder(
        token=secrets.token_hex(8),
        host=socket.gethostname(),
        boot=boot(),
        pid=pid,
        started=start_of(pid) or "",
        cluster=environment("SLURM_CLUSTER_NAME", ""),
        job=environment("SLURM_JOB_ID", ""),
        step=environment("SLURM_STEP_ID", "batch"),
        restarts=int(environment("SLURM_RESTART_COUNT", "0") or 0),
    )
