# SPDX-License-Identifier: Apache-2.0
"""What Gleaner cannot train is refused at once, with a reason and a remedy."""

import unittest

import support
import torch
from cases import BATCH, Points, loss_of, network
from torch import nn

import gleaner


def sgd(model):
    return torch.optim.SGD(model.parameters(), lr=0.1)


def named(name, base):
    """A class as another package would have it; that package is not needed."""
    return type(name, (base,), {})


def wrapped(name):
    class Wrapper(nn.Module):
        def __init__(self):
            super().__init__()
            self.module = nn.Linear(2, 2)

    Wrapper.__name__ = name
    return Wrapper()


def frozen():
    model = nn.Linear(2, 2)
    model.requires_grad_(False)
    return model


def sharded():
    model = nn.Linear(2, 2)
    data = torch.zeros(2, 2)
    model.weight = named("DTensor", nn.Parameter)(data)
    return model


def on_two_devices():
    return nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2, device="meta"))


MODELS = [
    ("no module", lambda: object(), "no torch.nn.Module"),
    ("a Trainer", named("Trainer", object), "owns the training loop"),
    ("Fabric", named("Fabric", object), "owns the training loop"),
    ("Accelerate", named("Accelerator", object), "owns the training loop"),
    ("FSDP", lambda: wrapped("FullyShardedDataParallel"), "FSDP"),
    ("DDP", lambda: wrapped("DistributedDataParallel"), "reduces gradients itself"),
    ("DataParallel", lambda: wrapped("DataParallel"), "reduces gradients itself"),
    ("DeepSpeed", lambda: wrapped("DeepSpeedEngine"), "reduces gradients itself"),
    ("DTensor", sharded, "whole on every member"),
    ("sparse", lambda: nn.Embedding(4, 2, sparse=True), "sparse gradients"),
    ("sparse bag", lambda: nn.EmbeddingBag(4, 2, sparse=True), "sparse gradients"),
    ("max_norm", lambda: nn.Embedding(4, 2, max_norm=1.0), "changes rows in the"),
    ("two devices", on_two_devices, "several devices: cpu, meta"),
    ("another device", lambda: nn.Linear(2, 2, device="meta"), "parameters on meta"),
    ("complex", lambda: nn.Linear(2, 2, dtype=torch.complex64), "in complex64"),
    (
        "channels last",
        lambda: nn.Conv2d(2, 2, 3).to(memory_format=torch.channels_last),
        "not contiguous",
    ),
    ("frozen", frozen, "nothing to train"),
]
OPTIMIZERS = [
    ("a list", lambda m: [sgd(m)], "no torch.optim.Optimizer"),
    ("LBFGS", lambda m: torch.optim.LBFGS(m.parameters()), "LBFGS"),
    ("SparseAdam", lambda m: torch.optim.SparseAdam(m.parameters()), "SparseAdam"),
    (
        "ZeRO",
        lambda m: named("ZeroRedundancyOptimizer", torch.optim.SGD)(
            m.parameters(), lr=1
        ),
        "ZeRO",
    ),
    (
        "Accelerate's",
        lambda m: named("AcceleratedOptimizer", torch.optim.SGD)(m.parameters(), lr=1),
        "Accelerate owns the step",
    ),
    ("another model's", lambda m: sgd(network()), "other parameters"),
]


class Stream(torch.utils.data.IterableDataset):
    def __iter__(self):
        return iter(range(3))


LOADERS = [
    ("a stream", lambda: gleaner.DataLoader(Stream(), 4), "deals out samples"),
    ("no dataset", lambda: gleaner.DataLoader(3, 4), "__getitem__"),
    ("shuffle", lambda: gleaner.DataLoader(Points(), 4, shuffle=True), "'shuffle'"),
    ("timeout", lambda: gleaner.DataLoader(Points(), 4, timeout=9), "'timeout'"),
    ("a word", lambda: gleaner.DataLoader(Points(), 4, pin=True), "does not know it"),
    ("no size", lambda: gleaner.DataLoader(Points()), "without batch_size"),
    (
        "both",
        lambda: gleaner.DataLoader(Points(), 4, sampler=[1], batch_sampler=[[1]]),
        "a sampler and a batch_sampler",
    ),
]


class Refusals(unittest.TestCase):
    def refused(self, call, words):
        with self.assertRaises(gleaner.Unsupported) as refused:
            call()
        message = str(refused.exception)
        self.assertIn(words, message)
        self.assertRegex(message, r"\(.+\) \[.+\]$", "no reason or no remedy")

    def test_models(self):
        """models that no member could train"""
        for name, make, words in MODELS:
            with self.subTest(model=name):
                model = make()
                optimizer = sgd(model) if hasattr(model, "parameters") else None
                self.refused(lambda: gleaner.init(model, optimizer), words)

    def test_optimizers(self):
        """optimizers whose state or step is not the member's own"""
        for name, make, words in OPTIMIZERS:
            with self.subTest(optimizer=name):
                model = network()
                self.refused(lambda: gleaner.init(model, make(model)), words)

    def test_loaders(self):
        """datasets without numbers, and options that choose samples"""
        for name, make, words in LOADERS:
            with self.subTest(loader=name):
                self.refused(make, words)

    def test_options(self):
        """a wrong word for scheduler_every"""
        model = network()
        with self.assertRaisesRegex(ValueError, "'epoch'.*'pass'"):
            gleaner.init(model, sgd(model), scheduler_every="epoch")


class Misuse(unittest.TestCase):
    """Loops that would train something else than they seem to."""

    def loop(self, words, body, error=RuntimeError):
        model = network()
        optimizer = sgd(model)
        job = gleaner.init(model, optimizer)
        with self.assertRaisesRegex(error, words):
            for batch in job.steps(gleaner.DataLoader(Points(), BATCH)):
                body(job, batch, loss_of(model, batch))
        self.assertTrue(all(p.grad is None for p in model.parameters()))

    def test_plain_backward(self):
        """loss.backward() instead of job.backward()"""
        self.loop("has seen 0 of", lambda job, _, loss: (loss.backward(), job.step()))

    def test_missing_part(self):
        """a part of the batch is left out"""
        self.loop(
            "has seen 3 of", lambda job, _, loss: (job.backward(loss, n=3), job.step())
        )

    def test_too_much(self):
        """the batch is counted twice"""
        self.loop(
            "has seen 32 of",
            lambda job, _, loss: (
                job.backward(loss, n=BATCH),
                job.backward(loss, n=BATCH),
            ),
        )

    def test_no_step(self):
        """the body ends without job.step()"""
        self.loop("without job.step", lambda job, _, loss: job.backward(loss))

    def test_two_steps(self):
        """the body steps twice"""
        self.loop(
            "outside of a step",
            lambda job, _, loss: (job.backward(loss), job.step(), job.step()),
        )

    def test_no_weight(self):
        """weights that add up to nothing"""
        self.loop(
            "weights of a step add up to 0",
            lambda job, _, loss: (job.backward(loss, weight=0), job.step()),
            ValueError,
        )

    def test_mixed(self):
        """losses with and without weight in one step"""
        self.loop(
            "with and without weight",
            lambda job, _, loss: (
                job.backward(loss, n=4),
                job.backward(loss_of(job.model, _), weight=2),
                job.step(),
            ),
        )

    def test_gradient_replaced(self):
        """somebody puts another gradient in the place of ours"""

        def body(job, _, loss):
            job.backward(loss)
            weight = next(job.model.parameters())
            weight.grad = weight.grad.clone()
            job.step()

        self.loop("was replaced", body)

    def test_moved(self):
        """parameters move in memory while they are trained"""

        def body(job, _, loss):
            job.backward(loss)
            weight = next(job.model.parameters())
            weight.data = weight.data.clone()
            job.step()

        self.loop("has moved in memory", body)

    def test_sparse_gradient(self):
        """a gradient that turns out to be sparse"""

        def body(job, _, loss):
            weight = next(job.model.parameters())
            found = nn.functional.embedding(torch.tensor([0]), weight, sparse=True)
            job.backward(found.sum())

        self.loop("is sparse", body, TypeError)

    def test_steps_twice(self):
        """one job trains once"""
        model = network()
        job = gleaner.init(model, sgd(model))
        loader = gleaner.DataLoader(Points(), BATCH)
        for batch in job.steps(loader):
            job.backward(loss_of(model, batch))
            job.step()
        with self.assertRaisesRegex(RuntimeError, "called before"):
            next(iter(job.steps(loader)))

    def test_early(self):
        """there is no step before the loop"""
        model = network()
        job = gleaner.init(model, sgd(model))
        for call in (job.step, lambda: job.backward(torch.zeros(1)), lambda: job.rank):
            with self.assertRaisesRegex(RuntimeError, "step"):
                call()

    def test_library_missing(self):
        """libgleaner that cannot be found is told with the remedy"""
        import os
        import subprocess
        import sys

        where = dict(os.environ, GLEANER_LIBRARY="/nowhere/libgleaner.so")
        program = "import gleaner; gleaner.core.library()"
        done = subprocess.run(
            [sys.executable, "-c", program], env=where, capture_output=True, text=True
        )
        self.assertRegex(done.stderr, "ImportError: libgleaner.*GLEANER_LIBRARY")


support.main()
