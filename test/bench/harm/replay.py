# SPDX-License-Identifier: Apache-2.0
"""Submits the jobs of a plan at their times.

    replay.py PLAN JOB RECORD T0

Runs as the user whose jobs they are.  PLAN: a JSON list of ReplayedJob, as
objects.  JOB: the program they run.  RECORD: a file to which they and we append
what happened.  T0: the moment the plan's times count from, seconds since 1970.
Ends when all sruns have ended, which is when their jobs have.
"""

import json
import os
import subprocess
import sys
import time

QUIET = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL}
POLL_S = 0.1


def command_of(job, program):
    """How a job is submitted: as its log says, on whole nodes or a part of one."""
    options = [
        f"--job-name={job['name']}",
        f"--nodes={job['nodes']}",
        f"--time={job['limit_min']}",
        "--quiet",
        *job["options"],
    ]
    if job["how"] == "sbatch":
        options += ["--output=/dev/null"]
    return [job["how"], *options, program, job["name"], str(job["run_s"])]


def write(record, event, job):
    line = json.dumps({"event": event, "job": job["name"], "t": time.time()})
    os.write(record, (line + "\n").encode())


def reap(started, record):
    """Forgets clients that have ended; an sbatch that failed is told of."""
    for job, client in [s for s in started if s[1].poll() is not None]:
        started.remove((job, client))
        if job["how"] == "sbatch" and client.returncode != 0:
            write(record, "refused", job)


def main():
    with open(sys.argv[1]) as file:
        plan = json.load(file)
    program, record_path, t0 = sys.argv[2], sys.argv[3], float(sys.argv[4])
    os.environ["HARM_RECORD"] = record_path
    record = os.open(record_path, os.O_WRONLY | os.O_APPEND)
    started = []
    for job in sorted(plan, key=lambda job: job["at_s"]):
        time.sleep(max(0, t0 + job["at_s"] - time.time()))
        write(record, "submit", job)
        client = subprocess.Popen(command_of(job, program), **QUIET)
        started.append((job, client))
        reap(started, record)
    while started:
        reap(started, record)
        time.sleep(POLL_S)


main()
