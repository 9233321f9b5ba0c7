# SPDX-License-Identifier: Apache-2.0
"""Lightning's and Hugging Face's Trainer, and a loop of Accelerate's, find the numbers
they find alone, while members come and go.

`make check-frameworks` runs this with packages of PyPI.  GLEANER_TEST_SEED=n repeats
the random changes of a run.
"""

import importlib.util
import os
import random
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

import support
import torch
from members import Training
from reference import Changes, distance

SEED = int(os.environ.get("GLEANER_TEST_SEED", time.time_ns() % 10**6))
WITHIN = 1e-12
#: Debian 12's PyTorch cannot import what Lightning then asks for.
NO_SHARDS = """
import os, runpy, sys, torch
torch.distributed.is_available = lambda: False
sys.argv = sys.argv[1:]
sys.path.insert(0, os.path.dirname(sys.argv[0]))
runpy.run_path(sys.argv[0], run_name="__main__")
"""
NEEDS = ("lightning", "transformers", "accelerate")


def plain(program, *options):
    """What the framework's own loop ends with."""
    with tempfile.TemporaryDirectory() as folder:
        file = support.SOURCE / "test" / "python" / program
        command = [sys.executable, file, "--plain", *map(str, options)]
        done = subprocess.run(
            [*command, "--hold", Path(folder, "hold")], capture_output=True, text=True
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return torch.load(next(Path(folder).glob("final-*")))


class SlowChanges(Changes):
    """The frameworks take seconds to be imported."""

    def _until(self, what, seconds=60):
        end = time.monotonic() + seconds
        while self._training.process.poll() is None and time.monotonic() < end:
            if what():
                return
            time.sleep(0.02)


class Frameworks(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        print(f"# GLEANER_TEST_SEED={SEED}", flush=True)

    def setUp(self):
        missing = [name for name in NEEDS if not importlib.util.find_spec(name)]
        self.assertFalse(missing, f"not installed: {missing} [make check-frameworks]")

    def train(self, program, *options, nodes=2, change=True):
        """With members; what those that finished end with."""
        on_loss = ("--on-loss=recompute",)
        training = Training(nodes, *options, program=program, options=on_loss)
        self.addCleanup(training.close)
        if change:
            draw = random.Random(f"{SEED} {self.id()}")
            (training.dir / "hold").touch()
            SlowChanges(training, draw).run(add_first=nodes == 1)
        self.assertEqual(training.finish(120), 0, training.output())
        finals = [torch.load(path) for path in training.dir.glob("final-*")]
        self.assertTrue(finals, training.output())
        sizes = [event["to"] for event in training.events("generation")]
        print(f"# members {sizes}", flush=True)
        if change:
            self.assertGreater(len(sizes), 2, "members did not change")
        return training, finals

    def compare(self, finals, expected, only_zero=False):
        self.assertEqual(sum(found["zero"] for found in finals), 1)
        for found in finals:
            if only_zero and not found["zero"]:
                continue
            self.assertEqual(found["epoch"], expected["epoch"])
            far = max(
                distance(tensor, expected["weights"][name])
                for name, tensor in found["weights"].items()
            )
            print(f"# weights within {far:.1e}", flush=True)
            self.assertLess(far, WITHIN)
            known = dict(expected["validated"])
            for epoch, loss in found["validated"]:
                self.assertAlmostEqual(loss, known[epoch], delta=1e-9)

    def test_examples(self):
        """the examples of all run by themselves"""
        programs = {
            "accelerate_malleable.py": ("--samples", "256", "--epochs", "1"),
            "lightning_malleable.py": ("--samples", "256", "--epochs", "1"),
            "transformers_malleable.py": ("--epochs", "1"),
        }
        for program, options in programs.items():
            with self.subTest(program), tempfile.TemporaryDirectory() as folder:
                file = support.SOURCE / "examples" / "python" / program
                done = subprocess.run(
                    [sys.executable, "-c", NO_SHARDS, file, *options],
                    cwd=folder,
                    capture_output=True,
                    text=True,
                )
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertTrue(os.listdir(folder))

    def test_lightning(self):
        """Lightning: weights, validation and best checkpoint of the plain Trainer"""
        expected = plain("lightning_trainer.py")
        training, finals = self.train("lightning_trainer.py")
        self.compare(finals, expected)
        found = next(found for found in finals if found["zero"])
        self.assertEqual(found["best"], expected["best"])
        self.assertTrue((training.dir / "best" / found["best"]).exists())

    def test_lightning_in_parts(self):
        """Lightning: accumulate_grad_batches is the plain Trainer's whole batch"""
        expected = plain("lightning_trainer.py")
        options = ("--accumulate", 4)
        _, finals = self.train("lightning_trainer.py", *options, nodes=1)
        self.compare(finals, expected)

    def test_lightning_stops(self):
        """Lightning: EarlyStopping and max_steps end at the plain Trainer's step"""
        for options in (("--patience", 1), ("--max-steps", 17)):
            with self.subTest(options=options):
                expected = plain("lightning_trainer.py", *options)
                program = "lightning_trainer.py"
                _, finals = self.train(program, *options, change=False)
                self.compare(finals, expected)

    def test_transformers(self):
        """Hugging Face: weights, losses and best checkpoint of the plain Trainer"""
        expected = plain("hf_trainer.py")
        training, finals = self.train("hf_trainer.py")
        self.compare(finals, expected, only_zero=True)  # it loads the best
        for found in finals:
            self.assertEqual(found["best"], expected["best"])
            for step, loss in found["losses"].items():
                self.assertAlmostEqual(loss, expected["losses"][step], delta=2e-4)
        self.assertTrue((training.dir / "hf" / expected["best"]).exists())

    def test_transformers_in_parts(self):
        """Hugging Face: gradient_accumulation_steps is the plain whole batch"""
        expected = plain("hf_trainer.py")
        options = ("--accumulate", 4)
        _, finals = self.train("hf_trainer.py", *options, nodes=1)
        self.compare(finals, expected, only_zero=True)  # it loads the best

    def test_transformers_stops(self):
        """Hugging Face: EarlyStopping and max_steps end at the plain Trainer's step"""
        for options in (("--patience", 1), ("--max-steps", 19)):
            with self.subTest(options=options):
                expected = plain("hf_trainer.py", *options)
                _, finals = self.train("hf_trainer.py", *options, change=False)
                self.compare(finals, expected, only_zero=True)  # it loads the best

    def test_accelerate(self):
        """Accelerate: weights and validation of the plain loop"""
        for options in ((), ("--per-epoch",)):
            with self.subTest(options=options):
                expected = plain("accelerate_trainer.py", *options)
                _, finals = self.train("accelerate_trainer.py", *options)
                self.compare(finals, expected)

    def test_accelerate_in_parts(self):
        """Accelerate: gradient_accumulation_steps is the plain whole batch, and
        torchdata's StatefulDataLoader a loader as others"""
        expected = plain("accelerate_trainer.py")
        options = ("--accumulate", 4, "--stateful")
        _, finals = self.train("accelerate_trainer.py", *options, nodes=1)
        self.compare(finals, expected)

    def test_accelerate_refused(self):
        """Accelerate: what Gleaner does itself, and what takes several processes"""
        from gleaner.accelerate import Accelerator

        import gleaner

        accelerator = Accelerator(cpu=True, epochs=1)
        for words, call in (
            ("save_state", accelerator.save_state),
            ("load_state", accelerator.load_state),
            ("log_with", lambda: Accelerator(epochs=1, log_with="tensorboard")),
            ("fsdp_plugin", lambda: Accelerator(epochs=1, fsdp_plugin=object())),
        ):
            with self.assertRaisesRegex(gleaner.Unsupported, words):
                call()

    def test_stateful(self):
        """torchdata: a loader whose state was loaded is refused"""
        from torchdata.stateful_dataloader import StatefulDataLoader

        import gleaner
        from gleaner.converted import converted

        loader = StatefulDataLoader(list(range(8)), 2)
        self.assertEqual(converted(loader).size, 8)
        iterator = iter(loader)
        next(iterator)
        other = StatefulDataLoader(list(range(8)), 2)
        other.load_state_dict(loader.state_dict())
        with self.assertRaisesRegex(gleaner.Unsupported, "whose state was loaded"):
            converted(other)


if __name__ == "__main__":
    support.main()
