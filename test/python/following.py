# SPDX-License-Identifier: Apache-2.0
"""Joiners that repeat PyTorch's updates have the bits of those that they follow.

GLEANER_TEST_SEED=n repeats the random changes of a run.
"""

import os
import random
import re
import signal
import time
import types
import unittest
from concurrent.futures import ThreadPoolExecutor

import support
import torch
from following_trainer import COPIED, PROGRAMS, network
from members import COORDINATOR, Training
from torch.optim import SGD, Adam, AdamW, lr_scheduler
from torch.optim.swa_utils import AveragedModel

from gleaner.following import Settings, why_copied
from gleaner.update import Update

SEED = int(os.environ.get("GLEANER_TEST_SEED", time.time_ns() % 10**6))
AT_ONCE = 3  # trainings: most of it is the start of Python
RATE = 0.1


def update_of(optimizer, scheduler=None, scaler=None, ema=None):
    return Update(network(), optimizer, scheduler, scaler, None, ema, "step")


def why(optimizer=None, is_own=False, **parts):
    model = network()
    made = (optimizer or SGD)(model.parameters(), lr=RATE)
    make = {name: part(made, model) for name, part in parts.items()}
    return why_copied(update_of(made, **make), is_own)


class OwnSGD(SGD):
    pass


def by_rate(optimizer, _):
    return lr_scheduler.LambdaLR(optimizer, lambda n: RATE / (n + 1))


def by_draw(optimizer, _):
    return lr_scheduler.LambdaLR(optimizer, lambda n: random.random())


def by_list(optimizer, _):
    rates = [0.1, 0.2]
    return lr_scheduler.LambdaLR(optimizer, lambda n: rates[n % 2])


def average(call=None):
    return lambda _, model: AveragedModel(model, avg_fn=call)


class ByName(unittest.TestCase):
    def test_known(self):
        """PyTorch's own optimizers, schedules and averages are followed"""
        for parts in (
            {"optimizer": SGD},
            {"optimizer": Adam},
            {"optimizer": AdamW},
            {"scheduler": lambda o, _: lr_scheduler.StepLR(o, 10)},
            {"scheduler": lambda o, _: lr_scheduler.OneCycleLR(o, 0.1, 10)},
            {"scheduler": by_rate},
            {"ema": average()},
            {"ema": average(lambda a, p, n: a + (p - a) * RATE)},
            {"scaler": lambda *_: torch.cuda.amp.GradScaler(enabled=False)},
        ):
            self.assertEqual(why(**parts), "", parts)

    def test_newer(self):
        """the averages that PyTorch 2 makes are followed"""
        made = getattr(torch.optim.swa_utils, "get_ema_multi_avg_fn", None)
        if made is None:
            self.skipTest(f"PyTorch {torch.__version__} has none")
        ema = lambda _, model: AveragedModel(model, multi_avg_fn=made(0.9))  # noqa: E731
        self.assertEqual(why(ema=ema), "")

    def test_unknown(self):
        """what may do anything is not followed, and the reason names it"""
        for parts, reason in (
            ({"is_own": True}, "update="),
            ({"optimizer": OwnSGD}, "OwnSGD"),
            ({"optimizer": torch.optim.RMSprop}, "RMSprop"),
            ({"scheduler": by_draw}, "a function of the LambdaLR"),
            ({"scheduler": by_list}, "a function of the LambdaLR"),
            ({"scheduler": lambda o, _: lr_scheduler.ReduceLROnPlateau(o)}, "Plateau"),
            ({"ema": average(lambda a, p, n: torch.randn(1) * a)}, "avg_fn"),
            ({"ema": average(torch.no_grad()(lambda a, p, n: eval("a")))}, "avg_fn"),
            ({"ema": lambda *_: object()}, "object"),
            ({"scaler": lambda *_: object()}, "object"),
        ):
            self.assertIn(reason, why(**parts), parts)

    def test_replaced(self):
        """a step() that the program put into the optimizer is not followed"""
        optimizer = SGD(network().parameters(), lr=RATE)
        optimizer.step = types.MethodType(lambda _: None, optimizer)
        lr_scheduler.StepLR(optimizer, 10)  # wraps it
        self.assertIn("step was replaced", why_copied(update_of(optimizer), False))


class Changed(unittest.TestCase):
    def setUp(self):
        self.model = network()
        self.optimizer = AdamW(self.model.parameters(), lr=RATE)
        self.step()
        self.schedule = lr_scheduler.StepLR(self.optimizer, 2)
        states = self.optimizer.state.values()
        moments = [state["exp_avg"] for state in states]
        update = update_of(self.optimizer, self.schedule)
        self.settings = Settings(update, moments)

    def step(self):
        self.model(torch.ones(2, 8)).sum().backward()
        self.optimizer.step()

    def test_same(self):
        """gradients that come change no settings"""
        self.model(torch.ones(2, 8)).sum().backward()
        self.assertFalse(self.settings.changed())

    def test_rate(self):
        """a rate that is set by hand is seen, until an update has had it"""
        self.optimizer.param_groups[0]["lr"] = 1.0
        self.assertTrue(self.settings.changed())
        self.settings.note()
        self.assertFalse(self.settings.changed())

    def test_schedule(self):
        """a step of the schedule in the loop is seen"""
        self.schedule.step()
        self.assertTrue(self.settings.changed())

    def test_state(self):
        """moments that the loop clears, or drops, are seen"""
        self.optimizer.state[self.model[0].weight]["exp_avg"].zero_()
        self.assertTrue(self.settings.changed())
        self.settings.note()
        self.optimizer.state.clear()
        self.assertTrue(self.settings.changed())

    def test_function(self):
        """a number that a schedule's function reads, and the loop changes, is seen"""
        warmup = 10

        def rate(n):
            return n / warmup

        schedule = lr_scheduler.LambdaLR(self.optimizer, rate)
        settings = Settings(update_of(self.optimizer, schedule), [])
        warmup = 20
        settings.note()  # a joiner has the first one
        self.assertTrue(settings.changed())


class Changes:
    """Members come at random times while others train, and one is killed."""

    def __init__(self, training, draw):
        self._training, self._random = training, draw

    def run(self):
        hold = self._training.dir / "hold"
        hold.touch()
        self._training.wait(lambda: self._training.steps() >= 2)
        for size in (2, 3):
            time.sleep(self._random.uniform(0, 0.5))
            self._training.order("add")
            self._training.wait(lambda: self._training.size() == size)
        if self._random.random() < 0.5:
            started = self._training.events("member_started")
            os.kill(self._random.choice(started)["pid"], signal.SIGKILL)
            self._training.wait(lambda: self._training.size() == 2)
            self._training.wait(lambda: self._training.size() == 3)  # its node's next
        hold.unlink()


def run(name):
    draw = random.Random(f"{SEED} {name}")
    options = ("--on-loss=recompute",)
    training = Training(1, name, program="following_trainer.py", options=options)
    try:
        Changes(training, draw).run()
        code = training.finish(60)
        joined = [e for e in training.events("generation") if e.get("joiners")]
        ways = [e["joiners"] for e in joined]
        reasons = {e["copied_why"] for e in joined if "copied_why" in e}
        hashes = re.findall(r"^done (\S+)$", training.output(), re.M)
        lost = [e.get("cause", "") for e in training.events("member_lost")]
        return code, ways, reasons, hashes, lost, training.output()
    finally:
        training.close()


@unittest.skipUnless(COORDINATOR.exists(), "the coordinator is not built")
class Members(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        print(f"# GLEANER_TEST_SEED={SEED}", flush=True)
        os.environ["GLEANER_FOLLOW"] = "on"
        names = [*PROGRAMS, *COPIED]
        with ThreadPoolExecutor(AT_ONCE) as pool:
            cls.runs = dict(zip(names, pool.map(run, names)))
        os.environ.pop("GLEANER_FOLLOW")

    def same(self, name):
        """All members end with the same bits; (how they joined, reasons)."""
        code, ways, reasons, hashes, lost, output = self.runs[name]
        self.assertEqual(code, 0, output)
        self.assertLess(len(lost), 2, lost)  # none was replaced
        self.assertEqual(len(hashes), 3, output)
        self.assertEqual(len(set(hashes)), 1, output)
        print(f"# {name}: {ways}, {len(lost)} lost", flush=True)
        return ways, reasons

    def test_own(self):
        """an update of the program's own: copied, and the event says why"""
        ways, reasons = self.same("own")
        self.assertEqual(set(ways), {"copied"})
        self.assertIn("update=", reasons.pop())

    def test_by_hand(self):
        """a rate that the loop sets: copied in the end"""
        ways, reasons = self.same("by_hand")
        self.assertEqual(set(ways), {"copied"})
        self.assertIn("could not follow before", reasons.pop())


def _test(name, rule):
    def test(self):
        self.assertEqual(set(self.same(name)[0]), {"followed"}, self.runs[name][-1])

    test.__doc__ = f"followed: {rule}"
    return test


for _name, _make in PROGRAMS.items():
    setattr(Members, f"test_{_name}", _test(_name, _make.__doc__))


if __name__ == "__main__":
    support.main()
