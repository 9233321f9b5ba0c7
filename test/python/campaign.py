# SPDX-License-Identifier: Apache-2.0
"""A campaign runs trainings on this machine, and survives what is killed."""

import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

import support

COORDINATOR = support.BUILD / "runtime" / "coordinator" / "gleaner-coordinator"
PROGRAM = support.BUILD / "runtime" / "python" / "gleaner-campaign"
TRAINER = support.BUILD / "test" / "runtime" / "trainer"
PYTHON = os.environ.get("PYTHON") or sys.executable
missing = [str(path) for path in (COORDINATOR, PROGRAM, TRAINER) if not path.exists()]

SPEC = """\
objective: loss
per: {{steps: {steps}}}
space:
  loss: {{type: int, low: 1, high: 50}}
sampler: random
pruner: {pruner}
budget: {{trials: {trials}}}
seed: {seed}
"""


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="gleaner-test-")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.dir = self.folder / "search"
        self.workers = []
        self.addCleanup(self.kill_workers)

    def kill_workers(self):
        for worker in self.workers:
            if worker.poll() is None:
                worker.kill()
            worker.wait()

    def call(self, *words, code=0):
        """What `gleaner campaign WORDS` prints on standard output."""
        done = subprocess.run(
            [PYTHON, PROGRAM, *map(str, words)], capture_output=True, text=True, timeout=60
        )
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout if code in (0, 3, 4, 5, 6) else done.stderr

    def create(self, trials, steps=5, pruner="none", seed=1):
        spec = self.folder / "space.yaml"
        spec.write_text(SPEC.format(trials=trials, steps=steps, pruner=pruner, seed=seed))
        self.call("create", self.dir, "--spec", spec)

    def work(self, *trainer, options=(), run="--checkpoint-interval=0.2"):
        """A worker with two nodes on this machine."""
        command = [PYTHON, PROGRAM, "run", self.dir, "--local=2", *options]
        command += [f"--run-options={run}", "--", TRAINER, "--loss={loss}", *trainer]
        with open(self.folder / "workers.log", "ab") as log:
            worker = subprocess.Popen(list(map(str, command)), stdout=log, stderr=log)
        self.workers.append(worker)
        return worker

    def log(self):
        return (self.folder / "workers.log").read_text()

    def finish(self, worker, seconds=90):
        try:
            return worker.wait(seconds)
        except subprocess.TimeoutExpired:
            raise AssertionError("the worker goes on:\n" + self.log()) from None

    def trials(self):
        return json.loads(self.call("trials", self.dir, "--json"))

    def events(self, number, kind):
        path = self.dir / "trials" / f"{number:05d}" / "events.jsonl"
        found = []
        try:
            lines = path.read_text().splitlines()
        except FileNotFoundError:
            return []
        for line in lines:
            try:
                found.append(json.loads(line))
            except ValueError:
                pass  # being written, or its writer was killed
        return [event for event in found if event["event"] == kind]

    def wait(self, what, seconds=60):
        end = time.monotonic() + seconds
        while not what():
            if time.monotonic() > end:
                raise AssertionError("did not happen in time:\n" + self.log())
            time.sleep(0.05)


@unittest.skipIf(missing, f"not built: {', '.join(missing)}")
class Trials(Case):
    def test_all(self):
        """a worker runs all trials, and the best is what its parameters make it"""
        self.create(trials=3)
        self.assertEqual(self.finish(self.work("--samples=160", "--step-ms=1")), 0)
        trials = self.trials()
        self.assertEqual([t["state"] for t in trials], ["complete"] * 3)
        for trial in trials:  # the mean of loss/step over the steps 6 to 10
            expected = trial["params"]["loss"] * sum(1 / s for s in range(6, 11)) / 5
            self.assertAlmostEqual(trial["values"][0], expected)
        shown = self.call("status", self.dir, "--watch")  # ends: it is over
        self.assertIn("3 of 3 trials ended", shown)
        best = json.loads(self.call("best", self.dir, "--json"))[0]
        self.assertEqual(best["params"]["loss"], min(t["params"]["loss"] for t in trials))

    def test_pruned(self):
        """a trial that the pruner gives up ends at a boundary, without a checkpoint"""
        self.create(trials=5, pruner="{name: median, startup_trials: 1}", seed=7)
        worker = self.work("--samples=1600", "--step-ms=20", run="--checkpoint-interval=0")
        self.assertEqual(self.finish(worker), 0)
        pruned = [t for t in self.trials() if t["state"] == "pruned"]
        self.assertTrue(pruned, self.log())
        for trial in pruned:
            self.assertEqual(len(self.events(trial["number"], "park")), 1)
            self.assertEqual(self.events(trial["number"], "checkpoint"), [])
            self.assertEqual(self.events(trial["number"], "member_lost"), [])
            self.assertLess(self.events(trial["number"], "step")[-1]["step"], 100)

    def test_failing(self):
        """a program that fails is tried again, then told as failed"""
        self.create(trials=1)
        worker = self.work("--samples=160", "--step-ms=1", "--exit=7")
        self.assertEqual(self.finish(worker), 0)
        self.assertEqual(self.trials()[0]["state"], "fail")
        self.assertEqual(len(self.events(0, "start")), 3)
        self.assertIn("its program ended with 7", self.log())


@unittest.skipIf(missing, f"not built: {', '.join(missing)}")
class Ends(Case):
    LONG = ("--samples=16000", "--step-ms=10")

    def begin(self):
        self.create(trials=1)
        worker = self.work(*self.LONG)
        self.wait(lambda: len(self.events(0, "step")) > 20)
        return worker

    def goes_on(self):
        """The trial's next run begins where its last one ended, and completes it."""
        parked = self.events(0, "park")[-1]["step"]
        self.assertEqual(self.finish(self.work(*self.LONG)), 0)
        self.assertEqual(self.events(0, "rollback")[-1]["to_step"], parked)
        self.assertEqual(self.trials()[0]["state"], "complete")
        self.assertEqual(len(self.trials()[0]["course"]), 200)

    def test_signal(self):
        """SIGTERM ends worker and training; the next worker loses no step"""
        worker = self.begin()
        worker.terminate()
        self.assertEqual(self.finish(worker, 30), 143)
        self.goes_on()

    def test_killed(self):
        """kill -9 of the worker ends the training with a checkpoint, too"""
        worker = self.begin()
        worker.kill()
        worker.wait()
        self.wait(lambda: self.events(0, "park"))
        self.goes_on()

    def test_stop(self):
        """stop ends workers with 4; after stop --undo another goes on"""
        worker = self.begin()
        self.call("stop", self.dir)
        self.assertEqual(self.finish(worker, 40), 4)
        self.assertEqual(self.finish(self.work(*self.LONG), 40), 4)
        self.call("stop", self.dir, "--undo")
        self.goes_on()


@unittest.skipIf(missing, f"not built: {', '.join(missing)}")
class Driver(Case):
    def test_by_hand(self):
        """ask, report and tell, with the exit codes that scripts look at"""
        self.create(trials=2, pruner="{name: asha, reduction: 2}")
        taken = json.loads(self.call("ask", self.dir))
        self.call("report", self.dir, "--trial=0", "--index=1", "--value=3")
        other = json.loads(self.call("ask", self.dir))
        self.assertEqual((taken["number"], other["number"]), (0, 1))
        self.assertEqual(
            self.call("report", self.dir, "--trial=1", "--index=1", "--value=9", code=5),
            "prune\n",
        )
        self.call("tell", self.dir, "--trial=1", "--state=pruned")
        self.assertIn("busy", self.call("ask", self.dir, code=6))
        self.call("tell", self.dir, "--trial=0", "--value=2", f"--token={taken['token']}")
        self.assertIn("done", self.call("ask", self.dir))
        said = self.call("tell", self.dir, "--trial=0", "--value=2", code=2)
        self.assertIn("trial 0 was told already (complete)", said)
        said = self.call("tell", self.dir, "--trial=7", "--value=2", code=2)
        self.assertIn("there is no trial 7", said)

    def test_refusals(self):
        """wrong calls are refused with what to do"""
        self.assertIn("campaign create", self.call("status", self.dir, code=2))
        self.assertIn("--help", self.call("none", self.dir, code=2))
        self.create(trials=1)
        spec = self.folder / "space.yaml"
        said = self.call("create", self.dir, "--spec", spec, code=2)
        self.assertIn("has a campaign", said)
        self.assertIn("no program", self.call("run", self.dir, code=2))
        said = self.call("run", self.dir, "--", "train", "{lr}", code=2)
        self.assertIn("argument 2: '{lr}': {lr} is no parameter [known:", said)


if __name__ == "__main__":
    support.main()
