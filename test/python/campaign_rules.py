# SPDX-License-Identifier: Apache-2.0
"""What a campaign decides, without a process or a file that grows."""

import json
import os
import random
import tempfile
import unittest
from pathlib import Path

import support
import optuna
from optuna.trial import TrialState

from gleaner.trial_weight import TrialWeight
from gleaner_campaign import bounded, budget, command, document, holder, liveness
from gleaner_campaign import plots, rungs
from gleaner_campaign import spec as specs
from gleaner_campaign import training, values, views
from gleaner_campaign.holder import Holder, JobSeen, Life
from gleaner_campaign.refusal import Refusal
from gleaner_campaign.spec import Budget, Method, Per
from gleaner_campaign.waiting import waits_for_nodes
from gleaner_campaign.weight import Weight

SPEC = """\
objective: loss
space:
  lr: {low: 1e-4, high: 0.1, log: true}
budget: {trials: 3}
"""

REFUSED = [  # what is replaced, by what, and what is said
    ("objective: loss", "", "objective: is missing [add 'objective: …']"),
    ("objective: loss", "objetive: loss", "1: objective: is missing"),
    ("{low: 1e-4", "{low: little", "3: space.lr.low: is 'little' [expected a number]"),
    ("0.1,", "1e-5,", "3: space.lr.high: is below low"),
    ("1e-4,", "-1,", "3: space.lr.low: is -1 with log [use a low above 0]"),
    ("log: true", "log: yes", "3: space.lr.log: is 'yes' [expected true, false]"),
    ("log: true", "lgo: true", "3: space.lr.lgo: is not known here [known keys:"),
    ("lr:", "l r:", "3: space.l r: cannot stand in {…}"),
    ("trials: 3", "trials: 0", "4: budget.trials: is '0' [expected a whole number of"),
    ("trials: 3", "trials: 1.5", "4: budget.trials: is '1.5' [expected a whole number"),
    ("trials: 3", "trials: 3, hours: -1", "4: budget.hours: is '-1' [expected a number"),
    ("trials: 3}", "trials: 3", "not YAML:"),
    ("budget:", "sampler: best\nbudget:", "4: sampler: is 'best' [expected tpe, cmaes"),
    ("budget:", "pruner: {name: asha, eta: 3}\nbudget:", "4: pruner.eta: is not known"),
    ("budget:", "per: epoch\nbudget:", "4: per: is 'epoch' [expected pass, step]"),
    ("budget:", "seed: 1\nseed: 2\nbudget:", "5: seed: given twice [remove one]"),
    ("budget:", "space_py: none.py\nbudget:", "4: space_py: names"),
    (
        "budget:",
        "  drop: {low: 0, high: 1, when: {kind: relu}}\nbudget:",
        "4: space.drop.when.kind: is no parameter with choices above this one",
    ),
]


def read(text):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "space.yaml"
        path.write_text(text)
        return specs.read(str(path))


class Spec(unittest.TestCase):
    def test_refusals(self):
        """what a spec cannot mean is refused with file, line, key and remedy"""
        for old, new, said in REFUSED:
            with self.subTest(new):
                self.assertEqual(SPEC.count(old), 1)
                with self.assertRaises(Refusal) as refused:
                    read(SPEC.replace(old, new))
                self.assertIn("space.yaml:", str(refused.exception))
                self.assertIn(said, str(refused.exception))

    def test_defaults(self):
        """a spec needs an objective, a space and a number of trials"""
        spec = read(SPEC)
        self.assertEqual(spec.objectives, (specs.Objective("loss", "minimize"),))
        self.assertEqual(spec.parameters[0].low, 1e-4)
        self.assertEqual((spec.sampler.name, spec.pruner.name), ("tpe", "none"))
        self.assertEqual((spec.per, spec.take), (Per("pass"), "last"))

    def test_all(self):
        """each key has its meaning"""
        spec = read(
            "objective: {loss: minimize, accuracy: maximize}\n"
            "per: {steps: 100}\ntake: best\nseed: 4\ntries: 1\nname: x\n"
            "space:\n  kind: {choices: [relu, 2]}\n"
            "  slope: {low: 0, high: 1, step: 0.25, when: {kind: relu}}\n"
            "  width: {type: int, low: 1, high: 9, when: {kind: [relu, 2]}}\n"
            "sampler: {name: nsga2, population: 20}\n"
            "budget: {trials: 9, node_hours: 2.5, hours: 12}\n"
        )
        self.assertEqual(spec.objectives[1], specs.Objective("accuracy", "maximize"))
        self.assertEqual(spec.per, Per("steps", 100))
        self.assertEqual(spec.parameters[0].choices, ("relu", 2))
        self.assertEqual(spec.parameters[1].when, (("kind", ("relu",)),))
        self.assertEqual(spec.sampler, Method("nsga2", {"population": 20}))
        self.assertEqual(spec.budget, Budget(9, 2.5, 12))

    def test_numbers(self):
        """a number is what a person takes for one"""
        for text, value in [("1e-5", 1e-5), ("3", 3), ("nan", None), ("x", None)]:
            self.assertEqual(document.number_of(text), value)


def step(number, of_pass=0):
    return {"event": "step", "step": number, "pass": of_pass}


def log(number, value, key="loss"):
    return {"event": "log", "step": number, "key": key, "value": value}


ROLLBACK = {"event": "rollback", "to_step": 2}
FINISH = {"event": "finish"}
BEGIN = {"event": "generation", "kind": "start"}
RESUME = {"event": "generation", "kind": "resume"}

COURSES = [  # rule, per, events, complete points
    ("a pass is over with the first value of the next", Per(),
     [step(1), log(1, 4), step(2), log(2, 2), step(3, 1), log(3, 9)], {1: 3}),
    ("or with the training", Per(), [step(1), log(1, 4), FINISH], {1: 4}),
    ("an interval is over with its last step", Per("steps", 2),
     [log(1, 4), log(2, 2), log(3, 7)], {1: 3}),
    ("a step counts once", Per("steps", 1), [log(1, 4), log(1, 5)], {1: 4}),
    ("what a rollback undid comes again", Per("steps", 1),
     [log(1, 4), log(2, 3), log(3, 9), ROLLBACK, log(3, 1)], {1: 4, 2: 3, 3: 1}),
    ("and does not count until it has", Per("steps", 1),
     [log(1, 4), log(2, 3), log(3, 9), ROLLBACK], {1: 4, 2: 3}),
    ("a run from the start undoes all of an earlier one", Per("steps", 1),
     [log(1, 4), log(2, 3), BEGIN, log(1, 5)], {1: 5}),
    ("a run that resumes undoes nothing more", Per("steps", 1),
     [log(1, 4), log(2, 3), log(3, 9), ROLLBACK, RESUME, log(3, 5)],
     {1: 4, 2: 3, 3: 5}),
    ("other keys and infinities do not count", Per("steps", 1),
     [log(1, 4, "accuracy"), log(2, float("inf")), log(3, 1)], {3: 1}),
    ("an undone pass begins again", Per(), [step(1), log(1, 4), step(3, 1), log(3, 2), ROLLBACK, step(3, 1),
             log(3, 6), FINISH], {1: 4, 2: 6}),
]  # fmt: skip


class Course(unittest.TestCase):
    def test_table(self):
        """the points of a course, by the events that showed them"""
        for rule, per, events, points in COURSES:
            with self.subTest(rule):
                self.assertEqual(values.fold(events, "loss", per).complete(), points)

    def test_points(self):
        """a point comes out once, and again only with another value"""
        course = values.fold([log(1, 4), log(2, 3), log(3, 2)], "loss", Per("steps", 1))
        given = lambda: [(p.index, p.value) for p in course.points()]
        self.assertEqual(given(), [(1, 4), (2, 3), (3, 2)])
        self.assertEqual(given(), [])
        for event in (ROLLBACK, log(3, 2), log(4, 1)):
            course.take(event)
        self.assertEqual(given(), [(4, 1)])

    def test_random(self):
        """whatever is rolled back, each step's last value counts, once"""
        seed = int(os.environ.get("GLEANER_SEED", random.randrange(10**6)))
        print(f"# GLEANER_SEED={seed}")
        draw = random.Random(seed)
        for _ in range(100):
            course, truth, at = values.Course("loss", Per("steps", 3)), {}, 0
            for _ in range(60):
                if draw.random() < 0.1:
                    at = draw.randint(0, at)
                    truth = {s: v for s, v in truth.items() if s <= at}
                    course.take({"event": "rollback", "to_step": at})
                else:
                    at += 1
                    truth[at] = draw.random()
                    course.take(step(at))
                    course.take(log(at, truth[at]))
            expected = {}
            for index in range(1, at // 3 + 1):
                mean = sum(truth[s] for s in range(3 * index - 2, 3 * index + 1)) / 3
                expected[index] = mean
            found = course.complete()
            self.assertEqual(found.keys(), expected.keys())
            for index, mean in expected.items():
                self.assertAlmostEqual(found[index], mean)

    def test_result(self):
        """a trial's value: the last, the best or the mean"""
        course = {1: 3.0, 2: 1.0, 3: 2.0}
        for take, direction, value in [
            ("last", "minimize", 2),
            ("best", "minimize", 1),
            ("best", "maximize", 3),
            ("mean", "minimize", 2),
        ]:
            self.assertEqual(values.result(course, take, direction), value)
        self.assertIsNone(values.result({}, "last", "minimize"))

    def test_node_time(self):
        """node-seconds are those between joining and leaving, of all runs"""
        time = values.NodeTime()
        for t, kind, node in [
            (0, "start", ""), (1, "node_joined", "a"), (3, "node_joined", "b"),
            (5, "node_left", "a"), (6, "step", ""),  # killed here
            (90, "start", ""), (91, "node_joined", "a"), (93, "node_left", "a"),
        ]:  # fmt: skip
            time.take({"t": t, "event": kind, "node": node})
        self.assertEqual(time.seconds, 4 + 3 + 2)


HELD = Holder("t", "h1", "kernel 1", 7, "99", "c", "12", "batch", 1)

LIVES = [  # rule, holder, here, runs here, job, cluster asked, life
    ("nobody holds it", None, "k", None, None, "c", Life.gone),
    ("the kernel has it", HELD, "kernel 1", True, None, "c", Life.alive),
    ("the kernel has not", HELD, "kernel 1", False, JobSeen("RUNNING", 1), "c",
     Life.gone),
    ("its job runs", HELD, "k", None, JobSeen("RUNNING", 1), "c", Life.alive),
    ("its job is suspended", HELD, "k", None, JobSeen("SUSPENDED", 1), "c", Life.alive),
    ("its job still ends", HELD, "k", None, JobSeen("COMPLETING", 1), "c", Life.alive),
    ("its job ended", HELD, "k", None, JobSeen("TIMEOUT", 1), "c", Life.gone),
    ("Slurm has forgotten its job", HELD, "k", None, JobSeen(""), "c", Life.gone),
    ("its job was requeued", HELD, "k", None, JobSeen("PENDING", 1), "c", Life.gone),
    ("and runs again", HELD, "k", None, JobSeen("RUNNING", 2), "c", Life.gone),
    ("Slurm does not answer", HELD, "k", None, None, "c", Life.unknown),
    ("another cluster's Slurm", HELD, "k", None, JobSeen(""), "d", Life.unknown),
    ("no job, another host", Holder("t", "h", "b", 7, "9"), "k", None, JobSeen(""), "c",
     Life.unknown),
]  # fmt: skip


class Liveness(unittest.TestCase):
    def test_table(self):
        """a trial is free when Slurm or the kernel says that its holder is gone"""
        for rule, held, here, runs, job, cluster, life in LIVES:
            with self.subTest(rule):
                self.assertEqual(holder.decide(held, here, runs, job, cluster), life)

    def test_squeue(self):
        """squeue's answer, and what is none"""
        answer = "12        RUNNING   0 \n\n13  TIMEOUT  2\n"
        self.assertEqual(
            liveness.read_squeue(answer),
            {"12": JobSeen("RUNNING", 0), "13": JobSeen("TIMEOUT", 2)},
        )
        for wrong in ("12 RUNNING", "12 RUNNING x", "a b c d"):
            self.assertIsNone(liveness.read_squeue(wrong))

    def test_processes(self):
        """this process lives; a number without a process does not"""
        me = holder.process(os.getpid())
        gone = Holder("gone", me.host, me.boot, 2**22 + 1, "1")
        self.assertEqual(
            liveness.lives([me, gone, None]), {me.token: Life.alive, "gone": Life.gone}
        )


def trial(number, value):
    made = optuna.trial.create_trial(
        state=TrialState.RUNNING if value is None else TrialState.COMPLETE, value=value
    )
    made.number = number
    return made


class Rules(unittest.TestCase):
    def test_rungs(self):
        """rung r is reached at min · reduction^r, and weighs reduction^r"""
        asha = Method("asha", {"min": 2, "reduction": 3})
        for index, rung, weight in [
            (0, -1, 1), (1, -1, 1), (2, 0, 1), (5, 0, 1), (6, 1, 3), (18, 2, 9), (54, 3, 10)
        ]:  # fmt: skip
            self.assertEqual(rungs.rung_of(asha, index), rung)
            self.assertEqual(rungs.weight_of(asha, index), weight)
        self.assertEqual(rungs.weight_of(Method("median"), 100), 1)

    def test_growing_weight(self):
        """a trial's file says what it weighs: more with each rung, never less"""
        with tempfile.TemporaryDirectory() as folder:
            said = lambda: (Path(folder) / "weight").read_text()
            asha = Method("asha", {"min": 1, "reduction": 3})
            trial = Weight(folder, asha)
            for index, expected in [(0, "1"), (2, "1"), (3, "3"), (1, "3"), (9, "9")]:
                trial.take(index)
                self.assertEqual(said(), expected + "\n")
            os.unlink(Path(folder) / "weight")
            trial.take(9)  # nothing new is not written
            self.assertFalse((Path(folder) / "weight").exists())

    def test_weight_heard(self):
        """a training hears each new weight once, and looks once a second"""
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "weight"
            heard = TrialWeight({"GLEANER_TRIAL": json.dumps({"dir": folder})})
            self.assertIsNone(heard.news(0))
            file.write_text("3\n")
            self.assertIsNone(heard.news(0.5))
            self.assertEqual(heard.news(1.5), 3)
            self.assertIsNone(heard.news(3))
            for text, news in [("9\n", 9), ("x", None), ("100", None), ("", None)]:
                file.write_text(text)
                now_s = 5 + 2 * len(text)
                heard._looked_s = 0
                self.assertEqual(heard.news(now_s), news)
        for none in ({}, {"GLEANER_TRIAL": "x"}, {"GLEANER_TRIAL": "[]"}):
            self.assertIsNone(TrialWeight(none).news(9))

    def test_waiting(self):
        """a training waits for nodes until it has a generation, and when parked"""
        start, park = '{"event":"start"}', '{"event":"park","step":3}'
        begun = '{"event":"generation","nodes":"n1"}'
        parked = '{"event":"generation","nodes":""}'
        for lines, waits in [
            ([], False), ([start], True), ([start, begun], False),
            ([start, begun, parked, park], True),
            ([start, begun, parked, park, begun], False),
            ([park] + ['{"event":"step"}'] * 9000, False), ([start, '{"eve'], True),
        ]:  # fmt: skip
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / "events.jsonl"
                path.write_text("\n".join(lines))
                self.assertEqual(waits_for_nodes(str(path)), waits, lines[:5])
        self.assertFalse(waits_for_nodes("/none"))

    def test_over(self):
        """a campaign is over when all trials ended, or when it was stopped and none
        runs any more"""
        def over(complete, stopped=False, running=()):
            trials = {"budget": 3, "complete": complete, "pruned": 1, "fail": 0}
            waits = [{"waits_for": why} for why in running]
            return views.is_over(
                {"trials": trials, "stopped": stopped, "spent": None, "running": waits}
            )

        self.assertTrue(over(2))
        self.assertFalse(over(1))
        self.assertTrue(over(1, True))
        self.assertTrue(over(1, True, ["a worker"]))
        self.assertFalse(over(1, True, [""]))
        self.assertFalse(over(1, False, ["a worker"]))

    def test_budget(self):
        """time and node-hours end what runs; trials bound what begins"""
        whole = Budget(3, node_hours=1, hours=2)
        self.assertIsNone(budget.spent(whole, 7199, 3599))
        self.assertEqual(budget.spent(whole, 7200, 0), "time")
        self.assertEqual(budget.spent(whole, 0, 3600), "node-hours")
        self.assertIsNone(budget.spent(Budget(3), 1e9, 1e9))
        self.assertTrue(budget.may_begin(whole, 2))
        self.assertFalse(budget.may_begin(whole, 3))

    def test_overview(self):
        """a sampler sees what runs, the newest that ended, and the best"""
        overview = bounded.Overview(True, lambda trial: 2.0, best=2, newest=3)
        trials = [trial(number, value) for number, value in enumerate(
            [5, 1, 9, None, 8, 2, 7, 6])]  # fmt: skip
        overview.take(trials)
        self.assertEqual([t.number for t in overview.shown()], [1, 3, 5, 6, 7])
        self.assertEqual([t.number for t in overview.open], [3])
        self.assertEqual((overview.begun, overview.node_seconds), (8, 16))
        trials[3] = trial(3, 0)
        overview.take(trials)
        self.assertEqual([t.number for t in overview.shown()], [1, 3, 6, 7])
        self.assertEqual(overview.open, [])

    def test_argv(self):
        """{name} is replaced; a word with a parameter that is absent is left out"""
        argv = ["train.py", "--lr={lr}", "--slope={slope}", "{number}-{lr}", "{}"]
        self.assertEqual(
            training.filled_in(argv, {"lr": 0.5, "number": 3}),
            ["train.py", "--lr=0.5", "3-0.5", "{}"],
        )
        with self.assertRaisesRegex(Refusal, r"argument 2: .*\{lr\} is no parameter"):
            training.check_names(argv, {"slope", "number"})

    def test_run_options(self):
        """a trial keeps its whole log: values are read from it again"""
        self.assertEqual(
            command.run_options("--on-loss=short --comm tcp"),
            ["--events-max=0", "--on-loss=short", "--comm", "tcp"],
        )
        for words in ("--events-max=1G", "--events-max 1G"):
            with self.assertRaisesRegex(Refusal, "whole events.jsonl"):
                command.run_options(words)

    def test_node_spans(self):
        """when a trial had which node"""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "events.jsonl"
            path.write_text(
                '{"event":"start","t":0}\n'
                '{"event":"node_joined","node":"a","t":1}\n'
                '{"event":"node_joined","node":"b","t":2}\n'
                '{"event":"node_left","node":"a","t":3}\n'
                '{"event":"step","t":4}\n{"event":"st'
            )
            self.assertEqual(plots.node_spans(str(path)), [("a", 1, 3), ("b", 2, 4)])


if __name__ == "__main__":
    support.main()
