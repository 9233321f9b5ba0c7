# SPDX-License-Identifier: Apache-2.0
"""Each sampler and pruner that a spec may name finishes a search, and sensibly."""

import os
import random
import tempfile
import time
import unittest
from pathlib import Path

import support
import optuna
from optuna.trial import TrialState

from gleaner_campaign import methods
from gleaner_campaign import spec as specs
from gleaner_campaign.campaign import Campaign, Nothing, Taken
from gleaner_campaign.holder import process
from gleaner_campaign.refusal import Refusal

SEED = int(os.environ.get("GLEANER_SEED", random.randrange(10**6)))
SPEC = """\
objective: loss
space:
  x: {{low: -10, high: 10}}
  n: {{type: int, low: 1, high: 9}}
sampler: {sampler}
pruner: {pruner}
budget: {{trials: {trials}}}
seed: {seed}
"""
COURSE = 9  # values of a trial

LEARNING = [
    "{name: tpe, startup_trials: 10}",
    "{name: cmaes, startup_trials: 10}",
    "{name: nsga2, population: 10}",
    "{name: evolution, population: 10, tournament: 5}",
    "{name: gp, startup_trials: 10}",
]
PRUNERS = ["median", "asha", "hyperband"]
SAVED = 0.8  # of the values without pruner, a search has at most this share


def loss(params):
    return params["x"] ** 2 + (params["n"] - 3) ** 2


class Case(unittest.TestCase):
    def create(self, sampler, pruner="none", trials=50):
        """Raises Refusal where this Optuna lacks it."""
        folder = tempfile.TemporaryDirectory(prefix="gleaner-test-")
        self.addCleanup(folder.cleanup)
        path = Path(folder.name) / "space.yaml"
        path.write_text(
            SPEC.format(sampler=sampler, pruner=pruner, trials=trials, seed=SEED)
        )
        spec = specs.read(str(path))
        methods.check(spec, str(path))
        return Campaign.create(str(Path(folder.name) / "search"), str(path), spec)

    def finish(self, campaign, workers=1):
        """What so many workers do that take turns; the trials."""
        print(f"# GLEANER_SEED={SEED}", flush=True)
        held = [None] * workers
        for turn in range(10**6):
            at = turn % workers
            if held[at] is None:
                taken = campaign.take(process(os.getpid()), time.time())
                if isinstance(taken, Nothing):
                    if taken.why == "done":
                        return campaign.trials()
                    continue
                held[at] = (taken, 0)
            held[at] = self.next_value(campaign, *held[at])
        raise AssertionError("it goes on and on")

    def next_value(self, campaign, taken, index):
        """None when its trial is over."""
        index += 1
        value = loss(taken.params) + 20 / index
        prune = campaign.report(taken.number, taken.token, index, value)
        if index == COURSE:
            campaign.tell(taken.number, taken.token, TrialState.COMPLETE, [value])
        elif prune:
            campaign.tell(taken.number, taken.token, TrialState.PRUNED)
        else:
            return taken, index
        return None


class Samplers(Case):
    def test_learning(self):
        """samplers propose better trials than they began with, within the bounds"""
        for sampler in LEARNING:
            with self.subTest(sampler):
                try:
                    campaign = self.create(sampler)
                except Refusal as refused:
                    self.assertRegex(str(refused), r"sampler: (gp|cmaes) .*\[.*use tpe")
                    print(f"# {refused}", flush=True)
                    continue
                trials = self.finish(campaign)
                self.assertEqual(len(trials), 50)
                for trial in trials:
                    self.assertEqual(trial.state, TrialState.COMPLETE)
                    self.assertTrue(-10 <= trial.params["x"] <= 10)
                    self.assertIn(trial.params["n"], range(1, 10))
                # The best quarter of random ones begins at 13 to 34.
                quarter = sorted(loss(t.params) for t in trials[-25:])[6]
                self.assertLess(quarter, 13, sampler)
                self.assertLess(min(loss(t.params) for t in trials), 6)

    def test_parent(self):
        """a child of evolution has its parent's parameters, but one"""
        campaign = self.create("{name: evolution, population: 8, tournament: 4}")
        trials = self.finish(campaign)
        children = [t for t in trials if "gleaner:parent" in t.user_attrs]
        self.assertEqual(len(children), 50 - 8)
        for child in children:
            parent = trials[child.user_attrs["gleaner:parent"]]
            self.assertGreaterEqual(parent.number, child.number - 8)
            same = [k for k in child.params if child.params[k] == parent.params[k]]
            self.assertLessEqual(len(child.params) - len(same), 1)

    def test_lacking(self):
        """what this Optuna lacks is refused by name, before there is a campaign"""
        if hasattr(optuna.samplers, "GPSampler"):
            self.skipTest("this Optuna has gp")
        with self.assertRaisesRegex(Refusal, "sampler: gp is not in Optuna"):
            self.create("gp")


class Pruners(Case):
    def test_all(self):
        """pruners end trials early, and keep the best one"""
        for pruner in PRUNERS:
            with self.subTest(pruner):
                words = "{name: %s}" % pruner
                if pruner == "hyperband":
                    words = "{name: hyperband, min: 1, max: 9, reduction: 3}"
                trials = self.finish(self.create("random", words), workers=4)
                self.assertEqual(len(trials), 50)
                pruned = [t for t in trials if t.state == TrialState.PRUNED]
                complete = [t for t in trials if t.state == TrialState.COMPLETE]
                self.assertEqual(len(pruned) + len(complete), 50)
                self.assertTrue(complete)
                values = sum(len(t.intermediate_values) for t in trials)
                self.assertLess(values, SAVED * 50 * COURSE)
                best = min(trials, key=lambda t: loss(t.params))
                found = min(loss(t.params) for t in complete)
                self.assertLessEqual(found, loss(best.params) + 10)

    def test_asked_again(self):
        """a trial whose holder is gone is asked again, and draws the same"""
        campaign = self.create("tpe", "{name: hyperband, max: 9}", trials=1)
        first = campaign.take(process(os.getpid()), time.time())
        campaign.release(first.number, first.token)
        again = campaign.take(process(os.getpid()), time.time())
        self.assertIsInstance(again, Taken)
        self.assertEqual((first.number, first.params), (again.number, again.params))


if __name__ == "__main__":
    support.main()
