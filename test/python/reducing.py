# SPDX-License-Identifier: Apache-2.0
"""A program's own numbers are added up over members that come and go."""

import json
import unittest

import support
import torch
from members import COORDINATOR, Training
from torch import nn

import gleaner
from gleaner.reductions import SLOTS, Reductions


def network():
    torch.manual_seed(1)
    model = nn.Linear(1, 1)
    return model, torch.optim.SGD(model.parameters(), lr=0.1)


class Members(unittest.TestCase):
    """Members in one process: their rooms are added up by hand."""

    def reduce(self, *members):
        total = sum(self.room(member) for member in members)
        for member in members:
            member.take(total)

    def room(self, member):
        room = torch.zeros(SLOTS, dtype=torch.float64)
        member.put(room)
        return room

    def test_unequal_shares(self):
        """a mean is weighted by each member's n; one that reports nothing is no part"""
        a, b, c = Reductions(), Reductions(), Reductions()
        one = a.add({"loss": 2.0}, 3, mean=True)
        two = b.add({"loss": 6.0}, 1, mean=True)
        self.reduce(a, b, c)
        for found in (one, two):
            self.assertEqual((found["loss"], found.n), (3.0, 4.0))

    def test_sums(self):
        """sums and means travel together, each under its name"""
        a, b = Reductions(), Reductions()
        found = []
        for member, right in ((a, 5), (b, 7)):
            member.add({"loss": 1.5}, 2, mean=True)
            found.append(member.add({"right": right, "all": 10}, 1, mean=False))
        self.reduce(a, b)
        self.assertEqual(dict(found[1]), {"right": 12.0, "all": 20.0})

    def test_different(self):
        """members that reduce different things are told so"""
        a, b = Reductions(), Reductions()
        a.add({"loss": 1}, 1, mean=True)
        b.add({"accuracy": 1}, 1, mean=True)
        with self.assertRaisesRegex(RuntimeError, "for different things"):
            self.reduce(a, b)

    def test_too_many(self):
        """more numbers than travel in a step are refused"""
        with self.assertRaisesRegex(RuntimeError, "more than 61 numbers"):
            Reductions().add({str(i): 0 for i in range(61)}, 1, mean=True)

    def test_dropped(self):
        """what was dropped with a step's gradients is added again, and only once"""
        a = Reductions()
        found = a.add({"x": 2.0}, 1, mean=False)
        self.room(a)
        a.drop()
        room = self.room(a)
        a.put(room)  # another share of the step
        a.take(room)
        self.assertEqual(found["x"], 2.0)


class Loop(unittest.TestCase):
    def test_known_after_a_step(self):
        """it is known after the next step, and at once after the training"""
        model, optimizer = network()
        job = gleaner.init(model, optimizer)
        loader = gleaner.DataLoader([torch.ones(1)] * 6, 2)
        found = []
        for x in job.steps(loader):
            if job.step_number == 2:
                found.append(job.all_reduce({"before": 4.0}))
                with self.assertRaisesRegex(RuntimeError, "is known after"):
                    found[0]["before"]
            job.backward(model(x).mean())
            job.step()
            if job.step_number == 2:
                self.assertEqual(found[0]["before"], 4.0)
                found.append(job.all_reduce({"after": 5.0}, n=3))
                self.assertFalse(found[1].known)
        self.assertEqual((found[1]["after"], found[1].n), (5.0, 3.0))
        self.assertEqual(job.all_reduce({"x": 1.0}, n=7).n, 7)


@unittest.skipUnless(COORDINATOR.exists(), "the coordinator is not built")
class WithMembers(unittest.TestCase):
    def test_evaluation(self):
        """3, 2 members: shares of an evaluation give the mean of all of it"""
        training = Training(3, program="reducing_trainer.py")
        self.addCleanup(training.close)
        training.wait_for_size(3)
        done = training.steps()
        training.wait(lambda: training.steps() > done + 15)
        training.order("remove l1 20")
        training.wait_for_size(2)
        self.assertEqual(training.finish(60), 0, training.output())
        lines = [
            json.loads(line)
            for line in training.output().splitlines()
            if line.startswith("{")
        ]
        whole = [line for line in lines if line["n"] == 100]
        self.assertGreater(len(whole), len(lines) * 3 // 4)
        self.assertGreater(len({line["members"] for line in whole}), 1)
        for line in whole:
            self.assertAlmostEqual(line["mean"], 49.5, places=4)
            self.assertEqual(line["sum"], 4950.0)


support.main()
