# SPDX-License-Identifier: Apache-2.0
"""Who does what one member does outside is told when that changes."""

import os
import signal
import unittest

import support
import torch
from members import COORDINATOR, Training

import gleaner


class Alone(unittest.TestCase):
    def test_alone(self):
        """a program by itself owns from its first step to the end of its loop"""
        model = torch.nn.Linear(1, 1)
        job = gleaner.init(model, torch.optim.SGD(model.parameters(), lr=0.1))
        told = []
        job.on_owner(lambda is_owner: told.append((is_owner, job.step_number)))
        for x in job.steps(gleaner.DataLoader([torch.ones(1)] * 6, 2)):
            job.backward(model(x).mean())
            job.step()
        self.assertEqual(told, [(True, 1), (False, 3)])


@unittest.skipUnless(COORDINATOR.exists(), "the coordinator is not built")
class Owners(unittest.TestCase):
    def test_lost(self):
        """the owner is killed, the next one is released: each step has one owner"""
        training = Training(3, program="owner_trainer.py")
        self.addCleanup(training.close)
        training.wait_for_size(3)
        lines = training.dir / "lines"
        for change in (self.kill, self.release):
            done = training.steps()
            training.wait(lambda: training.steps() > done + 10)
            owner = int(lines.read_text().split()[-1])
            change(training, owner)
            training.wait(lambda: int(lines.read_text().split()[-1]) != owner)
        self.assertEqual(training.finish(60), 0, training.output())
        steps = {}
        for line in lines.read_text().splitlines():
            step, owner = line.split()
            steps.setdefault(int(step), set()).add(owner)
        # The killed one may not have written of the step in which it was killed, or
        # its successor writes of it again.
        self.assertGreaterEqual(len(steps), max(steps) - 1)
        self.assertLessEqual(sum(len(owners) > 1 for owners in steps.values()), 1)
        self.assertGreater(len(set.union(*steps.values())), 2)

    def kill(self, training, owner):
        os.kill(owner, signal.SIGKILL)
        training.wait(lambda: training.events("member_lost"))

    def release(self, training, owner):
        started = training.events("member_started")
        node = next(event["node"] for event in started if event["pid"] == owner)
        training.order(f"remove {node} 20")


support.main()
