# SPDX-License-Identifier: Apache-2.0
"""How fast are gradients summed, beside the raw library's own call?

The ratio is the library's time / ours, of neighbouring measurements: above 1 the
data plane is faster.
"""

import json
import shutil
import subprocess

PAIRS_MIN = 50
SIZES = [1 << k for k in (10, 14, 17, 20, 22, 24, 26, 28)]  # 1 KiB to 256 MiB
SIZES_QUICK = [1 << 10, 1 << 20]


def run(setting, rows):
    pairs = 3 if setting.quick else max(PAIRS_MIN, setting.reps)
    sizes = SIZES_QUICK if setting.quick else SIZES
    for members in (2, 4):
        directory = setting.work_dir("allreduce")
        command = [
            setting.built("test/bench/runtime/allreduce_bench"),
            str(members),
            str(pairs),
            directory,
            *map(str, sizes),
        ]
        try:
            done = subprocess.run(
                command,
                env=setting.environment(),
                stdout=subprocess.PIPE,
                text=True,
                timeout=600,
                check=True,
            )
        finally:
            shutil.rmtree(directory, ignore_errors=True)
        for line in done.stdout.splitlines():
            rows.append(
                {
                    "part": "allreduce",
                    "system": "gleaner",
                    "plane": "gloo",
                    **json.loads(line),
                }
            )
        print(f"allreduce: gloo, {members} members done", flush=True)
