# SPDX-License-Identifier: Apache-2.0
"""A training ends early, for all members after the same step."""

import unittest

import support
from cases import BATCH, SEED, Points, loss_of, network
from members import COORDINATOR, Training, ends
from torch import optim

import gleaner


def begin():
    model = network()
    job = gleaner.init(model, optim.SGD(model.parameters(), lr=0.05))
    loader = gleaner.DataLoader(Points(), batch_size=BATCH, seed=SEED)
    return model, job, loader


class Alone(unittest.TestCase):
    def train(self, before=None, after=None, **options):
        """The steps that were updated."""
        model, job, loader = begin()
        steps = []
        for batch in job.steps(loader, passes=2, **options):
            if job.step_number == before:
                job.stop()
            job.backward(loss_of(model, batch))
            if job.step():
                steps.append(job.step_number)
            if job.step_number == after:
                job.stop()
        self.assertTrue(job.finished)
        return steps

    def test_stop(self):
        """stop() before step(): after this step; later: after the next"""
        self.assertEqual(self.train(before=5), [1, 2, 3, 4, 5])
        self.assertEqual(self.train(after=5), [1, 2, 3, 4, 5, 6])

    def test_max_steps(self):
        """after so many steps, which may be more than there are"""
        self.assertEqual(self.train(max_steps=3), [1, 2, 3])
        self.assertEqual(len(self.train(max_steps=100)), 26)

    def test_parts(self):
        """a step that comes in parts is ended first"""
        model, job, loader = begin()
        job = gleaner.init(
            model, optim.SGD(model.parameters(), lr=0.05), micro_batch_max=4
        )
        done = 0
        for batch in job.steps(loader):
            if job.step_number == 2:
                job.stop()
            job.backward(loss_of(model, batch))
            done += job.step()
        self.assertEqual(done, 2)


@unittest.skipUnless(COORDINATOR.exists(), "the coordinator is not built")
class Members(unittest.TestCase):
    def test_vote(self):
        """one member's word ends the training of all, with the same state"""
        training = Training(3, "--passes", 4, "--step-ms", 5, "--stop-at", 60)
        self.addCleanup(training.close)
        self.assertEqual(training.finish(), 0, training.output())
        self.assertEqual(training.steps(), 60)
        done = ends(training.output())
        self.assertEqual(len(set(done)), 1, training.output())
        self.assertIn("updates=60 ", done[0])
        self.assertEqual(training.events("member_lost"), [])
        finish = training.events("finish")[-1]
        self.assertEqual((finish["step"], finish["samples_seen"]), (60, 960))


if __name__ == "__main__":
    support.main()
