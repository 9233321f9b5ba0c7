# SPDX-License-Identifier: Apache-2.0
"""One replay on one cluster: what is started, and what is kept of it?

Kept in a directory: plan.json, record.jsonl (what jobs say), slurmctld.log,
sdiag.txt, run.json (moments, processor time, load), and with Gleaner
gleanerd.log, journal.sqlite and each training's events.jsonl.
"""

import contextlib
import glob
import json
import os
import shutil
import tempfile

import ticks
import trainings
from cluster import Cluster
from measurement import measure, prefer_daemons
from options import cluster_options, plan_of
from submitter import Submitter
from user import OrdinaryUser

KEPT = ["plan.json", "record.jsonl", "clients.log"]


@contextlib.contextmanager
def work_directory():
    """Short, as sockets lie there, and open to the user."""
    path = tempfile.mkdtemp(prefix="gleaner-harm-", dir="/tmp")
    os.chmod(path, 0o755)
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)


def set_limits(cluster, user, row):
    """Ones that nobody reaches, but that are looked at for each job."""
    cluster.add_user(user.name)
    if "--accounting" in row.cluster:
        limits = ["MaxJobs=500", f"GrpTRES=node={2 * row.nodes}"]
        cluster.ask("sacctmgr", "-i", "modify", "user", user.name, "set", *limits)


def keep(cluster, work, to, jobs):
    """All that is there: after a failure it is not everything."""
    shutil.rmtree(to, ignore_errors=True)
    os.makedirs(to)
    wanted = [cluster.path("log", d + ".log") for d in ("slurmctld", "gleanerd")]
    wanted += glob.glob(cluster.path("state/gleaner/journal.sqlite*"))
    wanted += [os.path.join(work, name) for name in KEPT]
    wanted += glob.glob(os.path.join(work, "training-*.log"))
    for path in wanted:
        if os.path.exists(path):
            shutil.copy(path, to)
    for job in jobs:
        with open(os.path.join(to, f"training-{job}.jsonl"), "w") as file:
            for event in trainings.events(work, job):
                file.write(json.dumps(event) + "\n")


def with_trainings(setting, cluster, user, row, top, trained):
    """All nodes train when it returns; `trained` are the jobs that do."""
    work = os.path.join(top, "work")
    program = os.path.join(top, "program")
    shutil.copy(setting.program, program)
    trained += trainings.submit(cluster, user, program, work, row.members, row.training)
    trainings.wait_until_all_train(work, trained, row.members)


def one_run(setting, row, gleaner, scale, jobs, to):
    """Replays the jobs; leaves in `to` what there is to know of it."""
    with work_directory() as top, OrdinaryUser() as user:
        work = os.path.join(top, "work")
        os.mkdir(work)
        os.chown(work, user.uid, user.gid)
        options = cluster_options(row, gleaner, top)
        cluster = Cluster(setting.build, os.path.join(top, "slurm"), options)
        trained = []
        try:
            with cluster:
                prefer_daemons(cluster)
                set_limits(cluster, user, row)
                if gleaner:
                    with_trainings(setting, cluster, user, row, top, trained)
                t0 = ticks.begin_s(cluster, user)
                plan = plan_of(row, jobs)
                with Submitter(cluster, user, work, plan, t0) as submitter:
                    result, sdiag = measure(cluster, submitter, scale, len(jobs), t0)
        finally:
            keep(cluster, work, to, trained)
    with open(os.path.join(to, "sdiag.txt"), "w") as file:
        file.write(sdiag)
    with open(os.path.join(to, "run.json"), "w") as file:
        json.dump({**result, "trainings": trained}, file)
