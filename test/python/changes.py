# SPDX-License-Identifier: Apache-2.0
"""What a loop changes outside of the update is refused, by name."""

import unittest

import support
import torch
from cases import (
    BATCH,
    SEED,
    Points,
    collated,
    loss_of,
    network,
    order,
    train_plainly,
    values,
)
from torch import nn

import gleaner
from gleaner.encoding import from_bytes, to_bytes
from gleaner.parameters import Frozen, Parameters


def gradients(model):
    return [p.grad for p in model.parameters() if p.grad is not None]


def clip(job, optimizer, loss):
    job.backward(loss)
    nn.utils.clip_grad_norm_(job.model.parameters(), 0.1)
    job.step()


def clip_at_once(job, optimizer, loss):
    job.backward(loss)
    torch._foreach_mul_(gradients(job.model), 0.5)
    job.step()


def add_noise(job, optimizer, loss):
    job.backward(loss)
    job.model[2].weight.grad += torch.randn(1, 16)
    job.step()


def clear(job, optimizer, loss):
    job.backward(loss)
    for gradient in gradients(job.model):
        gradient.zero_()
    job.step()


def clear_between_parts(job, optimizer, loss):
    for _ in range(2):
        for gradient in gradients(job.model):
            gradient.zero_()
        job.backward(loss, n=BATCH // 2)
    job.step()


def other_backward(job, optimizer, loss):
    loss.backward(retain_graph=True)
    job.backward(loss)
    job.step()


def replace_unused(job, optimizer, loss):
    job.backward(loss)
    job.model.unused.grad = torch.ones(1)
    job.step()


def step_before(job, optimizer, loss):
    job.backward(loss)
    optimizer.step()
    job.step()


def step_after(job, optimizer, loss):
    job.backward(loss)
    job.step()
    optimizer.step()


def decay(job, optimizer, loss):
    job.backward(loss)
    job.step()
    with torch.no_grad():
        job.model[0].weight.mul_(0.99)


def teach(job, optimizer, loss):
    job.backward(loss)
    job.step()
    with torch.no_grad():
        job.model.teacher.add_(1)


def move_frozen(job, optimizer, loss):
    job.backward(loss)
    job.model.teacher.data = job.model.teacher.data * 0.5
    job.step()


def unfreeze(job, optimizer, loss):
    job.model.teacher.requires_grad_(True)
    job.backward(loss)
    job.step()


def add_group(job, optimizer, loss):
    optimizer.add_param_group({"params": [job.model.spare]})
    job.backward(loss)
    job.step()


def add_layer(job, optimizer, loss):
    job.backward(loss)
    job.step()
    job.model.head = nn.Linear(1, 1)


def replace_layer(job, optimizer, loss):
    job.model[2] = nn.Linear(16, 1)
    job.backward(loss)
    job.step()


REFUSED = [
    ("clipping", clip, "gradient of '.*' was changed.*clip_norm"),
    ("all at once", clip_at_once, "gradient of '.*' was changed.*clip_norm"),
    ("noise", add_noise, r"gradient of '2.weight' was changed.*update="),
    ("clearing", clear, "gradient of '.*' was changed.*zero_grad"),
    ("clearing between parts", clear_between_parts, "gradient of '.*' was changed"),
    ("backward before job.backward", other_backward, "'.*' was replaced"),
    ("a gradient of its own", replace_unused, "gradient of 'unused' was replaced"),
    ("optimizer.step()", step_before, "parameter '.*' was changed.*optimizer.step"),
    ("one after it", step_after, "parameter '.*' was changed.*optimizer.step"),
    ("decay", decay, "parameter '0.weight' was changed.*update="),
    ("a frozen teacher", teach, "parameter 'teacher' was changed.*update="),
    ("a frozen one moved", move_frozen, "parameter 'teacher' has moved"),
    ("unfreezing", unfreeze, "parameter 'teacher' was unfrozen after gleaner.init"),
    ("a group", add_group, "the optimizer was given other parameters after"),
    ("a layer", add_layer, "parameter 'head.weight' of the model was added"),
    ("another layer", replace_layer, "parameter '2.weight' of the model was added"),
]


def model_with_extras():
    model = network()
    model.unused = nn.Parameter(torch.zeros(1))
    model.spare = nn.Parameter(torch.zeros(1))
    model.teacher = nn.Parameter(torch.ones(1), requires_grad=False)
    return model


def optimized(model):
    return [p for name, p in model.named_parameters() if name != "spare"]


class Changes(unittest.TestCase):
    def setUp(self):
        self.steps = 0

    def loop(self, body, make=torch.optim.Adam):
        model = model_with_extras()
        optimizer = make(optimized(model), lr=0.01)
        job = gleaner.init(model, optimizer)
        loader = gleaner.DataLoader(Points(), batch_size=BATCH, seed=SEED)
        for batch in job.steps(loader):
            body(job, optimizer, loss_of(model, batch))
            self.steps += 1

    def test_refused(self):
        """changes of gradients and parameters that only one member may make"""
        for name, body, words in REFUSED:
            with self.subTest(change=name):
                self.steps = 0
                with self.assertRaisesRegex(RuntimeError, words) as raised:
                    self.loop(body)
                self.assertRegex(str(raised.exception), r"\(.+\) \[.+\]$")
                self.assertLessEqual(self.steps, 1, "not in its first step")

    def test_many_at_once(self):
        """an optimizer that steps all parameters at once is seen, too"""

        def make(parameters, lr):
            return torch.optim.Adam(parameters, lr=lr, foreach=True)

        with self.assertRaisesRegex(RuntimeError, "parameter '.*' was changed"):
            self.loop(step_after, make)

    def test_in_the_update(self):
        """update= may change gradients and parameters: the plain loop's numbers"""
        plain, model = network(), network()
        expected = torch.optim.SGD(plain.parameters(), lr=0.1)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

        def clip_gradients(of):
            nn.utils.clip_grad_norm_(of.parameters(), 0.1)

        def decay_weights(of):
            with torch.no_grad():
                of[0].weight.mul_(0.99)

        def update():
            clip_gradients(model)
            optimizer.step()
            decay_weights(model)

        train_plainly(
            plain,
            expected,
            after_backward=lambda: clip_gradients(plain),
            after_step=lambda: decay_weights(plain),
        )
        job = gleaner.init(model, optimizer, update=update)
        for batch in job.steps(gleaner.DataLoader(Points(), BATCH, seed=SEED)):
            optimizer.zero_grad()
            job.backward(loss_of(model, batch))
            job.step()
            optimizer.zero_grad()
        self.assertEqual(values(model), values(plain))

    def test_freezing(self):
        """trained parameters may be frozen and unfrozen: the plain loop's numbers"""
        plain, model = network(), network()
        expected = torch.optim.Adam(plain.parameters(), lr=0.01)
        for step, samples in enumerate(order(), 1):
            plain[0].requires_grad_(4 <= step < 9)
            expected.zero_grad(set_to_none=True)
            loss_of(plain, collated(samples)).backward()
            expected.step()
        optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
        job = gleaner.init(model, optimizer)
        model[0].requires_grad_(False)
        for batch in job.steps(gleaner.DataLoader(Points(), BATCH, seed=SEED)):
            model[0].requires_grad_(4 <= job.step_number < 9)
            job.backward(loss_of(model, batch))
            job.step()
        self.assertEqual(values(model), values(plain))

    def test_frozen_are_told(self):
        """a joiner freezes what the others have frozen by then"""
        model, joiner = network(), network()
        frozen = [
            Frozen(Parameters(m, torch.optim.SGD(m.parameters(), lr=0.1)))
            for m in (model, joiner)
        ]
        model[0].requires_grad_(False)
        frozen[1].load_state_dict(from_bytes(to_bytes(frozen[0].state_dict()), False))
        self.assertFalse(joiner[0].weight.requires_grad)
        self.assertTrue(joiner[2].weight.requires_grad)


support.main()
