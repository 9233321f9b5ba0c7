#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What bench-harm reads: job logs, slurmctld's log, sdiag, the journal."""

import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "harm"))
import tap

from compression import Scale, load_of, replayed_jobs, slice_of
from daemon_journal import leases_of
from job_log import JobLog, LoggedJob, read_job_log
from meter import machine_times, process_cpu_s
from node_names import node_names
from sdiag import read_sdiag
from slurmctld_log import read_slurmctld_log
from ticks import next_begin_s


def swf(submit, wait, run, nodes, limit):
    return f"1 {submit} {wait} {run} {nodes} -1 -1 {nodes} {limit} -1 1 1 1 -1 -1 -1 -1 -1"


HEADER = ["; MaxNodes: 10", "; WindowStart: 100 (of field 2)", "; WindowEnd: 1100"]


class JobLogs(unittest.TestCase):
    def test_times(self):
        """times of a job log count from its window"""
        log = read_job_log([*HEADER, swf(150, 5, 60, 4, 120)])
        self.assertEqual(log.jobs, [LoggedJob(50, 55, 60, 120, 4)])
        self.assertEqual((log.nodes, log.length_s), (10, 1000))

    def test_never_ran(self):
        """a job that never ran is left out"""
        lines = [swf(150, 5, 0, 4, 120), swf(150, 5, 1, 0, 9), swf(160, -1, 1, 1, -1)]
        log = read_job_log([*HEADER, *lines])
        self.assertEqual(log.jobs, [LoggedJob(60, 60, 1, 1, 1)])

    def test_refusals(self):
        """what cannot be read is refused, and the line named"""
        for line, why in (
            ("1 2 3", "line 4: has 3 fields, not 18"),
            (swf("soon", 5, 60, 4, 120), "line 4: could not convert"),
        ):
            with self.assertRaisesRegex(ValueError, why):
                read_job_log([*HEADER, line])
        with self.assertRaisesRegex(ValueError, "MaxNodes"):
            read_job_log([swf(1, 2, 3, 4, 5)])


class Replays(unittest.TestCase):
    # Half of the machine each 100 s, for 100 s; from 1000 s on twice as often.
    log = JobLog(
        10,
        2000,
        [LoggedJob(t, t, 100, 200, 5) for t in range(0, 1000, 100)]
        + [LoggedJob(t, t, 50, 200, 10) for t in range(1000, 2000, 50)],
    )

    def replayed(self, scale, begin_s=0, load=9, seed=1, **more):
        wide = scale._replace(width_max=1)
        return replayed_jobs(self.log, wide, begin_s, load, seed, **more)

    def test_width(self):
        """jobs wider than a quarter of the cluster are left out"""
        log = JobLog(8, 100, [LoggedJob(1, 1, 20, 20, n) for n in range(1, 9)])
        jobs = replayed_jobs(log, Scale(8, 10, 10), 0, 9, seed=1)
        self.assertEqual(sorted(job.nodes for job in jobs), [1, 2])

    def test_slice(self):
        """the slice is where the log has most jobs, if they are not too short"""
        self.assertEqual(slice_of(self.log, Scale(10, 40, 10)), 1000)
        # Of 100 s and 50 s: three and two jobs here, and from 750 s on more short ones.
        self.assertEqual(slice_of(self.log, Scale(10, 10, 40)), 700)
        with self.assertRaisesRegex(ValueError, "lower the compression"):
            slice_of(self.log, Scale(10, 10, 1000))

    def test_load(self):
        """the load is the share of node time that jobs fill; it is not exceeded"""
        scale = Scale(10, 40, 10)
        self.assertAlmostEqual(load_of(self.replayed(scale), scale), 0.5)
        for load in (0.1, 0.3, 0.45):
            kept = load_of(self.replayed(scale, load=load), scale)
            self.assertLessEqual(kept, load)
            self.assertGreater(kept, load - 0.125)  # what one job makes

    def test_compression(self):
        """what runs when the slice begins comes first, with what is left of it"""
        jobs = self.replayed(Scale(4, 10, 20, warm_s=8), 150)
        self.assertEqual([job.warm for job in jobs], [True, False, False])
        self.assertEqual([job.at_s for job in jobs], [0, 10.5, 15.5])
        self.assertEqual([job.run_s for job in jobs], [2.5, 5, 5])
        self.assertEqual({(job.nodes, job.limit_min) for job in jobs}, {(2, 1)})

    def test_waiting(self):
        """what waits when the slice begins is left out"""
        log = JobLog(10, 100, [LoggedJob(5, 50, 10, 10, 1), LoggedJob(30, 30, 9, 9, 1)])
        jobs = replayed_jobs(log, Scale(10, 30, 1), 20, 9, seed=1)
        self.assertEqual([job.run_s for job in jobs], [9])

    def test_short(self):
        """no job is replayed in less than a second, or on less than a node"""
        log = JobLog(100, 100, [LoggedJob(1, 1, 20, 20, 1)])
        (job,) = replayed_jobs(log, Scale(4, 10, 10), 0, 1, seed=1)
        self.assertEqual((job.run_s, job.nodes), (2, 1))
        (job,) = replayed_jobs(log, Scale(4, 1, 100), 0, 1, seed=1)
        self.assertEqual((job.run_s, job.nodes), (1, 1))

    def test_seed(self):
        """equal seeds give equal jobs; only small ones come by srun"""
        large, small = Scale(10, 10, 20), Scale(2, 10, 100)
        jobs = self.replayed(large, load=0.4, seed=7, part_share=1.0)
        again = self.replayed(large, load=0.4, seed=7, part_share=1.0)
        self.assertEqual(jobs, again)
        self.assertEqual({job.how for job in jobs}, {"sbatch"})
        self.assertEqual({job.part for job in jobs}, {False})
        jobs = self.replayed(small, seed=7, part_share=1.0)
        self.assertEqual({job.how for job in jobs}, {"sbatch", "srun"})
        self.assertEqual({job.part for job in jobs if job.nodes == 1}, {True})


class NodeNames(unittest.TestCase):
    def test_lists(self):
        """node lists are read as Slurm writes them"""
        for text, names in (
            ("", []),
            ("head", ["head"]),
            ("n[1-3,7],m2", ["n1", "n2", "n3", "n7", "m2"]),
            ("n[08-10]", ["n08", "n09", "n10"]),
        ):
            self.assertEqual(node_names(text), names)
        for text in ("n[1-", "]", "n[x]"):
            with self.assertRaises(ValueError):
                node_names(text)


SLURMCTLD = """\
[2026-11-22T12:28:52.480] sched: _slurm_rpc_allocate_resources JobId=12 NodeList=(null) usec=323
[2026-11-22T12:28:52.532] preempted JobId=3 has been killed to reclaim resources for JobId=11
[2026-11-22T12:28:52.626] sched: Allocate JobId=11 NodeList=n[2,5] #CPUs=8 Partition=main
[2026-11-22T12:28:53.183] sched: _slurm_rpc_allocate_resources JobId=16 NodeList=n7 usec=351
[2026-11-22T12:28:53.535] sched/backfill: _start_job: Started JobId=13 in main on n[1,3-4]
[2026-11-22T12:28:55.587] _job_complete: JobId=13 done
"""


class Slurmctld(unittest.TestCase):
    def test_paths(self):
        """slurmctld's log says who started each job, and for whom it preempted"""
        log = read_slurmctld_log(SLURMCTLD.splitlines())
        told = {job: (s.path, s.nodes) for job, s in log.starts.items()}
        self.assertEqual(
            told,
            {
                11: ("main", ["n2", "n5"]),
                16: ("request", ["n7"]),
                13: ("backfill", ["n1", "n3", "n4"]),
            },
        )
        self.assertAlmostEqual(log.starts[13].t - log.starts[11].t, 0.909, 3)
        self.assertEqual([p[1:] for p in log.preemptions], [(3, 11)])


SDIAG = """\
Main schedule statistics (microseconds):
	Last cycle:   15
	Max cycle:    495
	Total cycles: 6
	Mean cycle:   163
Backfilling stats
	Total cycles: 5
	Max cycle:  579
Remote Procedure Call statistics by message type
	REQUEST_NODE_INFO                       ( 2007) count:37     ave_time:708    total_time:26226
"""


class Sdiag(unittest.TestCase):
    def test_cycles(self):
        """cycles of both schedulers are told apart"""
        found = read_sdiag(SDIAG)
        self.assertEqual(found["main"], {"cycles": 6, "longest_us": 495, "mean_us": 163})
        self.assertEqual(found["backfill"], {"cycles": 5, "longest_us": 579})
        self.assertEqual(found["rpcs"]["REQUEST_NODE_INFO"]["total_us"], 26226)
        with self.assertRaisesRegex(ValueError, "no statistics"):
            read_sdiag("sdiag: error")


class Journal(unittest.TestCase):
    def test_leases(self):
        """granting counts from the offer, taking back from the first asking"""
        place = {"trainer": 1, "node": "n1"}
        events = [
            (10.0, "lease_offered", place),
            (10.2, "lease_held", {**place, "job": 5}),
            (20.0, "give_back", {**place, "job": 5}),
            (20.4, "give_back", {**place, "job": 5}),
            (20.5, "lease_ended", {**place, "job": 5, "cause": "arrival"}),
            (21.0, "lease_offered", place),  # and refused
            (22.0, "lease_held", {"trainer": 2, "node": "n1", "job": 6}),
        ]
        first, second = leases_of(events)
        self.assertAlmostEqual(first.grant_ms, 200)
        self.assertAlmostEqual(first.take_back_ms, 500)
        self.assertEqual((first.job, first.cause), (5, "arrival"))
        self.assertEqual((second.grant_ms, second.take_back_ms), (None, None))


class Ticks(unittest.TestCase):
    def test_begin(self):
        """a replay begins at the fraction of a second at which backfill looks"""
        for after_s, phase, begin_s in ((10.2, 0.5, 10.5), (10.7, 0.5, 11.5), (9, 0, 9)):
            self.assertEqual(next_begin_s(after_s, phase), begin_s)


class Meter(unittest.TestCase):
    def test_process(self):
        """a process's name may hold anything; its time is read behind it"""
        fields = ["S"] + [str(n) for n in range(1, 40)]
        stat = "7 (a (b) c) " + " ".join(fields)
        ticks = os.sysconf("SC_CLK_TCK")
        self.assertAlmostEqual(process_cpu_s(stat), (11 + 12) / ticks)

    def test_machine(self):
        """waiting for a disk is no business of a processor"""
        ticks = os.sysconf("SC_CLK_TCK")
        busy_s, all_s = machine_times("cpu  100 20 30 400 50 1 2 3 0 0\ncpu0 1")
        self.assertAlmostEqual(busy_s * ticks, 156)
        self.assertAlmostEqual(all_s * ticks, 606)


tap.main()
