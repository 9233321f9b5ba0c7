# SPDX-License-Identifier: Apache-2.0
"""A training in PyTorch grows, shrinks and loses members, and does not notice."""

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

import support
from trainer import SAMPLES

import gleaner

COORDINATOR = support.BUILD / "runtime" / "coordinator" / "gleaner-coordinator"
PASSES = 4


class Training:
    """gleaner-coordinator with its nodes on this machine; see --local."""

    def __init__(self, nodes, *trainer, options=(), program="trainer.py"):
        self.folder = tempfile.TemporaryDirectory(prefix="gleaner-test-")
        self.dir = Path(self.folder.name)
        file = support.SOURCE / "test" / "python" / program
        command = [COORDINATOR, "--dir", self.dir, f"--local={nodes}", *options, "--"]
        trainer += ("--hold", self.dir / "hold")
        self._out = (self.dir / "out").open("w")
        self.process = subprocess.Popen(
            [*command, sys.executable, file, *map(str, trainer)],
            stdout=self._out,
            stderr=subprocess.STDOUT,
            cwd=self.dir,
        )

    def events(self, *kinds):
        try:
            lines = (self.dir / "events.jsonl").read_text().splitlines()
        except FileNotFoundError:
            return []
        found = []
        for line in lines:
            try:
                found.append(json.loads(line))
            except ValueError:
                pass  # being written
        return [event for event in found if event["event"] in kinds]

    def wait(self, what, seconds=40):
        end = time.monotonic() + seconds
        while not what():
            if time.monotonic() > end or self.process.poll() is not None:
                raise AssertionError("did not happen in time:\n" + self.output())
            time.sleep(0.02)

    def size(self):
        generations = self.events("generation")
        return generations[-1]["to"] if generations else 0

    def steps(self):
        return len(self.events("step"))

    def order(self, line):
        (self.dir / "control").write_text(line + "\n")

    def wait_for_size(self, size):
        """A program starts within seconds, and steps must last that long."""
        (self.dir / "hold").touch()
        self.wait(lambda: self.size() == size)
        (self.dir / "hold").unlink()

    def finish(self, seconds=40):
        self.process.wait(seconds)
        self._out.close()
        return self.process.returncode

    def output(self):
        return (self.dir / "out").read_text()

    def losses(self, key="loss"):
        """By step, meant over its samples."""
        events = [e for e in self.events("log") if e["key"] == key]
        return dict(sorted((e["step"], e["value"]) for e in events))

    def positions(self):
        """Of all steps that were not undone."""
        steps = []
        for event in self.events("step", "rollback"):
            if event["event"] == "step":
                steps.append(event)
            else:
                steps = [step for step in steps if step["step"] <= event["to_step"]]
        return sorted(
            i
            for step in steps
            for first, last in step["taken"]
            for i in range(first, last)
        )

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self.folder.cleanup()


def ends(output):
    """Of those that trained to the end; a joiner may come too late for that."""
    return re.findall(r"^done (updates=\S+ rate=\S+ hash=\S+)$", output, re.M)


@unittest.skipUnless(COORDINATOR.exists(), "the coordinator is not built")
class Members(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        """What one member alone does, start to end."""
        cls.alone = Training(1, "--passes", PASSES)
        assert cls.alone.finish() == 0, cls.alone.output()

    @classmethod
    def tearDownClass(cls):
        cls.alone.close()

    def begin(self, *arguments, **options):
        training = Training(*arguments, **options)
        self.addCleanup(training.close)
        return training

    def compare(self, training, key="loss"):
        expected, losses = self.alone.losses(key), training.losses(key)
        self.assertEqual(len(expected), SAMPLES * PASSES // 16)
        self.assertEqual(losses.keys(), expected.keys())
        worst = max(abs(losses[s] - expected[s]) / expected[s] for s in expected)
        # Sums in another order, in float32, over 240 steps.
        self.assertLess(worst, 1e-3)
        self.assertEqual(training.positions(), sorted(list(range(SAMPLES)) * PASSES))

    def resize(self, workers):
        training = self.begin(
            1, "--passes", PASSES, "--step-ms", 15, "--workers", workers
        )
        training.wait(lambda: training.steps() >= 20)
        training.order("add")
        training.wait_for_size(2)
        training.order("add")
        training.wait_for_size(3)
        training.wait(lambda: training.steps() >= 150)
        training.order("remove l1 20")
        training.wait_for_size(2)
        self.assertEqual(training.finish(), 0, training.output())
        self.compare(training)
        self.assertEqual(training.events("member_lost"), [])
        done = ends(training.output())
        self.assertEqual(len(done), 2, training.output())
        self.assertEqual(len(set(done)), 1, done)

    def test_resize(self):
        """1, 3, 2 members: the losses of one alone, every sample once per pass"""
        self.resize(workers=0)

    def test_resize_with_workers(self):
        """the same with loader workers in every member"""
        self.resize(workers=2)

    def test_loss(self):
        """a member is killed: every sample once, the others' states stay equal"""
        training = self.begin(3, "--passes", PASSES, "--step-ms", 15, "--workers", 1)
        training.wait(lambda: training.steps() >= 30)
        training.wait_for_size(3)  # one alone would take all state with it
        victim = training.events("member_started")[1]["pid"]
        children = Path(f"/proc/{victim}/task/{victim}/children").read_text().split()
        self.assertEqual(len(children), 1, "no loader worker")
        os.kill(victim, signal.SIGKILL)
        training.wait(lambda: len(training.events("member_lost")) == 1)
        self.assertEqual(training.finish(), 0, training.output())
        self.assertEqual(training.positions(), sorted(list(range(SAMPLES)) * PASSES))
        self.assertEqual(len(set(ends(training.output()))), 1, training.output())
        self.assertFalse(Path("/proc", children[0]).exists(), "its worker lives on")

    def test_recompute(self):
        """with --on-loss=recompute members are killed: the losses of one alone"""
        training = self.begin(
            *(3, "--passes", PASSES, "--step-ms", 15, "--workers", 1),
            options=("--on-loss=recompute",),
        )
        for lost in (1, 2):
            training.wait_for_size(3)
            begun = training.steps()
            training.wait(lambda: training.steps() >= begun + 30)
            # It sleeps in a step most of the time: that one is recomputed.
            victim = training.events("member_started")[-1]["pid"]
            os.kill(victim, signal.SIGKILL)
            training.wait(lambda: len(training.events("member_lost")) == lost)
        self.assertEqual(training.finish(), 0, training.output())
        # Not "loss": what the dead had logged of their last step is lost.
        self.compare(training, "reduced_loss")
        self.assertEqual(len(set(ends(training.output()))), 1, training.output())

    def test_busy(self):
        """a member that evaluates keeps the others waiting, and is not stuck"""
        impatient = ("--failure-timeout", "2", "--stuck-timeout", "1")
        training = self.begin(2, "--evaluate-at", 40, options=impatient)
        training.wait(lambda: training.events("busy"))
        self.assertEqual(training.events("busy")[0]["why"], "evaluation")
        self.assertEqual(training.finish(), 0, training.output())
        self.assertEqual(training.events("member_lost"), [])

    def test_checkpoint(self):
        """gleaner.load() gives plain dictionaries that train on as the rest did"""
        training = self.begin(
            2,
            "--passes",
            PASSES,
            "--step-ms",
            5,
            options=("--checkpoint-interval", "0.2"),
        )
        self.assertEqual(training.finish(), 0, training.output())
        files = list((training.dir / "checkpoints").glob("*.safetensors"))
        self.assertTrue(files, os.listdir(training.dir / "checkpoints"))
        saved = min(map(gleaner.load, files), key=lambda found: found["step"])
        losses = train_on(saved, self.alone)
        for step, (got, expected) in losses.items():
            self.assertAlmostEqual(got, expected, delta=1e-3 * expected, msg=step)
        self.assertGreater(len(losses), 5)


def train_on(saved, alone):
    """Continue from a checkpoint in a plain loop; (loss, that of the whole run)
    by step, for the rest of the pass."""
    import torch
    from trainer import BATCH, Points, objects
    from torch import nn

    model, optimizer, scheduler, average = objects()
    model.load_state_dict(saved["model"])
    optimizer.load_state_dict(saved["optimizer"])
    scheduler.load_state_dict(saved["scheduler"])
    average.load_state_dict(saved["ema"])
    assert saved["state"] == {"counted": {"updates": saved["step"]}}
    assert int(average.n_averaged) == saved["step"]
    samples, points = all_samples(), Points()
    expected, losses = alone.losses(), {}
    for step in range(saved["step"] + 1, len(samples) + 1):
        xs, ys = zip(*(points[i] for i in samples[step - 1]))
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(torch.stack(xs))[:, 0], torch.stack(ys))
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 5.0)
        optimizer.step()
        scheduler.step()
        losses[step] = loss.item(), expected[step]
    return losses


def all_samples():
    """Of each step, as they are dealt out."""
    import torch
    from trainer import BATCH, Points

    model = torch.nn.Linear(1, 1)
    job = gleaner.init(model, torch.optim.SGD(model.parameters(), lr=0))
    steps = []
    loader = gleaner.DataLoader(Points(), batch_size=BATCH, seed=7)
    for x, _ in job.steps(loader, passes=PASSES):
        steps.append(job.samples)
        job.backward(model(x[:, :1]).sum())
        job.step()
    return steps


if __name__ == "__main__":
    support.main()
