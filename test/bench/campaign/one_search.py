# SPDX-License-Identifier: Apache-2.0
"""One search in the holes of one replay: what is started, and what came of it?"""

import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time

from cluster import Cluster, wait_until
from submitter import Submitter
from user import OrdinaryUser

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.join(HERE, "..", "..", "..")
PYTHON = os.environ.get("PYTHON") or "/usr/bin/python3"
sys.path.insert(0, os.path.join(SOURCE, "runtime", "python"))
SAMPLE_S = 0.5
SLURM = "SchedulerParameters=bf_interval=1,bf_continue,bf_window=1440,bf_resolution=1"
# The times of the log are compressed, and with them what Gleaner waits for.
RUN = "--members-per-node=1 --checkpoint-interval=1 --failure-timeout=2.5"
GLEANER = [
    "arrival_hold_s=2",
    "hole_s_min=2",
    "leases_per_hour_max=36000",
    "start_cost_s=0.3",
    "expand_cost_s=0.2",
    "shrink_cost_s=0.1",
]
ARMS = {
    "weights": "Gleaner, weights by rung",
    "equal": "Gleaner, no weights",
    "peer": "Optuna, array of one-node jobs",
}
SPEC = """\
objective: loss
per: pass
space:
  lr: {{low: 1e-4, high: 1e-1, log: true}}
  width: {{type: int, low: 16, high: 512, step: 16}}
  decay: {{low: 1e-6, high: 1e-1, log: true}}
  dropout: {{low: 0, high: 0.6}}
sampler: {{name: tpe, startup_trials: 6}}
pruner: {{name: asha, reduction: 3}}
budget: {{trials: {trials}}}
seed: {seed}
"""


def options_of(arm, nodes):
    options = ["--node-kind", f"node:{nodes},cpus=4", "--slurm", SLURM]
    if arm == "peer":
        lines = [
            "PreemptType=preempt/partition_prio",
            "PreemptMode=CANCEL",
            "MaxArraySize=2001",
            f"PartitionName=lease Nodes=n[1-{nodes}] PriorityTier=1 PreemptMode=CANCEL",
        ]
        return [
            *options,
            "--without-gleaner",
            *(word for line in lines for word in ("--slurm", line)),
        ]
    return options + [word for pair in GLEANER for word in ("--set", pair)]


class Uses:
    """Nodes with rigid jobs and nodes lent, looked at twice a second, until then."""

    def __init__(self, cluster):
        self._cluster = cluster
        self._over = threading.Event()
        self.samples = []  # (t, rigid, lent)
        self._thread = threading.Thread(target=self._run)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._over.set()
        self._thread.join()

    def _run(self):
        command = ["squeue", "-h", "-a", "-t", "RUNNING,COMPLETING", "-o", "%P %D"]
        while not self._over.wait(SAMPLE_S):
            with contextlib.suppress(RuntimeError, subprocess.TimeoutExpired):
                count = {"main": 0, "lease": 0}
                for line in self._cluster.ask(*command).splitlines():
                    partition, nodes = line.split()
                    count[partition] = count.get(partition, 0) + int(nodes)
                self.samples.append((time.time(), count["main"], count["lease"]))


def script_of(arm, folder, work, program, pass_s):
    """What a worker's job runs."""
    if arm == "peer":
        words = [PYTHON, os.path.join(work, "peer.py"), folder, program, str(pass_s)]
        return f"export PYTHONPATH={work}/python\nexec {' '.join(words)}"
    options = "" if arm == "weights" else " --no-weights"
    return (
        f"exec gleaner campaign run {folder}{options} "
        f"'--run-options={RUN}' -- "
        f"{program} --lr={{lr}} --width={{width}} --decay={{decay}} "
        f"--dropout={{dropout}} --pass-s={pass_s} --dir={{dir}}"
    )


def submit(cluster, user, arm, scale, folder, work, program):
    path = os.path.join(work, "worker.sh")
    with open(path, "w") as file:
        file.write(f"#!/bin/bash\n{script_of(arm, folder, work, program, scale.pass_s)}\n")
    os.chmod(path, 0o755)
    if arm == "peer":  # one that is killed has a successor: as many as there may be
        kind = ["--partition=lease", "--exclusive", "--nodes=1", "--array=1-2000"]
        kind += ["--time=60"]
    else:
        kind = [f"--malleable=1-{scale.most_nodes}", f"--array=1-{scale.workers}"]
    output = f"--output={work}/worker-%A-%a.log"
    command = ["sbatch", "--parsable", *kind, output, path]
    return cluster.ask(*command, user=user).strip()


def prepare(setting, work, spec, user):
    """All that a search needs, where its user may read it."""
    shutil.copytree(
        os.path.join(SOURCE, "runtime/python/gleaner_campaign"),
        os.path.join(work, "python/gleaner_campaign"),
        ignore=shutil.ignore_patterns("__pycache__"),
    )
    shutil.copy(os.path.join(HERE, "peer.py"), work)
    shutil.copy(setting.program, os.path.join(work, "program"))
    with open(os.path.join(work, "space.yaml"), "w") as file:
        file.write(spec)
    folder = os.path.join(work, "search")
    create = [PYTHON, os.path.join(setting.build, "runtime/python/gleaner-campaign")]
    create += ["create", folder, "--spec", os.path.join(work, "space.yaml")]
    subprocess.run(create, check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["chown", "-R", f"{user.uid}:{user.gid}", work], check=True)
    return folder


def trials_of(folder):
    from gleaner_campaign.campaign import Campaign

    return [
        {
            "number": trial.number,
            "state": trial.state.name.lower(),
            "value": trial.values[0] if trial.values else None,
            "params": trial.params,
            "begun_t": trial.datetime_start.timestamp(),
            "ended_t": trial.datetime_complete and trial.datetime_complete.timestamp(),
            "course": {str(k): v for k, v in trial.intermediate_values.items()},
        }
        for trial in Campaign(folder).trials()
    ]


def ended(folder):
    return sum(trial["ended_t"] is not None for trial in trials_of(folder))


def keep(work, cluster, to):
    shutil.rmtree(to, ignore_errors=True)
    os.makedirs(to)
    for name in ("gleanerd", "slurmctld"):
        with contextlib.suppress(OSError):
            shutil.copy(cluster.path("log", name + ".log"), to)
    shutil.copytree(os.path.join(work, "search"), os.path.join(to, "search"))
    for name in os.listdir(work):
        if name.startswith("worker-"):
            shutil.copy(os.path.join(work, name), to)


def one_search(setting, arm, seed, scale, jobs, to):
    """{began_t, trials, uses}; logs are left in `to`."""
    top = tempfile.mkdtemp(prefix="gleaner-search-", dir="/tmp")
    os.chmod(top, 0o755)
    work = os.path.join(top, "work")
    os.mkdir(work)
    cluster = Cluster(
        setting.build, os.path.join(top, "slurm"), options_of(arm, scale.nodes)
    )
    plan = [{**job._asdict(), "options": ["--exclusive"]} for job in jobs]
    try:
        with OrdinaryUser() as user, cluster:
            spec = SPEC.format(trials=scale.trials, seed=seed)
            folder = prepare(setting, work, spec, user)
            program = os.path.join(work, "program")
            t0 = time.time() + 1
            try:
                with Submitter(cluster, user, work, plan, t0), Uses(cluster) as uses:
                    time.sleep(max(0, t0 + scale.warm_s - time.time()))
                    began_t = time.time()
                    submit(cluster, user, arm, scale, folder, work, program)
                    done = lambda: ended(folder) >= scale.trials
                    wait_until(scale.seconds, done)
                    over_t = time.time()
                    cluster.cancel("--partition=head")
                    cluster.cancel("--partition=lease")
            finally:
                keep(work, cluster, to)
        return {
            "arm": arm,
            "seed": seed,
            "began_t": began_t,
            "over_t": over_t,
            "trials": trials_of(os.path.join(to, "search")),
            "uses": [s for s in uses.samples if began_t <= s[0] <= over_t],
            "nodes": scale.nodes,
        }
    finally:
        shutil.rmtree(top, ignore_errors=True)

