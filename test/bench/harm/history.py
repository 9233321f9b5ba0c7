# SPDX-License-Identifier: Apache-2.0
"""What happened in a run, by what it left in its directory?"""

import json
import os
from dataclasses import dataclass, field
from typing import Optional

import sdiag
from daemon_journal import arrivals_of, leases_of, read_journal
from node_names import node_names
from slurmctld_log import read_slurmctld_log

NEVER = float("inf")


@dataclass
class Job:
    name: str
    how: str  # sbatch or srun
    wanted: int  # nodes
    warm: bool
    part: bool
    run_s: float
    submit_t: Optional[float] = None
    start_t: Optional[float] = None  # of its program
    end_t: Optional[float] = None
    id: Optional[int] = None
    nodes: list = field(default_factory=list)
    path: str = ""  # who started it: main, backfill or srun
    given_t: Optional[float] = None  # when Slurm gave it its nodes


@dataclass
class Training:
    """`sets`: (time, nodes) of each generation; `lost`: (time, node)."""

    job: int
    sets: list
    lost: list


@dataclass
class Run:
    jobs: dict  # by name
    trainings: list
    leases: list
    preemptions: list
    sdiag: dict
    moments: dict  # run.json
    arrivals: dict = field(default_factory=dict)  # job id: when gleanerd knew


def take_record(jobs, lines):
    """What jobs and their submitter wrote."""
    for line in lines:
        event = json.loads(line)
        job = jobs[event["job"]]
        if event["event"] == "submit":
            job.submit_t = event["t"]
        elif event["event"] == "start":
            job.start_t, job.id = event["t"], event["id"]
            job.nodes = node_names(event["nodes"])
        elif event["event"] == "end":
            job.end_t = event["t"]


def take_starts(jobs, log):
    """Who started them.  A job without a line in the log has started all the
    same: since its program did."""
    started = {job.id for job in jobs.values() if job.id is not None}
    if started and not started & log.starts.keys():
        raise ValueError(
            "slurmctld's log names none of the jobs that started (this release of"
            " Slurm may word it otherwise) [see slurmctld_log.py]"
        )
    for job in jobs.values():
        start = log.starts.get(job.id)
        job.given_t = start.t if start else job.start_t
        by = start.path if start else ""
        job.path = "srun" if job.how == "srun" else by


def training_of(job, events):
    sets = [
        (e["t"], node_names(e["nodes"])) for e in events if e["event"] == "generation"
    ]
    lost = [(e["t"], e["node"]) for e in events if e["event"] == "member_lost"]
    # Nobody trains between the loss of all and the next generation.
    sets += [(e["t"], []) for e in events if e["event"] == "rollback"]
    return Training(job, sorted(sets, key=lambda s: s[0]), lost)


def _lines(directory, name):
    with open(os.path.join(directory, name)) as file:
        return file.readlines()


def read_run(directory):
    plan = json.loads("".join(_lines(directory, "plan.json")))
    jobs = {
        p["name"]: Job(
            p["name"], p["how"], p["nodes"], p["warm"], p["part"], p["run_s"]
        )
        for p in plan
    }
    take_record(jobs, _lines(directory, "record.jsonl"))
    log = read_slurmctld_log(_lines(directory, "slurmctld.log"))
    take_starts(jobs, log)
    moments = json.loads("".join(_lines(directory, "run.json")))
    journal = os.path.join(directory, "journal.sqlite")
    events = read_journal(journal) if os.path.exists(journal) else []
    trainings = []
    for job in moments["trainings"]:
        lines = _lines(directory, f"training-{job}.jsonl")
        trainings.append(training_of(int(job), [json.loads(line) for line in lines]))
    statistics = sdiag.read_sdiag("".join(_lines(directory, "sdiag.txt")))
    return Run(
        jobs,
        trainings,
        leases_of(events),
        log.preemptions,
        statistics,
        moments,
        arrivals_of(events),
    )
