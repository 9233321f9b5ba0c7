# SPDX-License-Identifier: Apache-2.0
"""A program that is started by hand trains as its plain form does, bit by bit."""

import unittest

import support
import torch
from cases import (
    BATCH,
    SAMPLES,
    SEED,
    Points,
    network,
    order,
    train,
    train_plainly,
    values,
)
from torch.optim.swa_utils import AveragedModel

import gleaner

OPTIMIZERS = {
    "SGD": lambda p: torch.optim.SGD(p, lr=0.05),
    "SGD, momentum": lambda p: torch.optim.SGD(
        p, lr=0.05, momentum=0.9, dampening=0.5, weight_decay=0.01
    ),
    "Adam": lambda p: torch.optim.Adam(p, lr=0.01),
    "AdamW": lambda p: torch.optim.AdamW(p, lr=0.01, amsgrad=True),
    "NAdam": lambda p: torch.optim.NAdam(p, lr=0.01),
    "RAdam": lambda p: torch.optim.RAdam(p, lr=0.01),
    "Adagrad": lambda p: torch.optim.Adagrad(p, initial_accumulator_value=0.1),
    "Adadelta": lambda p: torch.optim.Adadelta(p),
    "Adamax": lambda p: torch.optim.Adamax(p),
    "RMSprop": lambda p: torch.optim.RMSprop(p, momentum=0.5, centered=True),
    "Rprop": lambda p: torch.optim.Rprop(p),
    "ASGD": lambda p: torch.optim.ASGD(p, lr=0.05),
}


class Alone(unittest.TestCase):
    def test_samples(self):
        """each sample is dealt out once per pass, in another order in each"""
        steps = order(passes=2)
        first = [i for step in steps[: len(steps) // 2] for i in step]
        second = [i for step in steps[len(steps) // 2 :] for i in step]
        self.assertEqual(sorted(first), list(range(SAMPLES)))
        self.assertEqual(sorted(second), list(range(SAMPLES)))
        self.assertNotEqual(first, second)

    def test_optimizers(self):
        """every optimizer of PyTorch ends with the numbers of the plain loop"""
        for name, make in OPTIMIZERS.items():
            with self.subTest(optimizer=name):
                plain, malleable = network(), network()
                expected = train_plainly(plain, make(plain.parameters()))
                losses = train(malleable, make(malleable.parameters()))
                self.assertEqual(losses, expected)
                self.assertEqual(values(malleable), values(plain))

    def test_clipping(self):
        """clip_norm clips the gradient of the whole batch"""
        plain, malleable = network(), network()
        expected = train_plainly(
            plain,
            torch.optim.SGD(plain.parameters(), lr=0.1),
            lambda: torch.nn.utils.clip_grad_norm_(plain.parameters(), 0.1),
        )
        optimizer = torch.optim.SGD(malleable.parameters(), lr=0.1)
        self.assertEqual(train(malleable, optimizer, clip_norm=0.1), expected)
        self.assertEqual(values(malleable), values(plain))

    def test_scheduler(self):
        """a scheduler steps after each update"""
        plain, malleable = network(), network()
        optimizer = torch.optim.SGD(plain.parameters(), lr=0.1)
        scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, 0.2, 13)
        expected = train_plainly(plain, optimizer, after_step=scheduler.step)
        optimizer = torch.optim.SGD(malleable.parameters(), lr=0.1)
        scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, 0.2, 13)
        self.assertEqual(train(malleable, optimizer, scheduler=scheduler), expected)
        self.assertEqual(values(malleable), values(plain))

    def test_scheduler_of_passes(self):
        """with scheduler_every='pass' it steps between passes"""
        model = network()
        optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
        scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1, 0.5)
        rates = []
        job = gleaner.init(
            model, optimizer, scheduler=scheduler, scheduler_every="pass"
        )
        loader = gleaner.DataLoader(Points(), batch_size=100)
        for x, _ in job.steps(loader, passes=3):
            job.backward(model(x).sum() * 0)
            job.step()
            rates.append(optimizer.param_groups[0]["lr"])
        self.assertEqual(rates, [1, 1, 0.5, 0.5, 0.25, 0.25])

    def test_average(self):
        """an averaged model is updated after each step"""
        plain, malleable = network(), network()
        average, expected = AveragedModel(malleable), AveragedModel(plain)
        train_plainly(
            plain,
            torch.optim.SGD(plain.parameters(), lr=0.05),
            after_step=lambda: expected.update_parameters(plain),
        )
        train(malleable, torch.optim.SGD(malleable.parameters(), lr=0.05), ema=average)
        self.assertEqual(values(average), values(expected))

    def test_workers(self):
        """loader workers deliver what the loader itself does"""
        expected_model, model = network(), network()
        expected = train(
            expected_model, torch.optim.Adam(expected_model.parameters()), passes=2
        )
        loader = gleaner.DataLoader(
            Points(), batch_size=BATCH, seed=SEED, num_workers=2
        )
        optimizer = torch.optim.Adam(model.parameters())
        self.assertEqual(train(model, optimizer, 2, loader), expected)
        self.assertEqual(values(model), values(expected_model))

    def test_own_update(self):
        """update= takes the place of the usual one"""
        model, calls = network(), []
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        before = values(model)
        train(model, optimizer, update=lambda: calls.append(1))
        self.assertEqual(len(calls), 13)
        self.assertEqual(values(model), before)

    def test_gradients_go(self):
        """after the loop no gradient points to memory that is gone"""
        model = network()
        train(model, torch.optim.SGD(model.parameters(), lr=0.1))
        self.assertTrue(all(p.grad is None for p in model.parameters()))


support.main()
