# SPDX-License-Identifier: Apache-2.0
"""A share of a step that does not fit the memory is computed in parts."""

import os
import time
import unittest

import support
import torch
from cases import BATCH, SAMPLES, SEED, Points, collated, loss_of, order
from members import COORDINATOR, PASSES, Members, ends
from torch import nn

import gleaner
from gleaner import core, memory


def network(norm=None):
    torch.manual_seed(1)
    layers = [nn.Linear(8, 16), nn.Tanh(), nn.Linear(16, 1)]
    return nn.Sequential(*layers[:1], *([norm] if norm else []), *layers[1:]).double()


def sgd(model):
    return torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)


def double(batch):
    return tuple(tensor.double() for tensor in batch)


def plainly(model, passes=1):
    """The weights that a plain loop ends with."""
    optimizer = sgd(model)
    for samples in order(passes):
        optimizer.zero_grad()
        loss_of(model, double(collated(samples))).backward()
        optimizer.step()
    return model.state_dict()


def loader(**options):
    return gleaner.DataLoader(Points(), batch_size=BATCH, seed=SEED, **options)


class Small:
    """Memory for so many samples: more are refused, where `where` says."""

    def __init__(self, model, samples, where="forward", error=None):
        self.samples, self.where = samples, where
        self.error = error or RuntimeError("CUDA out of memory. Tried to allocate")
        self.sizes = []
        model[0].register_forward_pre_hook(self._before)
        model[0].weight.register_hook(lambda _: self._check("backward"))

    def _before(self, _, inputs):
        self.sizes.append(len(inputs[0]))
        self._check("forward")

    def _check(self, where):
        if self.sizes[-1] > self.samples and where == self.where:
            raise self.error


class Parts(unittest.TestCase):
    def train(self, model, passes=1, data=None, optimizer=None, **options):
        """The sizes of all batches that were given."""
        job = gleaner.init(model, optimizer or sgd(model), **options)
        sizes = []
        for batch in job.steps(data or loader(), passes):
            sizes.append(len(batch[0]))
            with job.part():
                job.backward(loss_of(model, double(batch)))
                job.step()
        self.assertTrue(job.finished)
        return sizes

    def check(self, model, passes=1):
        """It is as a plain loop leaves it."""
        for name, value in plainly(network(), passes).items():
            torch.testing.assert_close(
                model.state_dict()[name], value, rtol=1e-12, atol=1e-12
            )

    def test_given(self):
        """with a limit, a step comes in parts: the weights of a plain loop"""
        model = network()
        sizes = self.train(model, micro_batch_max=5)
        self.assertEqual(sizes[:4], [4, 4, 4, 4])
        self.assertEqual(sum(sizes), SAMPLES)
        self.check(model)

    def test_wrong(self):
        """a limit below one sample is refused"""
        model = network()
        with self.assertRaisesRegex(ValueError, "micro_batch_max is 0"):
            gleaner.init(model, sgd(model), micro_batch_max=0)

    def test_found(self):
        """without one, it is found by halving, wherever memory was missing"""
        host = "DefaultCPUAllocator: can't allocate memory: you tried to allocate"
        for where in ("forward", "backward"):
            for error in (None, MemoryError(), RuntimeError(host)):
                with self.subTest(where=where, error=error):
                    model = network()
                    small = Small(model, 5, where, error)
                    sizes = self.train(model, passes=2)
                    self.assertEqual(sizes, small.sizes)
                    self.assertEqual(sizes[:6], [16, 8, 4, 4, 4, 4])
                    self.assertLessEqual(max(sizes[2:]), 5)
                    self.check(model, passes=2)

    def test_later(self):
        """in a later part of a later step: all of that step begins again"""
        model = network()
        small = Small(model, 16)
        job = gleaner.init(model, sgd(model), micro_batch_max=8)
        given = []
        for batch in job.steps(loader(), passes=2):
            given.append((job.step_number, len(batch[0])))
            with job.part():
                if given[-2:] == [(3, 8), (3, 8)]:
                    small.samples = 4
                job.backward(loss_of(model, double(batch)))
                job.step()
        third = [size for step, size in given if step == 3]
        self.assertEqual(third, [8, 8, 4, 4, 4, 4])
        self.check(model, passes=2)

    def test_overlap(self):
        """beside a reduction that goes on during backward, too"""
        models = []
        for limit in (64, 3):
            torch.manual_seed(1)
            layers = [nn.Linear(8, 600), nn.Linear(600, 600), nn.Linear(600, 1)]
            models.append(nn.Sequential(*layers).double())
            Small(models[-1], limit, "backward")
            optimizer = torch.optim.SGD(models[-1].parameters(), lr=1e-3)
            self.train(models[-1], optimizer=optimizer)
        for one, other in zip(models[0].parameters(), models[1].parameters()):
            torch.testing.assert_close(one, other, rtol=1e-9, atol=1e-12)

    def test_on_its_way(self):
        """with gradients on their way to others, which had memory before"""
        models = []
        for limit in (64, 3):
            torch.manual_seed(1)
            layers = [nn.Linear(8, 600), nn.Linear(600, 600), nn.Linear(600, 1)]
            model = nn.Sequential(*layers).double()
            models.append(model)
            small = Small(model, 64, "backward")
            job = gleaner.init(model, torch.optim.SGD(model.parameters(), lr=1e-3))
            for batch in job.steps(loader()):
                if job.step_number == 5:
                    small.samples = limit
                with job.part():
                    job.backward(loss_of(model, double(batch)))
                    time.sleep(0.02)
                    job.step()
        for one, other in zip(models[0].parameters(), models[1].parameters()):
            torch.testing.assert_close(one, other, rtol=1e-9, atol=1e-12)

    def test_workers(self):
        """batches that are loaded ahead are those of the parts"""
        model = network()
        Small(model, 5)
        self.train(model, passes=2, data=loader(num_workers=2))
        self.check(model, passes=2)

    def test_raised(self):
        """it is raised for one sample, in the update, and when it is another error"""
        model = network()
        small = Small(model, 0)
        with self.assertRaisesRegex(RuntimeError, "CUDA out of memory"):
            self.train(model)
        self.assertEqual(small.sizes, [16, 8, 4, 2, 1])

        def update():
            raise MemoryError

        model = network()
        with self.assertRaises(MemoryError):
            self.train(model, update=update)
        model = network()
        Small(model, 5, error=RuntimeError("shapes differ"))
        with self.assertRaisesRegex(RuntimeError, "shapes differ"):
            self.train(model)

    def test_rest_of_body(self):
        """what follows the part in the loop does no harm when it begins again"""
        model = network()
        Small(model, 5)
        job = gleaner.init(model, sgd(model))
        done, means = [], []
        loss = torch.zeros(())
        for batch in job.steps(loader()):
            with job.part():
                loss = loss_of(model, double(batch))
                means.append(job.mean(loss))
                job.backward(loss)
            if job.step():
                done.append(job.step_number)
            job.log({"loss": loss})
        steps = -(-SAMPLES // BATCH)
        self.assertEqual(done, list(range(1, steps + 1)))
        self.check(model)

    def test_mean(self):
        """job.mean() is that of the whole step, without what was dropped"""
        model = nn.Linear(8, 1)
        small = Small([model], 5)
        job = gleaner.init(model, torch.optim.SGD(model.parameters(), lr=0))
        means, expected = [], []
        for x, y in job.steps(loader()):
            with job.part():
                loss = nn.functional.mse_loss(model(x)[:, 0], y)
                mean = job.mean(x.sum() / len(x))
                job.backward(loss)
                if job.step():
                    means.append(float(mean))
        for samples in order():
            x, _ = collated(samples)
            expected.append(float(x.sum()) / len(samples))
        self.assertEqual(small.sizes[:3], [16, 8, 4])
        torch.testing.assert_close(torch.tensor(means), torch.tensor(expected))

    def test_weight(self):
        """weights of the parts add up"""
        model = network()
        job = gleaner.init(model, sgd(model), micro_batch_max=3)
        for batch in job.steps(loader()):
            n = len(batch[0])
            job.backward(loss_of(model, double(batch)) * n, weight=n)
            job.step()
        self.check(model)

    def test_statistics(self):
        """each part is normalised; statistics are averaged; failed ones leave none"""
        models = []
        for limit in (None, 4):
            model = network(nn.BatchNorm1d(16))
            if limit is None:
                Small(model, 4, "backward")
            self.train(model, batch_norm="share", micro_batch_max=limit)
            models.append(model)
        self.assertEqual(models[0][1].num_batches_tracked, 13)
        for one, other in zip(*(model.state_dict().values() for model in models)):
            torch.testing.assert_close(one, other, rtol=1e-12, atol=1e-12)

    def test_counters(self):
        """a buffer that counts steps counts a step once"""

        class Counter(nn.Module):
            def __init__(self):
                super().__init__()
                self.register_buffer("calls", torch.zeros((), dtype=torch.int64))

            def forward(self, x):
                self.calls += 1
                return x

        model = network(Counter())
        Small(model, 4, "backward")
        self.train(model)
        self.assertEqual(model[1].calls, 13)

    def test_words(self):
        """what libgleaner says of its own memory is another matter"""
        self.assertFalse(memory.is_missing(core.GleanerError(-7, "out of memory")))
        self.assertFalse(memory.is_missing(ValueError("out of memory")))


class Deterministic(unittest.TestCase):
    def setUp(self):
        os.environ["GLEANER_DETERMINISTIC"] = "4"
        self.addCleanup(os.environ.pop, "GLEANER_DETERMINISTIC")

    def train(self, limit):
        model = network()
        job = gleaner.init(model, sgd(model), micro_batch_max=limit)
        for batch in job.steps(loader()):
            with job.part():
                job.backward(loss_of(model, double(batch)))
                job.step()
        return [p.tolist() for p in model.parameters()]

    def test_same(self):
        """deterministic: the same bits with a limit that shards are within"""
        self.assertEqual(self.train(4), self.train(None))

    def test_refused(self):
        """deterministic: a limit that shards are not within is refused"""
        with self.assertRaisesRegex(
            gleaner.GleanerError, r"micro_batch_max is 3.*\[use 6 shards or more\]"
        ):
            self.train(3)


@unittest.skipUnless(COORDINATOR.exists(), "the coordinator is not built")
class Shrinks(Members):
    """The tests that are inherited belong to members.py."""

    def shrink(self, workers):
        """A member has memory for half of the batch, until it is alone."""
        training = self.begin(
            *(2, "--passes", PASSES, "--step-ms", 10, "--memory", 8),
            *("--workers", workers),
        )
        training.wait(lambda: training.steps() >= 20)
        training.order("remove l1 20")
        training.wait_for_size(1)
        training.wait(lambda: training.steps() >= 100)
        training.order("add")
        training.wait_for_size(2)
        self.assertEqual(training.finish(), 0, training.output())
        self.assertEqual(training.events("member_lost"), [], training.output())
        self.compare(training)
        self.assertEqual(len(set(ends(training.output()))), 1, training.output())

    def test_shrink(self):
        """a training whose members have no memory for a larger share shrinks"""
        self.shrink(workers=0)

    def test_shrink_workers(self):
        """the same with loader workers"""
        self.shrink(workers=1)


def load_tests(tests, *_):
    """Not what Shrinks inherits."""
    own = unittest.TestSuite()
    for case in (Parts, Deterministic):
        own.addTests(unittest.defaultTestLoader.loadTestsFromTestCase(case))
    own.addTests(map(Shrinks, ("test_shrink", "test_shrink_workers")))
    return own


support.main()
