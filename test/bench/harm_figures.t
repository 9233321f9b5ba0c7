#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What bench-harm makes of what happened: delays, harvest, losses, placements."""

import os
import random
import sys
import unittest
import xml.dom.minidom

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "harm"))
import tap

import spans
from daemon_journal import Lease
from harvest import curve, harvest
from history import Job, Run, Training, take_record, take_starts, training_of
from idle_wait import idle_waits
from losses import count_losses, ends_of_leases
from picture import picture
from placements import worse_placements
from row_result import row_result
from rows import ROWS, node_weights
from slurmctld_log import Preemption, read_slurmctld_log
from starts import added, compared, delays, unpaired
from tables import tables


def job(name, submit_t, start_t, end_t, nodes, path="main", **more):
    nodes = nodes.split(",") if nodes else []
    found = Job(name, "sbatch", len(nodes), False, False, 1, submit_t, start_t, end_t)
    found.id, found.nodes, found.path, found.given_t = hash(name), nodes, path, start_t
    for key, value in more.items():
        setattr(found, key, value)
    return found


def run(jobs=(), trainings=(), leases=(), preemptions=(), until=100):
    moments = {
        "begin_s": 0,
        "end_s": until,
        "drained_s": until,
        "cpu_s": {"slurmctld": 1.0, "gleanerd": 0.5},
        "busy": [0.5],
        "load": [1.0],
        "trainings": [],
    }
    told = {"main": {"cycles": 1, "longest_us": 2}, "backfill": {"cycles": 0}, "rpcs": {}}
    by_name = {j.name: j for j in jobs}
    return Run(by_name, list(trainings), list(leases), list(preemptions), told, moments)


class Spans(unittest.TestCase):
    def test_random(self):
        """gaps, overlaps and unions agree with counting seconds one by one"""
        seed = random.randrange(1 << 30)
        draw = random.Random(seed)
        for _ in range(300):
            a, b = (
                [(x, x + draw.randrange(1, 9)) for x in draw.choices(range(40), k=6)]
                for _ in range(2)
            )
            has = [{s for begin, end in c for s in range(begin, end)} for c in (a, b)]
            both = spans.overlap(spans.united(a), spans.united(b))
            self.assertEqual(spans.length(both), len(has[0] & has[1]), f"seed {seed}")
            twice = spans.at_least([(x, y, 1) for x, y in a], 2)
            seconds = [s for begin, end in a for s in range(begin, end)]
            count = sum(seconds.count(s) >= 2 for s in set(seconds))
            self.assertEqual(spans.length(twice), count, f"seed {seed}")
            free = spans.gaps(a, (0, 50))
            self.assertEqual(spans.length(free), len(set(range(50)) - has[0]), f"seed {seed}")


class Delays(unittest.TestCase):
    def test_pairs(self):
        """what is added is counted job by job, in the path of the run with Gleaner"""
        ours = run([job("a", 0, 1, 2, "n1"), job("b", 0, 5, 6, "n1", path="srun")])
        theirs = run([job("a", 0, 0.5, 2, "n1", path="backfill"), job("b", 0, 7, 8, "n1")])
        found = added(ours, theirs)
        self.assertEqual(found["main"]["p50"], 0.5)
        self.assertEqual(found["srun"]["max"], -2)
        self.assertEqual(found["all"]["n"], 2)
        self.assertNotIn("backfill", found)

    def test_not_compared(self):
        """jobs of the first moments, and those that never started, are no pairs"""
        ours = run([job("a", 0, 1, 2, "n1", warm=True), job("b", 0, None, None, "")])
        theirs = run([job("a", 0, 1, 2, "n1"), job("b", 0, 3, 4, "n1")])
        self.assertEqual(added(ours, theirs), {})
        self.assertEqual(unpaired(ours, theirs), {"only_here": 0, "only_there": 2})
        self.assertEqual(delays(theirs)["all"]["n"], 2)

    def test_idle_wait(self):
        """waiting counts from the moment at which enough nodes were free"""
        blocked = job("b", 2, 12, 14, "n1,n2")
        found = run([job("a", 0, 0, 10, "n1"), blocked, job("c", 3, 4, 5, "n2")])
        waits = idle_waits(found, ["n1", "n2"], compared(found))
        self.assertEqual(waits, [("main", 0), ("main", 2), ("main", 1)])

    def test_idle_wait_of_parts(self):
        """a part finds room beside other parts, a whole node does not"""
        jobs = [job(f"p{i}", 0, 0, 9, "n1", part=True) for i in range(8)]
        jobs += [job("p8", 0, 10, 11, "n1", part=True), job("w", 1, 12, 13, "n1")]
        found = run(jobs)
        waits = idle_waits(found, ["n1"], found.jobs, units=8)
        waits = dict(zip(found.jobs, waits))
        self.assertEqual(waits["p8"], ("main", 1))
        self.assertEqual(waits["w"], ("main", 1))


class Harvests(unittest.TestCase):
    def test_holes(self):
        """only holes of more than 10 s count, and in them only training"""
        leases = [Lease("n1", 7, 1, 30.0, ended_t=100.0)]
        trainings = [Training(7, [(32, ["n1"]), (90, [])], [])]
        jobs = [job("a", 0, 0, 30, "n1"), job("b", 0, 0, 95, "n2")]
        found = harvest(run(jobs, trainings, leases), ["n1", "n2"])
        self.assertEqual(found["idle_node_s"], 70)
        self.assertEqual(found["short_idle_node_s"], 5)
        self.assertEqual(found["leased_node_s"], 70)
        self.assertEqual(found["harvested_node_s"], 58)

    def test_parts(self):
        """beside a job for one of two GPUs, the other one counts half a node"""
        jobs = [job("a", 0, 0, 60, "n1", part=True)]
        leases = [Lease("n1+1", 7, 1, 0.0), Lease("n1+0", 7, 2, 60.0)]
        sets = [(0, ["n1+1"]), (80, ["n1+1", "n1+0"])]
        found = harvest(run(jobs, [Training(7, sets, [])], leases), ["n1"], units=2)
        self.assertEqual((found["idle_node_s"], found["harvested_node_s"]), (40, 20))
        self.assertEqual(found["of_parts"]["idle_node_s"], (100 + 40) / 2)
        self.assertEqual(found["of_parts"]["harvested_node_s"], (100 + 20) / 2)
        shares = curve(run(jobs, [Training(7, sets, [])], leases), ["n1"], 2, step_s=70)
        self.assertEqual(shares, [[0, 0.5, 0.5, 0]])

    def test_epilog(self):
        """a node is idle only after the Epilog"""
        found = harvest(run([job("a", 0, 0, 30, "n1")]), ["n1"], epilog_s=2)
        self.assertEqual((found["idle_node_s"], found["harvest_ratio"]), (68, 0))

    def test_lost(self):
        """a lost member trains no more, though its generation goes on"""
        trainings = [Training(7, [(0, ["n1", "n2"]), (60, ["n2"])], [(50, "n1")])]
        found = run([], trainings)
        self.assertEqual(harvest(found, ["n1"])["harvested_node_s"], 50)
        self.assertEqual(curve(found, ["n1", "n2"], step_s=50), [[0, 0, 2, 0], [50, 0, 1, 0]])


class Losses(unittest.TestCase):
    def test_kinds(self):
        """a loss has the path of the job Slurm preempted for, and had notice or not"""
        leases = [
            Lease("n1", 7, 11, 0.0, asked_t=9.9, ended_t=10.5, cause="arrival"),
            Lease("n2", 7, 12, 0.0, ended_t=10.5, cause="reclaimed"),
            Lease("n3", 7, 13, 0.0),
            Lease("n4", 7, 14, 0.0, ended_t=30.5, cause="reclaimed"),
        ]
        known = job("a", 9, 10.6, 20, "n1,n2", path="backfill")
        sudden = job("b", 30, 31, 32, "n4", path="srun")
        preempted = [Preemption(10.0, 11, known.id), Preemption(10.0, 12, known.id)]
        preempted += [Preemption(30.0, 14, sudden.id)]
        lost = [(10.0, "n1"), (10.0, "n2"), (50.0, "n3"), (30.0, "n4"), (101.0, "n1")]
        trainings = [Training(7, [(0, ["n1"])], lost)]
        found = run([known, sudden], trainings, leases, preempted)
        found.arrivals = {known.id: 9.5, sudden.id: 30.2}
        self.assertEqual(
            count_losses(found),
            {
                "with_notice": {"backfill": 1},
                "without_notice": {"srun": 1, "not preempted": 1},
                "without_notice_though_known": {"backfill": 1},
            },
        )
        self.assertEqual(ends_of_leases(found), {"arrival": 1, "reclaimed": 2})


class Placements(unittest.TestCase):
    def test_worse(self):
        """a node is worse while one of less Weight has no rigid job"""
        weights = {"n1": 1, "n2": 1, "n3": 10, "n4": 10}
        jobs = [
            job("a", 0, 0, 50, "n1"),
            job("b", 0, 10, 20, "n3"),  # n2 was there
            job("c", 0, 30, 40, "n2,n3"),  # nothing better
        ]
        self.assertEqual(
            worse_placements(run(jobs), weights),
            {"jobs": 3, "worse_jobs": 1, "nodes": 4, "worse_nodes": 1},
        )


class Histories(unittest.TestCase):
    def test_record(self):
        """what jobs say and slurmctld's log come together"""
        jobs = {"r1": Job("r1", "srun", 1, False, False, 1)}
        take_record(
            jobs,
            [
                '{"event":"submit","job":"r1","t":1}',
                '{"event":"start","job":"r1","t":2,"id":5,"nodes":"n[1-2]"}',
                '{"event":"end","job":"r1","t":3}',
            ],
        )
        log = read_slurmctld_log(
            ["[2026-01-01T00:00:00.500] sched: Allocate JobId=5 NodeList=n[1-2] #CPUs=1"]
        )
        with self.assertRaisesRegex(ValueError, "names none of the jobs"):
            take_starts(jobs, read_slurmctld_log([]))
        take_starts(jobs, log)
        found = jobs["r1"]
        self.assertEqual((found.submit_t, found.start_t, found.end_t), (1, 2, 3))
        self.assertEqual((found.nodes, found.path), (["n1", "n2"], "srun"))
        self.assertEqual(found.given_t, log.starts[5].t)

    def test_training(self):
        """nobody trains between the loss of all members and what follows"""
        events = [
            {"event": "generation", "t": 1, "nodes": "n[1-2]"},
            {"event": "member_lost", "t": 2, "node": "n1"},
            {"event": "rollback", "t": 3},
            {"event": "generation", "t": 4, "nodes": "n3"},
        ]
        found = training_of(7, events)
        self.assertEqual(found.sets, [(1, ["n1", "n2"]), (3, []), (4, ["n3"])])
        self.assertEqual(found.lost, [(2, "n1")])


class Reports(unittest.TestCase):
    def test_all(self):
        """tables and picture are made of a result, with a control and without"""
        row = next(r for r in ROWS if r.name == "small")
        one = run([job("a", 0, 1, 2, "n1"), job("b", 1, 3, 4, "n8", path="srun")])
        for repeated in (None, one):
            result = row_result(row, one, one, repeated)
            result.update(jobs=2, seconds=100, compression=400, load=0.5)
            told = tables({"rows": [result], "not_run": {"parts": "no key 'lease'"}})
            self.assertIn("| sbatch, main scheduler | 1 | 0.00 / 0.00 / 0.00 |", told)
            self.assertIn("not run: parts (no key 'lease')", told)
            xml.dom.minidom.parseString(picture(result))

    def test_weights(self):
        """nodes of several kinds are numbered through"""
        weights = node_weights(next(r for r in ROWS if r.name == "small"))
        self.assertEqual(list(weights), [f"n{i}" for i in range(1, 9)])
        self.assertEqual(list(weights.values()), [1] * 6 + [10] * 2)


tap.main()
