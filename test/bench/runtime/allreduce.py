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
LIMIT_S = 600


def measure(setting, members, pairs, sizes):
    """Lines of JSON, of one process for each member."""
    directory = setting.work_dir("allreduce")
    program = setting.built("test/bench/runtime/allreduce_bench")
    processes = []
    try:
        for rank in range(members):
            numbers = [rank, members, pairs, directory, *sizes]
            processes.append(
                subprocess.Popen(
                    [program, *map(str, numbers)],
                    env=setting.environment(),
                    stdout=subprocess.PIPE,
                    text=True,
                )
            )
        output, _ = processes[0].communicate(timeout=LIMIT_S)
        if processes[0].returncode != 0:
            raise RuntimeError("allreduce_bench failed")
        return output.splitlines()
    finally:
        for process in processes:
            process.kill()
            process.wait()
        shutil.rmtree(directory, ignore_errors=True)


def run(setting, rows):
    pairs = 3 if setting.quick else max(PAIRS_MIN, setting.reps)
    sizes = SIZES_QUICK if setting.quick else SIZES
    for members in (2, 4):
        for line in measure(setting, members, pairs, sizes):
            found = {"part": "allreduce", "system": "gleaner", "plane": "gloo"}
            rows.append({**found, **json.loads(line)})
        print(f"allreduce: gloo, {members} members done", flush=True)
