# SPDX-License-Identifier: Apache-2.0
"""What does it cost to be malleable when nobody comes or goes?

One pair of processes trains the same model with Gleaner and with
DistributedDataParallel, in turns of a few steps; see fixed_program.py.  The
ratio is DistributedDataParallel's time / Gleaner's, of neighbouring turns.
"""

import json
import os
import shutil
import subprocess

TURNS_MIN = 60
MODELS = ["char_lm", "wide"]


def train(setting, model, overlap, turns):
    """The rows that rank 0 wrote."""
    directory = setting.work_dir("fixed")
    result = os.path.join(directory, "result")
    command = [
        setting.built("runtime/coordinator/gleaner-coordinator"),
        "--local=2",
        "--nodes-min=2",
        f"--dir={directory}",
        "--comm=tcp",
        "--checkpoint-interval=0",
        "--failure-timeout=30",
        "--",
        "/usr/bin/python3",
        setting.source("test/bench/runtime/fixed_program.py"),
        f"--model={model}",
        f"--turns={turns}",
        f"--rendezvous={directory}/rendezvous",
        f"--out={result}",
    ]
    environment = setting.environment()
    environment["GLEANER_OVERLAP"] = "1" if overlap else "0"
    try:
        with open(os.path.join(directory, "err"), "w+") as err:
            code = subprocess.run(
                command, env=environment, stdout=err, stderr=err, timeout=600
            ).returncode
            if code != 0:
                err.seek(0)
                raise RuntimeError("".join(err.readlines()[-15:]))
        with open(result) as file:
            return json.load(file)
    finally:
        shutil.rmtree(directory, ignore_errors=True)


def run(setting, rows):
    turns = 3 if setting.quick else max(TURNS_MIN, setting.reps)
    for model in MODELS:
        for overlap in (True, False):
            row = {
                "part": "fixed",
                "system": "gleaner",
                "plane": "tcp",
                "model": model,
                "overlap": overlap,
                "members": 2,
            }
            row.update(train(setting, model, overlap, turns))
            rows.append(row)
            print(f"fixed: {model}, overlap {overlap} done", flush=True)
