# SPDX-License-Identifier: Apache-2.0
"""Whatever is killed, and whenever: no trial is lost, none told twice, no value twice.

CAMPAIGN_KILLS=200 kills more often than `make check` does.
"""

import contextlib
import json
import os
import random
import signal
import subprocess
import time
import unittest
from pathlib import Path

import support
from campaign import Case, missing

try:
    from gleaner_campaign.campaign import Campaign, Nothing
    from gleaner_campaign.holder import process
    from optuna.trial import TrialState
except ImportError as error:
    missing.append(str(error))

SEED = int(os.environ.get("GLEANER_SEED", random.randrange(10**6)))
KILLS = int(os.environ.get("CAMPAIGN_KILLS", "30"))
COURSE = 4  # values of a trial
PER = 50  # steps of each
STEPS = COURSE * PER
SET_STATE, SET_VALUE = 6, 7  # Optuna's codes in its journal


def value_of(params, index):
    return params["loss"] / index


def drive(folder):
    """Asks, reports and tells until nothing is left; for a process of its own."""
    campaign = Campaign(folder)
    while True:
        taken = campaign.take(process(os.getpid()), time.time())
        if isinstance(taken, Nothing):
            if taken.why == "done":
                os._exit(0)
            time.sleep(0.01)
            continue
        for index in range(1, COURSE + 1):
            value = value_of(taken.params, index)
            campaign.report(taken.number, taken.token, index, value)
        campaign.tell(taken.number, taken.token, TrialState.COMPLETE, [value])


def fork(folder):
    pid = os.fork()
    if pid == 0:
        try:
            drive(folder)
        finally:
            os._exit(1)
    return pid


@unittest.skipIf(missing, f"missing: {', '.join(missing)}")
class Killed(Case):
    def setUp(self):
        super().setUp()
        self.draw = random.Random(SEED)
        print(f"# GLEANER_SEED={SEED}", flush=True)

    def journal(self):
        lines = (self.dir / "journal.log").read_text().splitlines()
        return [json.loads(line) for line in lines]

    def test_drivers(self):
        """kill -9 of what asks, reports and tells"""
        trials = 2 * KILLS
        self.create(trials=trials)
        pids = [fork(str(self.dir)) for _ in range(3)]
        kills, end = 0, time.monotonic() + 400
        while pids and time.monotonic() < end:
            time.sleep(self.draw.uniform(0, 0.3))
            if kills < KILLS:
                victim = self.draw.choice(pids)
                os.kill(victim, signal.SIGKILL)
                os.waitpid(victim, 0)
                pids[pids.index(victim)] = fork(str(self.dir))
                kills += 1
            for pid in list(pids):
                gone, status = os.waitpid(pid, os.WNOHANG)
                if gone:
                    self.assertEqual(status, 0)
                    pids.remove(pid)
        for pid in pids:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
        self.assertEqual(pids, [], "the campaign did not end")
        print(f"# {kills} kills, {len(self.journal())} lines", flush=True)
        self.check_trials(trials)

    def check_trials(self, trials):
        campaign = Campaign(str(self.dir))
        found = campaign.trials()
        self.assertEqual([t.number for t in found], list(range(trials)))
        for trial in found:
            self.assertEqual(trial.state, TrialState.COMPLETE)
            expected = {i: value_of(trial.params, i) for i in range(1, COURSE + 1)}
            self.assertEqual(trial.intermediate_values, expected)
            self.assertEqual(trial.values, [expected[COURSE]])
        told, said = {}, {}
        for line in self.journal():
            if line["op_code"] == SET_STATE and line["state"] == TrialState.COMPLETE:
                told[line["trial_id"]] = told.get(line["trial_id"], 0) + 1
            elif line["op_code"] == SET_VALUE:
                key = (line["trial_id"], line["step"])
                said[key] = said.get(key, 0) + 1
        self.assertEqual(set(told.values()), {1})
        self.assertEqual(set(said.values()), {1})

    def test_workers(self):
        """kill -9 of workers and coordinators"""
        trials, kills, wanted = 6, 0, max(4, KILLS // 4)
        trainer = (f"--samples={16 * STEPS}", "--step-ms=10")
        self.create(trials=trials, steps=PER)
        spec = self.dir / "campaign.json"
        # A coordinator's death by our hand is no fault of the program.
        spec.write_text(spec.read_text().replace('"tries": 3', '"tries": 1000'))
        workers, end = [], time.monotonic() + 500
        while time.monotonic() < end:
            workers = [w for w in workers if w.poll() is None]
            if self.ended() == trials:
                break
            while len(workers) < 2:
                workers.append(self.work(*trainer))
            time.sleep(self.draw.uniform(0.3, 3))
            victims = [w.pid for w in workers if w.poll() is None]
            victims += [c for w in workers for c in children(w.pid)]
            if kills < wanted and victims:
                with contextlib.suppress(ProcessLookupError):  # it has just ended
                    os.kill(self.draw.choice(victims), signal.SIGKILL)
                    kills += 1
        print(f"# {kills} kills", flush=True)
        found = self.trials()
        states = [t["state"] for t in found]
        self.assertEqual(states, ["complete"] * trials, f"ended late?\n{self.log()}")
        for trial in found:
            with self.subTest(trial=trial["number"]):
                self.check_values(trial)

    def check_values(self, trial):
        """Each step has its value, once, and counts."""
        factor = trial["params"]["loss"]
        standing = read_values(Path(trial["dir"]) / "events.jsonl")
        self.assertEqual(sorted(standing), list(range(1, STEPS + 1)))
        for step, shown in standing.items():
            self.assertEqual(shown, [factor / step], f"step {step}")
        for index in range(1, COURSE + 1):
            steps = range(PER * (index - 1) + 1, PER * index + 1)
            mean = sum(factor / step for step in steps) / PER
            told = trial["course"].get(str(index))
            self.assertIsNotNone(told, f"value {index} was not told")
            self.assertAlmostEqual(told, mean, msg=f"value {index}")

    def ended(self):
        return sum(trial.state.is_finished() for trial in Campaign(str(self.dir)).trials())


def read_values(path):
    """Of a training's log: {step: [values that stand]}."""
    standing = {}
    for line in path.read_text().splitlines():
        try:
            event = json.loads(line)
        except ValueError:
            continue  # its writer was killed
        kind = event["event"]
        if kind == "rollback":
            standing = {s: v for s, v in standing.items() if s <= event["to_step"]}
        elif kind == "generation" and event["kind"] == "start":
            standing = {}
        elif kind == "log" and event["key"] == "loss":
            standing.setdefault(event["step"], []).append(event["value"])
    return standing


def children(pid):
    found = subprocess.run(
        ["pgrep", "-P", str(pid)], capture_output=True, text=True, check=False
    )
    return [int(word) for word in found.stdout.split()]


if __name__ == "__main__":
    support.main()
