# SPDX-License-Identifier: Apache-2.0
"""Options that are to make a loop faster change none of its numbers."""

import os
import shutil
import tempfile
import unittest
from unittest import mock

# torch.compile() takes a compiler without options, which make's may have, and keeps
# what it builds in /tmp.
os.environ["CXX"] = "c++"
built = tempfile.TemporaryDirectory()
os.environ["TORCHINDUCTOR_CACHE_DIR"] = built.name

import support
import torch
from cases import BATCH, SEED, Points, loss_of, network
from torch import nn

import gleaner


def losses(model, prepare=lambda batch: batch, loss=loss_of, data=None, **loader):
    """Of a training with these options of the loader."""
    found = []
    trained = gleaner.DataLoader(data or Points(), BATCH, seed=SEED, **loader)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    job = gleaner.init(model, optimizer)
    for batch in job.steps(trained, passes=2):
        value = loss(model, prepare(batch))
        job.backward(value)
        job.step()
        found.append(value.item())
    return found


class Images:
    def __len__(self):
        return 64

    def __getitem__(self, i):
        draw = torch.Generator().manual_seed(i)
        return torch.randn(3, 12, 12, generator=draw, dtype=torch.float64), i % 4


def convolutions():
    torch.manual_seed(1)
    return nn.Sequential(
        nn.Conv2d(3, 8, 3), nn.ReLU(), nn.Conv2d(8, 8, 3, 2), nn.Flatten(), nn.Linear(128, 4)
    ).double()


def entropy(model, batch):
    return nn.functional.cross_entropy(model(batch[0]), batch[1])


class SameNumbers(unittest.TestCase):
    def test_loader(self):
        """pin_memory, persistent_workers, workers"""
        expected = losses(network())
        for options in (
            {"pin_memory": True},
            {"num_workers": 2, "persistent_workers": True},
            {"num_workers": 2, "persistent_workers": False, "pin_memory": True},
        ):
            with self.subTest(options=options):
                self.assertEqual(losses(network(), **options), expected)

    def test_pinned(self):
        """pin_memory pins each batch where there is a GPU, and only there"""
        pinned = mock.Mock(side_effect=lambda batch: batch)
        for has_gpu, calls in ((False, 0), (True, 26)):
            pinned.reset_mock()
            with mock.patch("gleaner.loader.pinned", pinned):
                with mock.patch("torch.cuda.is_available", lambda: has_gpu):
                    loader = gleaner.DataLoader(Points(), BATCH, pin_memory=True)
                for i in range(26):
                    loader.load([i], lambda k: None)
            self.assertEqual(pinned.call_count, calls)

    def test_channels_last(self):
        """batches in channels_last"""

        def last(batch):
            images = batch[0].contiguous(memory_format=torch.channels_last)
            return images, batch[1]

        expected = losses(convolutions(), loss=entropy, data=Images())
        found = losses(convolutions(), last, entropy, Images())
        for got, want in zip(found, expected):
            self.assertAlmostEqual(got, want, delta=1e-12)
        self.assertLess(expected[-1], expected[0])

    @unittest.skipUnless(hasattr(torch, "compile"), "PyTorch before 2 has no compile()")
    @unittest.skipUnless(shutil.which("c++"), "torch.compile() needs a compiler")
    def test_compile(self):
        """torch.compile(), which computes sums in another order"""
        expected = losses(network().double(), double)
        found = losses(torch.compile(network().double()), double)
        for got, want in zip(found, expected):
            self.assertAlmostEqual(got, want, delta=1e-12)


def double(batch):
    return tuple(part.double() for part in batch)


if __name__ == "__main__":
    support.main()
