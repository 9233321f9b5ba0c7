# SPDX-License-Identifier: Apache-2.0
"""A gradient is reduced beside the backward pass only when it is complete."""

import os
import unittest

import support
import torch
from cases import BATCH, SEED, Points, collated, loss_of, order
from torch import nn
from torch.utils.checkpoint import checkpoint

import gleaner


class Shared(nn.Module):
    """The wide layer, which fills a bucket by itself, is used in two segments of
    activation checkpointing from step `again` on, before that in one."""

    def __init__(self, again=1, reentrant=True):
        super().__init__()
        torch.manual_seed(1)
        self.first, self.last = nn.Linear(8, 640), nn.Linear(640, 1)
        self.shared = nn.Linear(640, 640)
        self.again, self.reentrant, self.step = again, reentrant, 0

    def forward(self, x):
        self.step += 1
        x = torch.tanh(self.first(x))
        for _ in range(2 if self.step >= self.again else 1):
            x = checkpoint(self.segment, x, use_reentrant=self.reentrant)
        return self.last(x)

    def segment(self, x):
        return torch.tanh(self.shared(x))


class Overlap(unittest.TestCase):
    def train(self, model):
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        job = gleaner.init(model, optimizer)
        for batch in job.steps(gleaner.DataLoader(Points(), BATCH, seed=SEED)):
            job.backward(loss_of(model, batch))
            job.step()

    def train_plainly(self, model):
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        for samples in order():
            optimizer.zero_grad()
            loss_of(model, collated(samples)).backward()
            optimizer.step()

    def compare(self, **options):
        plain, model = Shared(**options), Shared(**options)
        self.train_plainly(plain)
        self.train(model)
        for name, tensor in model.state_dict().items():
            self.assertTrue(torch.equal(tensor, plain.state_dict()[name]), name)

    def test_shared(self):
        """a layer that two segments share, each with a backward pass of its own"""
        self.compare()

    def test_not_reentrant(self):
        """the same in one backward pass"""
        self.compare(reentrant=False)

    def test_later(self):
        """a layer that is shared from a later step on is refused by name"""
        with self.assertRaisesRegex(
            RuntimeError, "'shared.(weight|bias)' was added to again.*OVERLAP=0"
        ):
            self.train(Shared(again=4))

    def test_later_without_overlap(self):
        """not with GLEANER_OVERLAP=0, nor in deterministic mode"""
        for name, value in (("OVERLAP", "0"), ("DETERMINISTIC", "1")):
            with self.subTest(setting=name):
                os.environ["GLEANER_" + name] = value
                self.addCleanup(os.environ.pop, "GLEANER_" + name, None)
                model = Shared(again=4)
                self.train(model)
                del os.environ["GLEANER_" + name]
                plain = Shared(again=4)
                self.train_plainly(plain)
                torch.testing.assert_close(model.shared.weight, plain.shared.weight)


support.main()
