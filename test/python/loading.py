# SPDX-License-Identifier: Apache-2.0
"""Loader workers load each sample once, whatever members do, and in time."""

import collections
import json
import os
import random
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

import support
from members import COORDINATOR, PASSES, Training, ends
from trainer import BATCH, SAMPLES

import numpy
import torch
from torch.utils.data import default_collate, get_worker_info

from gleaner.prefetch import Prefetch
from gleaner.workers import Workers

WORKERS, DEPTH = 2, 4
GLEANER = support.BUILD / "src" / "cli" / "gleaner"
GLEANERD = support.BUILD / "src" / "daemon" / "gleanerd"


class Numbers:
    """Sample i is i; each load is a line of a file."""

    def __init__(self, path, seconds=0.0):
        self.path = path
        self.seconds = seconds

    def __getitem__(self, i):
        if i < 0:
            raise ValueError(f"sample {i} is broken")
        time.sleep(self.seconds)
        with open(self.path, "a") as file:
            file.write(f"{i} {get_worker_info().id}\n")
        return torch.tensor(i)


class Draws:
    """Any sample is a random number of each generator."""

    def __getitem__(self, i):
        drawn = torch.rand(()).item(), random.random(), numpy.random.rand()
        return torch.tensor(drawn, dtype=torch.float64)


class Batches(unittest.TestCase):
    """Without a training: what is asked of the workers, and what not."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="gleaner-test-")
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name, "loads")
        self.path.touch()

    def open(self, workers=WORKERS, depth=DEPTH, seconds=0.0, init=None):
        data = Numbers(self.path, seconds)
        self.workers = Workers(data, default_collate, init, workers)
        self.addCleanup(self.workers.close)
        end = time.monotonic() + 20
        while self.workers.started() < workers and time.monotonic() < end:
            time.sleep(0.005)
        return Prefetch(self.workers, depth)

    def loads(self):
        return [tuple(map(int, s.split())) for s in self.path.read_text().splitlines()]

    def foresee(self, shares):
        """Of a step, those after it."""
        return lambda k: shares[k - 1] if k <= len(shares) else None

    def go_through(self, prefetch, shares):
        for i, share in enumerate(shares):
            batch = prefetch.load(share, self.foresee(shares[i + 1 :]))
            self.assertEqual(batch.tolist(), share)

    def test_each_once(self):
        """while nothing changes each sample is loaded once"""
        shares = [list(range(4 * i, 4 * i + 4)) for i in range(20)]
        self.go_through(self.open(), shares)
        self.assertEqual(sorted(i for i, _ in self.loads()), list(range(80)))

    def test_change(self):
        """after a change what is still foretold is kept, the rest is dropped"""
        prefetch = self.open()
        old = [[10 * i, 10 * i + 1] for i in range(6)]
        new = [old[0], old[1], [22, 23], old[3], [42], [52, 53]]
        prefetch.load(old[0], self.foresee(old[1:]))
        self.go_through(prefetch, new[1:])
        self.assertEqual(prefetch.dropped, 2)
        counts = collections.Counter(i for i, _ in self.loads())
        self.assertEqual(set(counts.values()), {1})
        self.assertLessEqual(set(sum(new, [])), set(counts))

    def test_bounded(self):
        """no more than the depth is asked for, however far the forecast goes"""
        prefetch = self.open(depth=3)
        shares = [[i] for i in range(50)]
        prefetch.load(shares[0], self.foresee(shares[1:]))
        time.sleep(0.3)
        self.assertLessEqual({i for i, _ in self.loads()}, {0, 1, 2, 3})
        # Also when each step changes all of it.
        for i in range(5, 45, 5):
            prefetch.load([i], self.foresee([[i + 1], [i + 2], [i + 3], [i + 4]]))
            self.assertLessEqual(len(prefetch._asked), 3)

    def test_stop(self):
        """a worker stops loading a batch that nobody wants any more"""
        prefetch = self.open(workers=1, depth=1, seconds=0.05)
        stale = list(range(100, 140))
        prefetch.load([1], self.foresee([stale]))
        while not any(i >= 100 for i, _ in self.loads()):
            time.sleep(0.01)
        self.assertEqual(prefetch.load([2], self.foresee([])).tolist(), [2])
        self.assertLess(sum(i >= 100 for i, _ in self.loads()), 40)

    def test_soon(self):
        """what is needed at once all workers load together"""
        prefetch = self.open(seconds=0.02)
        prefetch.load(list(range(8)), self.foresee([]))
        self.assertEqual({worker for _, worker in self.loads()}, {0, 1})

    def test_begin(self):
        """a joiner's first batches are loaded before its first step"""
        prefetch = self.open()
        shares = [[0, 1], [2, 3], [4, 5], [6, 7], [8, 9]]
        prefetch.begin(self.foresee(shares))
        end = time.monotonic() + 20
        while len(self.loads()) < 8 and time.monotonic() < end:
            time.sleep(0.01)
        self.assertEqual(sorted(i for i, _ in self.loads()), list(range(8)))
        self.go_through(prefetch, shares)
        self.assertEqual(sorted(i for i, _ in self.loads()), list(range(10)))

    def test_error(self):
        """what the dataset raises comes out of the loop, with its words"""
        with self.assertRaisesRegex(ValueError, "sample -1 is broken"):
            self.open().load([1, -1], self.foresee([]))

    def test_init(self):
        """worker_init_fn runs in each worker, with its number"""

        def init(worker):
            with open(self.path, "a") as file:
                file.write(f"{-1 - worker} {get_worker_info().id}\n")

        self.open(init=init).load(list(range(4)), self.foresee([]))
        self.assertLessEqual({(-1, 0), (-2, 1)}, set(self.loads()))

    def test_seeds(self):
        """workers of different members draw different numbers"""
        drawn = []
        for member in ("1", "2"):
            os.environ["GLEANER_MEMBER"] = member
            self.addCleanup(os.environ.pop, "GLEANER_MEMBER", None)
            workers = Workers(Draws(), default_collate, None, 1)
            self.addCleanup(workers.close)
            drawn += workers.ask([0, 1], soon=False).batch().tolist()
        for name, numbers in zip(("torch", "random", "numpy"), zip(*drawn)):
            with self.subTest(generator=name):
                self.assertEqual(len(set(numbers)), 4)

    def test_no_files(self):
        """workers make no files, which would be left behind when they are killed"""
        usual = tempfile.gettempdir()
        self.addCleanup(setattr, tempfile, "tempdir", usual)
        tempfile.tempdir = str(self.path.parent)
        shares = [list(range(4 * i, 4 * i + 4)) for i in range(8)]
        self.go_through(self.open(depth=WORKERS), shares)
        self.assertEqual(os.listdir(self.path.parent), [self.path.name])

    def test_close(self):
        """when it is closed, no worker is left"""
        self.open(seconds=0.01).load([1], self.foresee([list(range(500))]))
        self.workers.close()
        children = Path(f"/proc/self/task/{os.getpid()}/children").read_text()
        self.assertEqual(children.split(), [])
        self.assertLess(len(self.loads()), 400)


@unittest.skipUnless(COORDINATOR.exists(), "the coordinator is not built")
class Members(unittest.TestCase):
    """A training whose samples take long to load."""

    def begin(self, nodes, passes):
        training = Training(
            *(nodes, "--passes", passes, "--step-ms", 60, "--workers", WORKERS),
            *("--sample-ms", 10, "--loads", "loads"),
        )
        self.addCleanup(training.close)
        return training

    def loads(self, training):
        """(time, process, sample), and (time, process, -step) of steps begun."""
        lines = (training.dir / "loads").read_text().splitlines()
        return [(float(t), int(p), int(i)) for t, p, i in map(str.split, lines)]

    def test_resize(self):
        """2, 3, 2 members: no sample is loaded twice or for nothing, a joiner has
        loaded when it begins, and nobody waits longer than in other steps"""
        training = self.begin(2, 2)
        training.wait(lambda: training.steps() >= 10)
        training.order("add")
        training.wait_for_size(3)
        begun = training.steps()
        training.wait(lambda: training.steps() >= begun + 10)
        training.order("remove l1 60")
        training.wait_for_size(2)
        self.assertEqual(training.finish(60), 0, training.output())
        self.assertEqual(training.positions(), sorted(list(range(SAMPLES)) * 2))
        self.assertEqual(len(set(ends(training.output()))), 1, training.output())

        lines = self.loads(training)
        counts = collections.Counter(i for _, _, i in lines if i >= 0)
        self.assertEqual(set(counts.values()), {2})  # once per pass
        self.assertEqual(len(counts), SAMPLES)
        joiner = training.events("member_started")[-1]["pid"]
        first = min(t for t, p, i in lines if p == joiner and i < 0)
        before = [i for t, p, i in lines if p == joiner and i >= 0 and t <= first]
        self.assertGreaterEqual(len(before), BATCH // 3)

        waits = [e for e in training.events("log") if e["key"] == "loader_wait_ms"]
        steps = training.events("step")
        told = [(e["step"], e["n"]) for e in waits]
        self.assertEqual(told, [(e["step"], e["world"]) for e in steps])
        self.assertTrue(all(e["max"] >= e["value"] for e in waits))

    @unittest.skipUnless(GLEANERD.exists(), "without gleanerd there are no reports")
    def test_report(self):
        """gleaner report tells the waits of a training that never changed"""
        training = self.begin(2, 1)
        self.assertEqual(training.finish(60), 0, training.output())
        summary = training.dir / "summary.json"
        said = subprocess.run(
            [GLEANER, "report", "--trainer", training.dir, "--summary", summary],
            capture_output=True,
            text=True,
            timeout=30,
        )
        self.assertEqual(said.returncode, 0, said.stderr)
        self.assertIn("waited for samples p50 ", said.stdout)
        told = json.loads(summary.read_text())["trainers"][0]
        waits = collections.defaultdict(float)
        for event in training.events("log"):
            if event["key"] == "loader_wait_ms":
                waits[event["step"]] = max(waits[event["step"]], event["max"])
        steps = {e["step"]: e["duration_s"] for e in training.events("step")}
        self.assertEqual(set(waits), set(steps))
        self.assertEqual(told["loader_wait_ms"]["n"], len(steps))
        self.assertEqual(told["loader_wait_ms"]["p99"], max(waits.values()))
        share = sum(waits.values()) / 1e3 / sum(steps.values())
        self.assertAlmostEqual(told["loader_wait_share"], share, places=9)
        self.assertLess(share, 1)

    def test_loss(self):
        """a member is killed: what was loaded for nothing is bounded"""
        training = self.begin(3, 2)
        training.wait(lambda: training.steps() >= 15)
        os.kill(training.events("member_started")[1]["pid"], signal.SIGKILL)
        self.assertEqual(training.finish(60), 0, training.output())
        self.assertEqual(training.positions(), sorted(list(range(SAMPLES)) * 2))
        loaded = sum(i >= 0 for _, _, i in self.loads(training))
        # The dead one's step, and all that anybody had asked for.
        in_vain = BATCH * (1 + DEPTH)
        self.assertLessEqual(loaded, SAMPLES * 2 + in_vain)


if __name__ == "__main__":
    support.main()
