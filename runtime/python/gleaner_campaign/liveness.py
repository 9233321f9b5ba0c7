# SPDX-License-Identifier: Apache-2.0
"""What do the kernel and Slurm say of the holders of trials?"""

from __future__ import annotations

import os
import subprocess
from typing import Iterable, Optional

from gleaner_campaign.holder import Holder, JobSeen, Life, boot, decide, start_of

ASK_S = 10.0  # slurmctld may be down or busy; the next look asks again


def lives(holders: Iterable[Optional[Holder]]) -> dict[str, Life]:
    """Of each holder, by its token.  Takes ASK_S at most."""
    known = [holder for holder in holders if holder is not None]
    here = boot()
    elsewhere = {h.job for h in known if h.boot != here and h.job}
    jobs = ask_slurm(sorted(elsewhere)) if elsewhere else {}
    cluster = os.environ.get("SLURM_CLUSTER_NAME", "")
    found = {}
    for holder in known:
        seen = jobs.get(holder.job, JobSeen("")) if jobs is not None else None
        found[holder.token] = decide(
            holder, here, _runs_here(holder, here), seen, cluster
        )
    return found


def _runs_here(holder: Holder, here: str) -> Optional[bool]:
    if holder.boot != here:
        return None
    return start_of(holder.pid) == holder.started


def ask_slurm(jobs: list[str]) -> Optional[dict[str, JobSeen]]:
    """What squeue says of these jobs; None when it does not answer.

    squeue lists nothing, or refuses, for what slurmctld has forgotten: those jobs
    ended more than MinJobAge ago."""
    command = ["squeue", "--noheader", "--all", "--states=all", "--jobs=" + ",".join(jobs)]
    command += ["--Format=JobID:32,State:32,RestartCnt:16"]
    try:
        answer = subprocess.run(
            command, capture_output=True, text=True, timeout=ASK_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    if answer.returncode != 0 and "Invalid job id" not in answer.stderr:
        return None
    return read_squeue(answer.stdout)


def read_squeue(text: str) -> Optional[dict[str, JobSeen]]:
    """JOBID STATE RESTARTS a line; None where it is not that."""
    found = {}
    for line in text.splitlines():
        words = line.split()
        if not words:
            continue
        if len(words) != 3 or not words[2].isdigit():
            return None
        found[words[0]] = JobSeen(words[1], int(words[2]))
    return found
