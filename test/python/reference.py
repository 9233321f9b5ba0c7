# SPDX-License-Identifier: Apache-2.0
"""Twelve trainings find the numbers of plain PyTorch while members come and go.

Each is trained by a plain loop, which is given Gleaner's order of samples, and by
members that are added, released and killed at random.  Losses and weights may differ
as far as the order of additions allows.  In deterministic mode they have the bits of
the program that runs by itself.

GLEANER_TEST_SEED=n repeats the random changes of a run.
"""

import os
import random
import signal
import time
import unittest
from concurrent.futures import ThreadPoolExecutor

import support
import torch
from members import COORDINATOR, Training
from reference_cases import CASES, Case
from reference_trainer import SEED as ORDER
from reference_trainer import Numbers, train
from torch import nn

import gleaner

SEED = int(os.environ.get("GLEANER_TEST_SEED", time.time_ns() % 10**6))
#: Trainings at the same time: most of it is the start of Python.
AT_ONCE = 4


def order(case):
    """The steps as Gleaner deals them out, each a list of (samples, seed)."""
    model = nn.Linear(1, 1)
    job = gleaner.init(model, torch.optim.SGD(model.parameters(), lr=0))
    steps = [[]]
    loader = gleaner.DataLoader(Numbers(), case.batch, seed=ORDER)
    for _ in job.steps(loader, case.passes):
        steps[-1].append((torch.tensor(job.samples), torch.initial_seed()))
        job.backward(model(torch.ones(len(job.samples), 1)).sum())
        if job.step():
            steps.append([])
    return steps[:-1]


def train_plainly(case, steps):
    """A loop without Gleaner; its losses by step."""
    losses = {}
    for step, shares in enumerate(steps, 1):
        case.model.zero_grad(set_to_none=True)
        n = sum(len(samples) for samples, _ in shares)
        buffers = Averaged(case.model)
        losses[str(step)] = 0.0
        for samples, seed in shares:
            torch.manual_seed(seed)
            for part in case.parts(samples):
                loss = case.loss(part, step)
                (loss * (len(part) / n)).backward()
                losses[str(step)] += loss.item() * len(part) / n
            buffers.add(len(samples) / n)
        case.update(step)
    return losses


class Averaged:
    """The buffers of a model, if a step has several shares."""

    def __init__(self, model):
        self._buffers = list(model.buffers())
        self._before = [buffer.clone() for buffer in self._buffers]
        self._mean = [torch.zeros_like(b, dtype=torch.float64) for b in self._before]
        self._weight = 0.0

    def add(self, weight):
        self._weight += weight
        last = self._weight > 1 - 1e-9
        for buffer, before, mean in zip(self._buffers, self._before, self._mean):
            mean += weight * buffer
            exact = buffer.is_floating_point()
            buffer.copy_((mean if exact else mean.round()) if last else before)


def distance(found, expected):
    """The largest, relative to the largest number."""
    if found.is_floating_point():
        largest = expected.abs().max().clamp(min=1e-300)
        return ((found - expected).abs().max() / largest).item()
    return 0.0 if torch.equal(found, expected) else float("inf")


class Changes:
    """What happens to the members of a training, at random."""

    def __init__(self, training, draw):
        self._training = training
        self._random = draw

    def run(self, add_first):
        self._until(lambda: self._training.steps() >= self._random.randint(2, 6))
        changes = [self._add, self._random.choice((self._remove, self._kill))]
        if not add_first and self._random.random() < 0.5:
            changes.reverse()
        for change in changes:
            before = len(self._training.events("generation"))
            change()
            self._until(lambda: len(self._training.events("generation")) > before)
            enough = self._training.steps() + self._random.randint(3, 6)
            self._until(lambda: self._training.steps() >= enough)
        (self._training.dir / "hold").unlink()

    def _add(self):
        self._training.order("add")

    def _remove(self):
        nodes = [event["node"] for event in self._training.events("node_joined")]
        self._training.order(f"remove {self._random.choice(nodes)} 20")

    def _kill(self):
        started = self._training.events("member_started")
        try:
            os.kill(self._random.choice(started)["pid"], signal.SIGKILL)
        except ProcessLookupError:
            pass

    def _until(self, what):
        end = time.monotonic() + 20
        while self._training.process.poll() is None and time.monotonic() < end:
            if what():
                return
            time.sleep(0.02)


def run(name):
    """The training with members; (what it left behind, its output)."""
    case = CASES[name]()
    options = ("--on-loss=recompute",)
    if case.shards:
        options = (f"--deterministic={case.shards}",)
    draw = random.Random(f"{SEED} {name}")
    nodes = case.nodes or draw.choice((1, 2))
    training = Training(nodes, name, program="reference_trainer.py", options=options)
    (training.dir / "hold").touch()
    try:
        Changes(training, draw).run(add_first=nodes == 1)
        code = training.finish(60)
        finals = [torch.load(path) for path in sorted(training.dir.glob("final-*"))]
        sizes = [event["to"] for event in training.events("generation")]
        return code, finals, sizes, training.output()
    finally:
        training.close()


@unittest.skipUnless(COORDINATOR.exists(), "the coordinator is not built")
class Reference(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        print(f"# GLEANER_TEST_SEED={SEED}", flush=True)
        with ThreadPoolExecutor(AT_ONCE) as pool:
            cls.runs = dict(zip(CASES, pool.map(run, CASES)))

    def setUp(self):
        self.case = CASES.get(self.id().rsplit("test_", 1)[1], Case)()
        if self.case.shards:
            os.environ["GLEANER_DETERMINISTIC"] = str(self.case.shards)
            self.addCleanup(os.environ.pop, "GLEANER_DETERMINISTIC")

    def test_refused(self):
        """a buffer that differs among members is refused by name"""
        training = Training(2, "drifting", program="reference_trainer.py")
        self.addCleanup(training.close)
        (training.dir / "hold").touch()
        training.wait(lambda: "buffer 'seen' is not the same" in training.output())

    def compare(self, name):
        code, finals, sizes, output = self.runs[name]
        self.assertEqual(code, 0, output)
        self.assertTrue(finals, output)
        expected_losses = train_plainly(self.case, order(self.case))
        expected = self.case.compared()
        losses = {}
        for final in finals:
            losses.update(final["losses"])
            for key, tensor in final["tensors"].items():
                self.assertTrue(torch.equal(tensor, finals[0]["tensors"][key]), key)
        if name != "amp":  # members without samples do not see a step's loss
            self.assertEqual(losses.keys(), expected_losses.keys())
        far = {k: distance(t, expected[k]) for k, t in finals[0]["tensors"].items()}
        scale = max(v for v in expected_losses.values() if v < float("inf"))
        for step, loss in losses.items():
            if loss != expected_losses[step]:
                far[f"loss {step}"] = abs(loss - expected_losses[step]) / scale
        worst = max(far, key=far.get)
        print(f"# {name}: {far[worst]:.1e} in {worst}; members {sizes}", flush=True)
        self.assertLess(far[worst], self.case.within)
        if self.case.shards:
            self.compare_bits(CASES[name](), finals[0]["tensors"], losses)

    def compare_bits(self, case, tensors, losses):
        """With the program by itself."""
        self.assertEqual(losses, train(case))
        for key, tensor in case.compared().items():
            self.assertTrue(torch.equal(tensor, tensors[key]), key)


def _test(name, rule):
    def test(self):
        self.compare(name)

    test.__doc__ = f"{name}: {rule}"
    return test


for _name, _case in CASES.items():
    _rule = _case.__doc__.strip().split("\n")[0].lower().rstrip(".")
    setattr(Reference, f"test_{_name}", _test(_name, _rule))


if __name__ == "__main__":
    support.main()
