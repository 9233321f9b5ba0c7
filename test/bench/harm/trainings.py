# SPDX-License-Identifier: Apache-2.0
"""Which trainings wait for every idle node?  Some that compute nothing.

Their steps sleep: all their members share the processors of one machine with
the daemons that are measured.
"""

import json
import os

from cluster import wait_until
from node_names import node_names

STEP_MS = 100
MEMBERS_MAX = 8  # of a training: each member of a generation meets each other one
TRAIN_S_MAX = 60


def script(program, record_dir):
    """Members give way to the daemons, as on nodes of their own they would."""
    return f"""#!/bin/bash
run={record_dir}/training-$SLURM_JOB_ID
mkdir -p "$run"
cd {record_dir}
exec gleaner run --members-per-node=1 --dir "$run" -- nice -n 5 {program} \\
  --log "$run/steps" --step-ms {STEP_MS} --gradient-kib 1 --state-kib 1
"""


def submit(cluster, user, program, record_dir, members, options):
    """Enough trainings for so many; returns their jobs."""
    path = os.path.join(record_dir, "train.sh")
    with open(path, "w") as file:
        file.write(script(program, record_dir))
    os.chmod(path, 0o755)
    most = min(MEMBERS_MAX, members)
    command = [
        "sbatch",
        "--parsable",
        f"--malleable=1-{most}",
        f"--output={record_dir}/training-%j.log",
        *options,
        path,
    ]
    count = -(-members // most) + 1  # one more, so that someone is always hungry
    return [cluster.ask(*command, user=user).strip() for _ in range(count)]


def events(record_dir, job):
    """What its coordinator has written so far, without steps."""
    path = os.path.join(record_dir, f"training-{job}", "events.jsonl")
    if not os.path.exists(path):
        return []
    with open(path) as file:
        lines = [line for line in file if line.endswith("\n")]
    told = [json.loads(line) for line in lines if '"event":"step"' not in line]
    return told


def members_now(record_dir, jobs):
    count = 0
    for job in jobs:
        sets = [e for e in events(record_dir, job) if e["event"] == "generation"]
        count += len(node_names(sets[-1]["nodes"])) if sets else 0
    return count


def wait_until_all_train(record_dir, jobs, members):
    if not wait_until(TRAIN_S_MAX, lambda: members_now(record_dir, jobs) >= members):
        raise RuntimeError(
            f"after {TRAIN_S_MAX} s {members_now(record_dir, jobs)} of {members}"
            " members train [see the logs in OUT/logs]"
        )
