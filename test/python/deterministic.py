# SPDX-License-Identifier: Apache-2.0
"""In deterministic mode a training in PyTorch finds the same bits, whatever its
members do.

GLEANER_TEST_SEED=n repeats the random resizes and losses of a run.
"""

import os
import random
import signal
import subprocess
import sys
import time
import unittest

import support
from members import COORDINATOR, PASSES, Training, ends
from trainer import SAMPLES

SEED = int(os.environ.get("GLEANER_TEST_SEED", time.time_ns() % 10**6))
SHARDS = "6"
STEPS = SAMPLES * PASSES // 16
#: Dropout draws random numbers; clipping, Adam, a schedule and an average follow.
PROGRAM = ("--passes", PASSES, "--dropout", 0.2)


@unittest.skipUnless(COORDINATOR.exists(), "the coordinator is not built")
class Deterministic(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        print(f"# GLEANER_TEST_SEED={SEED}", flush=True)
        fixed = Training(2, *PROGRAM, options=(f"--deterministic={SHARDS}",))
        assert fixed.finish() == 0, fixed.output()
        assert len(set(ends(fixed.output()))) == 1, fixed.output()
        cls.expected = ends(fixed.output())[0]
        fixed.close()

    def setUp(self):
        self.random = random.Random(SEED)
        self.removed = set()  # nodes, some of which may not have been left yet

    def begin(self, nodes):
        """With a sleep in each shard, so that there is time for changes."""
        training = Training(
            *(nodes, *PROGRAM, "--step-ms", 7, "--workers", 1),
            options=(f"--deterministic={SHARDS}", "--checkpoint-interval", "2"),
        )
        self.addCleanup(training.close)
        training.wait(lambda: training.steps() >= 10)
        return training

    def nodes(self, training):
        joined = [event["node"] for event in training.events("node_joined")]
        left = {event["node"] for event in training.events("node_left")}
        return [node for node in joined if node not in left | self.removed]

    def resize(self, training):
        if training.events("finish"):
            return
        nodes = self.nodes(training)
        before = len(training.events("generation"))
        if len(nodes) <= 1 or (len(nodes) < 3 and self.random.random() < 0.5):
            training.order("add")
        else:
            node = self.random.choice(nodes)
            self.removed.add(node)
            training.order(f"remove {node} 20")
        self.until(
            training, lambda: len(training.events("generation")) > before, seconds=6
        )

    def lose(self, training):
        lost = {event["member"] for event in training.events("member_lost")}
        living = [
            event["pid"]
            for event in training.events("member_started")
            if event["member"] not in lost
        ]
        try:
            os.kill(self.random.choice(living), signal.SIGKILL)
        except (ProcessLookupError, IndexError):
            pass  # its end is not in the log yet

    def until(self, training, what, seconds):
        end = time.monotonic() + seconds
        while training.process.poll() is None and time.monotonic() < end:
            if what():
                return
            time.sleep(0.02)

    def check(self, training):
        self.assertEqual(training.finish(60), 0, training.output())
        last = {end for end in ends(training.output()) if f"={STEPS} " in end}
        self.assertEqual(last, {self.expected}, training.output())
        self.assertEqual(training.positions(), sorted(list(range(SAMPLES)) * PASSES))
        self.assertEqual(training.events("step")[-1]["step"], STEPS)

    def test_resizes(self):
        """members come and go at random: the bits of a fixed size"""
        training = self.begin(1)
        end = time.monotonic() + 180
        while training.process.poll() is None:
            self.assertLess(time.monotonic(), end, training.output())
            self.resize(training)
            self.until(training, lambda: False, self.random.random())
        self.assertEqual(training.events("member_lost"), [])
        self.assertGreaterEqual(len(training.events("generation")), 3)
        self.check(training)

    def test_losses(self):
        """members are killed at random, two at a time, too: the same bits"""
        training = self.begin(3)
        end = time.monotonic() + 180
        while training.process.poll() is None and training.steps() < STEPS - 20:
            self.assertLess(time.monotonic(), end, training.output())
            for _ in range(self.random.choice((1, 2))):
                self.lose(training)
            self.until(training, lambda: False, 0.2 + self.random.random())
            self.until(
                training, lambda: training.size() == len(self.nodes(training)), 6
            )
        self.assertGreaterEqual(len(training.events("member_lost")), 3)
        self.check(training)
        if not training.events("rollback"):
            self.assertEqual(training.steps(), STEPS)

    def test_alone(self):
        """the program by itself, in deterministic mode: the same bits"""
        program = support.SOURCE / "test" / "python" / "trainer.py"
        found = subprocess.run(
            [sys.executable, program, *map(str, PROGRAM)],
            env={**os.environ, "GLEANER_DETERMINISTIC": SHARDS},
            stdout=subprocess.PIPE,
            check=True,
            text=True,
        )
        self.assertEqual(ends(found.stdout), [self.expected])


if __name__ == "__main__":
    support.main()
