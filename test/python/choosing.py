# SPDX-License-Identifier: Apache-2.0
"""Samplers, batch samplers and streams: each sample that they give is used once,
whatever members do; what cannot be used once is refused."""

import collections
import json
import os
import random
import signal
import unittest

import support
import torch
from cases import order
from choosing_trainer import (
    BATCH,
    LOADERS,
    N,
    PASSES,
    SEED,
    Buckets,
    Numbers,
    Sharded,
    Shuffled,
    train,
)
from members import COORDINATOR, Training
from torch.utils import data

import gleaner
from gleaner.converted import converted
from gleaner.places import Places


def steps_of(loader, passes=1):
    """The samples of each step, of one member alone."""
    seen = []
    train(loader, passes, lambda job, samples: seen.append(samples))
    return seen


def joined(steps):
    return [sample for step in steps for sample in step]


class Order(unittest.TestCase):
    """One member alone."""

    def test_places(self):
        """places are the inverse of the order in which Gleaner deals samples out"""
        for n, seed in ((200, 3), (1, 0), (2, 1), (97, 2**63 + 5), (1024, 7)):
            model = torch.nn.Linear(1, 1)
            job = gleaner.init(model, torch.optim.SGD(model.parameters(), lr=0))
            loader = gleaner.DataLoader([torch.ones(1)] * n, 16, seed=seed)
            dealt = collections.defaultdict(list)
            for x in job.steps(loader, passes=2):
                dealt[job.pass_number] += job.samples
                job.backward(model(x).sum())
                job.step()
            for number, samples in dealt.items():
                places = Places(n, seed, number).of(samples)
                self.assertEqual(places, list(range(n)))
        self.assertEqual(Places(200, 3, 0).of(joined(order())), list(range(200)))

    def test_sequential(self):
        """an order of one's own is kept, in every pass"""
        seen = steps_of(LOADERS["sequential"](), passes=2)
        self.assertEqual(joined(seen), list(range(N)) * 2)

    def test_weighted(self):
        """WeightedRandomSampler: repetitions are used, each pass draws others"""
        seen = steps_of(LOADERS["weighted"](), passes=2)
        first, second = joined(seen[: N // BATCH]), joined(seen[N // BATCH :])
        self.assertLess(len(set(first)), N)
        self.assertNotEqual(first, second)
        self.assertEqual(seen, steps_of(LOADERS["weighted"](), passes=2))

    def test_generator_and_epoch(self):
        """a sampler's own generator and set_epoch() give each pass its order"""
        sampler = data.RandomSampler(Numbers(), generator=torch.Generator())
        seen = steps_of(gleaner.DataLoader(Numbers(), BATCH, sampler=sampler), 2)
        halves = joined(seen[: N // BATCH]), joined(seen[N // BATCH :])
        self.assertEqual([sorted(half) for half in halves], [list(range(N))] * 2)
        self.assertNotEqual(*halves)
        many = data.DistributedSampler(Numbers(), num_replicas=2, rank=1)
        seen = steps_of(gleaner.DataLoader(Numbers(), BATCH, sampler=many), 2)
        self.assertEqual(len(joined(seen)), N)
        self.assertNotEqual(seen[: N // BATCH // 2], seen[N // BATCH // 2 :])

    def test_buckets(self):
        """a batch sampler's batch is a step; its last one may be short"""
        for loader in (LOADERS["buckets"](), LOADERS["torch"]()):
            seen = steps_of(loader)
            self.assertEqual(sorted(joined(seen)), list(range(N)))
            for step in seen:
                self.assertEqual(len({i // 32 for i in step}), 1)
        short = data.BatchSampler(range(20), 8, drop_last=False)
        seen = steps_of(gleaner.DataLoader(Numbers(), batch_sampler=short))
        self.assertEqual([len(step) for step in seen], [8, 8, 4])

    def test_streams(self):
        """a stream's samples are used in its order, and shards side by side"""
        seen = steps_of(LOADERS["stream"](), passes=2)
        first, second = joined(seen[: N // BATCH]), joined(seen[N // BATCH :])
        self.assertEqual(sorted(first), list(range(N)))
        self.assertNotEqual(first, second)
        seen = steps_of(LOADERS["shards"]())
        self.assertEqual(sorted(joined(seen)), list(range(N)))
        self.assertEqual(sorted(seen[0]), list(range(8)))

    def test_skip(self):
        """a stream that can skip is not read from its beginning"""

        class Skips(data.IterableDataset):
            def __init__(self, first=0):
                self.first = first

            def skip(self, n):
                return Skips(self.first + n)

            def __iter__(self):
                return iter(range(self.first, N))

        loader = gleaner.DataLoader(Skips(), BATCH, samples=N, seed=SEED)
        self.assertEqual(loader._stream.of([40, 41], 0), [40, 41])
        self.assertEqual(min(loader._stream._readers[0]._kept), 40)

    def test_again(self):
        """the samples of the step under way can be asked for again"""
        loader = LOADERS["stream"]()
        first = loader._stream.of(list(range(16)), 0)
        read = Shuffled.read
        self.assertEqual(loader._stream.of(list(range(8, 16)), 0), first[8:])
        self.assertEqual(Shuffled.read, read)
        self.assertEqual(loader._stream.of(list(range(40)), 0)[:16], first)
        self.assertEqual(loader._stream.of(list(range(8)), 0), first[:8])

    def test_numbers_apart(self):
        """what a sampler or a stream draws changes no number of the program's"""
        for name in ("weighted", "stream"):
            random.seed(1), torch.manual_seed(1)
            loader = LOADERS[name]()
            loader.numbers(range(8), 0)
            if loader._stream:
                loader._stream.of(range(8), 0)
            drawn = random.random(), torch.rand(1).item()
            random.seed(1), torch.manual_seed(1)
            self.assertEqual(drawn, (random.random(), torch.rand(1).item()))


class Refused(unittest.TestCase):
    def refused(self, words, call, error=gleaner.Unsupported):
        with self.assertRaisesRegex(error, words) as refused:
            call()
        self.assertRegex(str(refused.exception), r"\(.+\) \[.+\]$")

    def test_other_each_time(self):
        """a sampler that members could not agree on"""

        class Own:
            draws = random.Random()

            def __iter__(self):
                return iter(self.draws.sample(range(N), N))

        self.refused(
            "the sampler Own chooses other samples each time",
            lambda: gleaner.DataLoader(Numbers(), BATCH, sampler=Own()),
            ValueError,
        )

    def test_unequal_batches(self):
        """a batch sampler whose batches differ in size, by the batch's number"""
        batches = [[0, 1, 2, 3], [4, 5], [6, 7, 8, 9]]
        self.refused(
            "the batch sampler list: batch 2",
            lambda: gleaner.DataLoader(Numbers(), batch_sampler=batches),
            ValueError,
        )

    def test_unequal_passes(self):
        """a sampler with another number of samples in a later pass"""

        class Grows:
            passed = 0

            def set_epoch(self, number):
                self.passed = number

            def __iter__(self):
                return iter(range(16 + self.passed))

        loader = gleaner.DataLoader(Numbers(), BATCH, sampler=Grows())
        self.refused("17 samples in pass 1", lambda: steps_of(loader, 2), ValueError)

    def test_streams(self):
        """streams without a number, with workers, with samplers, too short"""
        for words, options in (
            ("Shuffled without samples=", {}),
            ("Shuffled with num_workers", {"samples": N, "num_workers": 1}),
            ("choose samples of a Shuffled", {"samples": N, "sampler": [1]}),
            ("cut a Shuffled into shards", {"samples": N, "shards": 4}),
        ):
            with self.subTest(words):
                make = lambda: gleaner.DataLoader(Shuffled(), BATCH, **options)
                self.refused(words, make)
        self.refused(
            "steps of 8 samples into 3 shards",
            lambda: gleaner.DataLoader(Sharded(), BATCH, samples=N, shards=3),
        )
        long = gleaner.DataLoader(Shuffled(), BATCH, samples=N + 8)
        words = "Shuffled ended after 96 samples"
        self.refused(words, lambda: steps_of(long), ValueError)

    def test_accumulation(self):
        """a batch sampler's batch is a step: it is not made larger"""
        self.refused(
            "steps of 16 samples from the batch sampler Buckets",
            lambda: converted(data.DataLoader(Numbers(), batch_sampler=Buckets()), 0, 16),
        )
        plain = converted(data.DataLoader(Numbers(), BATCH), 0, 16)
        self.assertEqual(plain.batch_size, 16)

    def test_loaders(self):
        """loaders of PyTorch's that have no number, or begin in the middle"""
        train_from = lambda loader: lambda: steps_of(loader)
        self.refused("a loader of a Shuffled", train_from(data.DataLoader(Shuffled())))
        whole = data.DataLoader(Numbers(), batch_size=None)
        self.refused("without batches", train_from(whole))
        self.refused("from a list", train_from([1, 2]))


@unittest.skipUnless(COORDINATOR.exists(), "the coordinator is not built")
class Members(unittest.TestCase):
    def train(self, name, *options, kill=True):
        """1, 3, 2 members, one of them killed; what it is at the end."""
        training = Training(1, name, *options, program="choosing_trainer.py")
        self.addCleanup(training.close)
        training.wait(lambda: training.steps() >= 3)
        for size in (2, 3):
            training.order("add")
            training.wait_for_size(size)
        begun = training.steps()
        training.wait(lambda: training.steps() >= begun + 8)
        if kill:
            os.kill(training.events("member_started")[1]["pid"], signal.SIGKILL)
            training.wait(lambda: training.events("member_lost"))
        else:
            training.order("remove l2 20")
            training.wait_for_size(2)
        self.assertEqual(training.finish(60), 0, training.output())
        said = [
            json.loads(line)
            for line in training.output().splitlines()
            if line.startswith("{")
        ]
        return said, [line for line in said if line.get("finished")]

    def compare(self, name, *options, **more):
        said, ends = self.train(name, *options, **more)
        expected, _ = train(LOADERS[name]())
        self.assertTrue(ends)
        for end in ends:
            self.assertEqual(end["counts"], expected)
        return said, ends

    def test_weighted(self):
        """WeightedRandomSampler: each draw is used once, with workers, too"""
        self.compare("weighted", "--workers", 2)

    def test_buckets(self):
        """a batch sampler: each sample once, and no step mixes buckets"""
        said, _ = self.compare("torch")
        buckets = collections.defaultdict(set)
        for line in said:
            if "step" in line:
                buckets[line["step"]] |= {i // 32 for i in line["samples"]}
        self.assertEqual({len(found) for found in buckets.values()}, {1})

    def test_stream(self):
        """a shuffled stream: each sample once"""
        _, ends = self.compare("stream")
        self.assertEqual(ends[0]["counts"], [float(PASSES)] * N)

    def test_shards(self):
        """a stream in shards: each sample once, and nobody reads all of it"""
        _, ends = self.compare("shards", kill=False)
        self.assertEqual(ends[0]["counts"], [float(PASSES)] * N)
        self.assertLess(max(end["read"] for end in ends), N * PASSES)


if __name__ == "__main__":
    support.main()
