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
END_S = 5


PROGRAMS = {
    "gloo": "test/bench/runtime/allreduce_bench",
    "mpi": "test/bench/runtime/allreduce_bench_mpi",
}
# The library's own call uses what the plane's processes use.
MPIRUN = (
    "mpirun --oversubscribe --bind-to none --mca pml ob1 --mca btl tcp,self "
    "--mca btl_tcp_if_include lo --mca mpi_yield_when_idle 1"
).split()


def commands(setting, plane, members, words):
    """Those of the processes to start; the first one prints."""
    program = setting.built(PROGRAMS[plane])
    if plane == "gloo":
        return [[program, str(r), str(members), *words] for r in range(members)]
    line = f'exec "{program}" $OMPI_COMM_WORLD_RANK {members} {" ".join(words)}'
    return [[*MPIRUN, "-n", str(members), "sh", "-c", line]]


def measure(setting, plane, members, pairs, sizes):
    """Lines of JSON."""
    directory = setting.work_dir("allreduce")
    words = [str(word) for word in (pairs, directory, *sizes)]
    environment = setting.environment()
    environment.update(
        OMPI_ALLOW_RUN_AS_ROOT="1",
        OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
        top_builddir=setting.build,
    )
    processes = []
    try:
        for command in commands(setting, plane, members, words):
            processes.append(
                subprocess.Popen(
                    command, env=environment, stdout=subprocess.PIPE, text=True
                )
            )
        output, _ = processes[0].communicate(timeout=LIMIT_S)
        if processes[0].returncode != 0:
            raise RuntimeError(f"allreduce_bench of {plane} failed")
        return output.splitlines()
    finally:
        for process in processes:
            process.terminate()  # mpirun ends what it has started
            try:
                process.wait(timeout=END_S)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        shutil.rmtree(directory, ignore_errors=True)


def run(setting, rows):
    pairs = 3 if setting.quick else max(PAIRS_MIN, setting.reps)
    sizes = SIZES_QUICK if setting.quick else SIZES
    planes = [plane for plane, program in PROGRAMS.items() if setting.has(program)]
    for plane in planes:
        for members in (2, 4):
            for line in measure(setting, plane, members, pairs, sizes):
                found = {"part": "allreduce", "system": "gleaner", "plane": plane}
                rows.append({**found, **json.loads(line)})
            print(f"allreduce: {plane}, {members} members done", flush=True)
