# SPDX-License-Identifier: Apache-2.0
"""How fast are gradients summed, beside raw libraries' own calls?

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
# What members of one node and members of several can use: as the plane does.
BTL = {"one": "self,vader", "each": "self,tcp --mca btl_tcp_if_include lo"}
MPIRUN = (
    "mpirun --oversubscribe --bind-to none --mca pml ob1 "
    "--mca mpi_yield_when_idle 1 --mca btl"
)

# Plane, what it is measured beside, and where its members are.
PAIRS = [
    ("tcp", "gloo", "one"),
    ("tcp", "mpi", "one"),
    ("tcp", "gloo", "each"),
    ("tcp", "mpi", "each"),
    ("mpi", "mpi", "each"),
]


def commands(setting, library, nodes, members, words):
    """Those of the processes to start; the first one prints."""
    program = setting.built(PROGRAMS[library])
    if library == "gloo":
        return [[program, str(r), str(members), *words] for r in range(members)]
    line = f'exec "{program}" $OMPI_COMM_WORLD_RANK {members} {" ".join(words)}'
    mpirun = [*MPIRUN.split(), *BTL[nodes].split()]
    return [[*mpirun, "-n", str(members), "sh", "-c", line]]


def measure(setting, pair, members, pairs, sizes):
    """Lines of JSON."""
    plane, library, nodes = pair
    directory = setting.work_dir("allreduce")
    kind = f"{plane}:{members if nodes == 'one' else 1}"
    words = [str(word) for word in (pairs, directory, kind, *sizes)]
    environment = setting.environment()
    environment.update(
        OMPI_ALLOW_RUN_AS_ROOT="1",
        OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
        top_builddir=setting.build,
    )
    processes = []
    try:
        for command in commands(setting, library, nodes, members, words):
            processes.append(
                subprocess.Popen(
                    command, env=environment, stdout=subprocess.PIPE, text=True
                )
            )
        output, _ = processes[0].communicate(timeout=LIMIT_S)
        if processes[0].returncode != 0:
            raise RuntimeError(f"allreduce_bench of {plane} beside {library} failed")
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
    members_of = {"tcp": (2, 4, 8)}
    for pair in PAIRS:
        plane, library, nodes = pair
        if not setting.has(PROGRAMS[library]):
            continue
        for members in (2, 4) if setting.quick else members_of.get(plane, (2, 4)):
            for line in measure(setting, pair, members, pairs, sizes):
                found = {"part": "allreduce", "system": "gleaner", "plane": plane}
                found.update(library=library, nodes=nodes)
                rows.append({**found, **json.loads(line)})
            print(
                f"allreduce: {plane} beside {library}, {members} members, "
                f"{'one node' if nodes == 'one' else 'a node each'}: done",
                flush=True,
            )
