# SPDX-License-Identifier: Apache-2.0
"""What a step may consist of: parts, weights, casts, unused parameters."""

import random
import unittest

import numpy
import support
import torch
from cases import BATCH, SEED, Points, collated, loss_of, network, order, values
from torch import nn

import gleaner


def steps_of(model, passes=1, lr=0.05, make=torch.optim.SGD, **options):
    optimizer = make(model.parameters(), lr=lr)
    job = gleaner.init(model, optimizer, **options)
    loader = gleaner.DataLoader(Points(), batch_size=BATCH, seed=SEED)
    for batch in job.steps(loader, passes=passes):
        yield job, optimizer, batch


def plain_steps(model, lr=0.05):
    optimizer = torch.optim.SGD(model.parameters(), lr=lr)
    for samples in order():
        optimizer.zero_grad()
        yield optimizer, collated(samples)


def close(test, model, expected):
    for got, want in zip(model.state_dict().values(), expected.state_dict().values()):
        torch.testing.assert_close(got, want, rtol=1e-5, atol=1e-6)


class FixedScaler:
    """A GradScaler of CPU: PyTorch 1.13 has them for CUDA only."""

    def __init__(self):
        self.factor, self.skipped, self._bad = 1024.0, 0, False

    def scale(self, loss):
        return loss * self.factor

    def unscale_(self, optimizer):
        gradients = [p.grad for g in optimizer.param_groups for p in g["params"]]
        for gradient in gradients:
            gradient.div_(self.factor)
        self._bad = not all(bool(g.isfinite().all()) for g in gradients)

    def step(self, optimizer):
        if self._bad:
            self.skipped += 1
        else:
            optimizer.step()

    def update(self):
        if self._bad:
            self.factor /= 2

    def state_dict(self):
        return {"factor": self.factor, "skipped": self.skipped}

    def load_state_dict(self, state):
        self.factor, self.skipped = state["factor"], state["skipped"]


class Features(unittest.TestCase):
    def test_accumulation(self):
        """a batch in parts gives the gradient of the whole batch"""
        model, expected = network(), network()
        for job, _, (x, y) in steps_of(model):
            for part in torch.arange(len(x)).split(5):
                loss = loss_of(model, (x[part], y[part]))
                job.backward(loss, n=len(part))
            job.step()
        for optimizer, batch in plain_steps(expected):
            loss_of(expected, batch).backward()
            optimizer.step()
        close(self, model, expected)

    def test_weights(self):
        """weight= divides the sum of losses by the weights of all"""
        model, expected = network(), network()

        def loss_sum(m, batch):
            x, y = batch
            tokens = (x[:, 0] > 0).float() + 1  # one or two in a sample
            return (tokens * (m(x)[:, 0] - y) ** 2).sum(), tokens.sum()

        for job, _, (x, y) in steps_of(model, lr=0.02):
            for half in (slice(0, 3), slice(3, None)):
                if len(x[half]):
                    loss, tokens = loss_sum(model, (x[half], y[half]))
                    job.backward(loss, weight=tokens)
            job.step()
        for optimizer, batch in plain_steps(expected, lr=0.02):
            loss, tokens = loss_sum(expected, batch)
            (loss / tokens).backward()
            optimizer.step()
        close(self, model, expected)

    def test_autocast(self):
        """bfloat16 by autocast gives the numbers of the plain loop"""
        model, expected = network(), network()

        def loss_in_bfloat16(m, batch):
            with torch.autocast("cpu", dtype=torch.bfloat16):
                out = m(batch[0])
            self.assertEqual(out.dtype, torch.bfloat16)
            return nn.functional.mse_loss(out[:, 0].float(), batch[1])

        for job, _, batch in steps_of(model):
            job.backward(loss_in_bfloat16(model, batch))
            job.step()
        for optimizer, batch in plain_steps(expected):
            loss_in_bfloat16(expected, batch).backward()
            optimizer.step()
        self.assertEqual(values(model), values(expected))

    def test_bfloat16_parameters(self):
        """parameters in bfloat16 have gradients in it, and values of Job.mean()
        are not rounded to it"""
        model, expected = network().bfloat16(), network().bfloat16()

        def loss_in_bfloat16(m, batch):  # 1.13 has no mse_loss of bfloat16
            x, y = (values.bfloat16() for values in batch)
            return (m(x)[:, 0] - y).square().mean()

        for job, _, batch in steps_of(model):
            mean = job.mean(1 + 2**-20)
            job.backward(loss_in_bfloat16(model, batch))
            job.step()
            self.assertEqual(float(mean), 1 + 2**-20)
        for optimizer, batch in plain_steps(expected):
            loss_in_bfloat16(expected, batch).backward()
            optimizer.step()
        self.assertEqual(values(model), values(expected))

    def test_scaler(self):
        """losses are scaled, gradients unscaled; a step with infinities is left out"""
        model, expected = network(), network()
        scaler = FixedScaler()
        for job, _, batch in steps_of(model, scaler=scaler, clip_norm=0.5):
            loss = loss_of(model, batch)
            job.backward(loss * float("inf") if job.step_number == 3 else loss)
            job.step()
        for number, (optimizer, batch) in enumerate(plain_steps(expected), 1):
            loss_of(expected, batch).backward()
            torch.nn.utils.clip_grad_norm_(expected.parameters(), 0.5)
            if number != 3:
                optimizer.step()
        self.assertEqual((scaler.skipped, scaler.factor), (1, 512.0))
        close(self, model, expected)

    def test_scaler_of_pytorch(self):
        """PyTorch's own GradScaler, enabled where it can be"""
        if hasattr(torch.amp, "GradScaler"):
            scaler = torch.amp.GradScaler("cpu")
        else:
            scaler = torch.cuda.amp.GradScaler(enabled=torch.cuda.is_available())
        model, expected = network(), network()
        for job, _, batch in steps_of(model, scaler=scaler):
            job.backward(loss_of(model, batch))
            job.step()
        for optimizer, batch in plain_steps(expected):
            loss_of(expected, batch).backward()
            optimizer.step()
        close(self, model, expected)

    def test_unused(self):
        """a parameter that no loss depends on is not updated, nor decayed"""

        class Half(nn.Module):
            def __init__(self):
                super().__init__()
                self.used, self.unused = nn.Linear(8, 1), nn.Linear(8, 1)

            def forward(self, x):
                return self.used(x)

        model = Half()
        before = model.unused.weight.tolist(), model.used.weight.tolist()

        def decaying(parameters, lr):
            return torch.optim.AdamW(parameters, lr=lr, weight_decay=0.5)

        for job, optimizer, batch in steps_of(model, make=decaying):
            job.backward(loss_of(model, batch))
            job.step()
        self.assertEqual(model.unused.weight.tolist(), before[0])
        self.assertNotEqual(model.used.weight.tolist(), before[1])

    def test_zero_grad(self):
        """zero_grad() before job.backward() does no harm, of either kind"""
        for to_none in (True, False):
            with self.subTest(set_to_none=to_none):
                model, expected = network(), network()
                for job, optimizer, batch in steps_of(model):
                    optimizer.zero_grad(set_to_none=to_none)
                    job.backward(loss_of(model, batch))
                    job.step()
                for optimizer, batch in plain_steps(expected):
                    loss_of(expected, batch).backward()
                    optimizer.step()
                self.assertEqual(values(model), values(expected))

    def test_shared(self):
        """a parameter with two names is one parameter"""

        class Twice(nn.Module):
            def __init__(self):
                super().__init__()
                torch.manual_seed(1)
                self.first = nn.Linear(8, 8)
                self.again, self.last = self.first, nn.Linear(8, 1)

            def forward(self, x):
                return self.last(self.again(torch.tanh(self.first(x))))

        model, expected = Twice(), Twice()
        for job, _, batch in steps_of(model, lr=0.01):
            job.backward(loss_of(model, batch))
            job.step()
        for optimizer, batch in plain_steps(expected, lr=0.01):
            loss_of(expected, batch).backward()
            optimizer.step()
        self.assertEqual(values(model), values(expected))

    def test_evaluation(self):
        """evaluate() gives every sample once, in evaluation mode, without gradients"""
        model = nn.Sequential(nn.Linear(8, 1), nn.Dropout(0.9), nn.BatchNorm1d(1))
        model[2].eval()
        for job, _, batch in steps_of(model):
            job.backward(loss_of(model, batch))
            job.step()
            if job.step_number == 2:
                with job.evaluate(Points(), batch_size=64) as batches:
                    found = [model(x) for x, _ in batches]
                self.assertFalse(found[0].requires_grad)
                self.assertEqual(sum(map(len, found)), batches.n)
                torch.testing.assert_close(
                    torch.cat(found),
                    model[2](model[0](collated(range(200))[0])).detach(),
                )
                modes = [module.training for module in (model, *model)]
                self.assertEqual(modes, [True, True, True, False])
                job.log({"found": 1.0}, n=batches.n)

    def test_busy(self):
        """busy() may be within busy(), and needs a time"""
        model = network()
        for job, _, batch in steps_of(model):
            with job.busy("all of it", 100), job.busy("a part", 10):
                job.backward(loss_of(model, batch))
            job.step()
        with self.assertRaisesRegex(gleaner.GleanerError, "limit_s is 0.0"):
            for job, _, batch in steps_of(model):
                job._training.busy("nothing", 0.0)

    def test_weight(self):
        """set_weight() is for before the loop and in it, from 0.1 to 10"""
        model = network()
        for job, _, batch in steps_of(model):
            job.set_weight(2)
            job.backward(loss_of(model, batch))
            job.step()
        job = gleaner.init(model, torch.optim.SGD(model.parameters(), lr=0.1))
        job.set_weight(0.1)
        for wrong in (0, 11, -1, float("nan")):
            with self.assertRaisesRegex(ValueError, "expected 0.1 to 10"):
                job.set_weight(wrong)

    def test_mean(self):
        """mean() weighs by samples, and is not known before the step is"""
        model = network()
        for job, _, (x, y) in steps_of(model):
            job.backward(loss_of(model, (x, y)))
            mean = job.mean(2.5)
            part = job.mean(1.0, n=len(x) // 2)
            with self.assertRaisesRegex(RuntimeError, "after job.step"):
                float(mean)
            job.step()
            self.assertAlmostEqual(float(mean), 2.5, places=5)
            self.assertAlmostEqual(float(part), len(x) // 2 / len(x), places=5)

    def test_randomness(self):
        """each step draws other numbers, and a repeated training the same ones"""

        def drawn(seed):
            torch.manual_seed(seed)  # of the program, which has no say
            random.seed(seed)
            numpy.random.seed(seed)
            for job, _, batch in steps_of(network()):
                job.backward(loss_of(job.model, batch))
                yield torch.rand(1).item(), random.random(), numpy.random.rand()
                job.step()

        first, second = list(drawn(1)), list(drawn(2))
        self.assertEqual(first, second)
        for name, numbers in zip(("torch", "random", "numpy"), zip(*first)):
            with self.subTest(generator=name):
                self.assertEqual(len(set(numbers)), len(first))

    def test_memory(self):
        """gleaner.init() needs room for one parameter's trial step, not for all"""
        stepped = []

        class Seen(torch.optim.Adam):
            def step(self):
                stepped.append([p for g in self.param_groups for p in g["params"]])
                super().step()

        model = network()
        gleaner.init(model, Seen(model.parameters()))
        self.assertEqual([len(parameters) for parameters in stepped], [1, 1, 1, 1])

    def test_buffer_replaced(self):
        """a buffer that the model replaces by another tensor stays registered"""

        class Counting(nn.Module):
            def __init__(self):
                super().__init__()
                self.linear = nn.Linear(8, 1)
                self.register_buffer("count", torch.zeros(1))

            def forward(self, x):
                self.count = self.count + 1
                return self.linear(x)

        model = Counting()
        home = model.count
        for job, _, batch in steps_of(model):
            job.backward(loss_of(model, batch))
            job.step()
        self.assertIs(model.count, home)
        self.assertEqual(model.count.item(), 13)


support.main()
