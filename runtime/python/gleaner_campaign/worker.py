# SPDX-License-Identifier: Apache-2.0
"""What does `gleaner campaign run` do?  One trial after the other, until told to end.

It may be killed at any moment: what it knows is in the study and in the trial's
directory.  Several of them, on any nodes, share a campaign.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from dataclasses import dataclass
from typing import Any, Optional

from optuna.trial import TrialState

from gleaner_campaign.campaign import FAILURES, NODE_S, Campaign, Nothing, Taken
from gleaner_campaign.exits import BUDGET, DONE, STOPPED
from gleaner_campaign.holder import process
from gleaner_campaign.refusal import Refusal
from gleaner_campaign.training import Training, check_names, lock_folder
from gleaner_campaign.values import Course, NodeTime, result
from gleaner_campaign.weight import Weight

LOOK_S = 0.25  # between looks at a trial's events
ASK_S = 5.0  # between looks at the campaign: was it stopped, is the budget spent
END_S = 30.0  # a run that was asked to end has its own limit; this is the last one
WAIT_S = 3600.0  # for what is left of a trial's earlier run to end


@dataclass
class Options:
    program: str  # gleaner-coordinator
    run: list[str]  # its options
    argv: list[str]
    waits: bool = True  # while others hold the last trials, which may be lost
    has_weight: bool = False  # gleaner run knows --weight, and trials shall have one


class Worker:
    def __init__(self, campaign: Campaign, options: Options) -> None:
        self._campaign = campaign
        self._options = options
        self._holder = process(os.getpid())
        self._signal: Optional[int] = None
        if campaign.spec.parameters:
            names = {p.name for p in campaign.spec.parameters}
            check_names(options.argv, names | {"number", "dir", "seed"})
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, self._on_signal)

    def run(self) -> int:
        """The exit status: see exits.py; 128 + signal after a signal."""
        while self._signal is None:
            taken = self._campaign.take(self._holder, time.time())
            if isinstance(taken, Taken):
                code = self._run_trial(taken)
                if code is not None:
                    return code
            elif taken.why != "busy":
                return self._end(taken)
            elif not self._options.waits:
                return DONE
            else:
                self._pause(ASK_S)
        return 128 + self._signal

    def _end(self, nothing: Nothing) -> int:
        say("end", why=nothing.why, part=nothing.detail)
        return {"done": DONE, "budget": BUDGET, "stopped": STOPPED}[nothing.why]

    def _run_trial(self, taken: Taken) -> Optional[int]:
        """None: go on with another."""
        lock = self._lock(taken)
        if lock is None:
            self._campaign.release(taken.number, taken.token)
            return None
        say("trial_begun", number=taken.number, params=taken.params)
        options = list(self._options.run)
        weight = None
        if self._options.has_weight:
            course = self._campaign.trial(taken.number).intermediate_values
            weight = Weight(taken.folder, self._campaign.spec.pruner)
            options.append(f"--weight={weight.take(max(course, default=0)):g}")
        training = Training(
            self._options.program, taken, options, self._options.argv, lock
        )
        try:
            return Watch(self, self._campaign, taken, training, weight).until_over()
        except BaseException:
            training.ask_to_end(with_checkpoint=True)
            if training.wait(END_S) is None:
                training.kill()
            raise

    def _lock(self, taken: Taken) -> Optional[int]:
        end = time.monotonic() + WAIT_S
        while self._signal is None and time.monotonic() < end:
            lock = lock_folder(taken.folder)
            if lock is not None:
                return lock
            self._pause(LOOK_S)
        return None

    def signalled(self) -> Optional[int]:
        return self._signal

    def _pause(self, seconds: float) -> None:
        end = time.monotonic() + seconds
        while self._signal is None and time.monotonic() < end:
            time.sleep(min(LOOK_S, max(0.0, end - time.monotonic())))

    def _on_signal(self, number: int, frame: Any) -> None:
        self._signal = number


class Watch:
    """One trial's training: its values go to the study, and decisions come back."""

    def __init__(
        self,
        worker: Worker,
        campaign: Campaign,
        taken: Taken,
        training: Training,
        weight: Optional[Weight],
    ) -> None:
        self._worker = worker
        self._weight = weight
        self._campaign = campaign
        self._taken = taken
        self._training = training
        spec = campaign.spec
        self._courses = [Course(o.key, spec.per) for o in spec.objectives]
        self._node_time = NodeTime()
        self._ending: Optional[str] = None  # prune, stop, budget or signal
        self._ending_s = 0.0
        self._looked_s = time.monotonic()

    def until_over(self) -> Optional[int]:
        """What the worker shall exit with; None: go on."""
        while (code := self._training.code()) is None:
            self._read()
            self._decide()
            time.sleep(LOOK_S)
        self._read()
        self._note_node_time()
        return self._close(code)

    def _read(self) -> None:
        for event in self._training.events.read():
            self._node_time.take(event)
            for course in self._courses:
                course.take(event)
        for point in self._courses[0].points():
            prune = self._campaign.report(
                self._taken.number, self._taken.token, point.index, point.value
            )
            if prune and not self._courses[0].finished:
                self._end("prune")
            elif self._weight is not None:
                self._weight.take(point.index)

    def _decide(self) -> None:
        if self._worker.signalled() is not None:
            self._end("signal")
        if time.monotonic() - self._looked_s > ASK_S:
            self._looked_s = time.monotonic()
            self._note_node_time()
            if self._campaign.stopped():
                self._end("stop")
            elif self._campaign.spent(time.time()):
                self._end("budget")
        if self._ending and time.monotonic() - self._ending_s > END_S:
            self._training.kill()

    def _end(self, why: str) -> None:
        """A pruned trial's state is of no use; of others it is."""
        if self._ending:
            return
        self._ending, self._ending_s = why, time.monotonic()
        self._training.ask_to_end(with_checkpoint=why != "prune")

    def _note_node_time(self) -> None:
        used = round(self._node_time.seconds, 1)
        self._campaign.note(self._taken.number, self._taken.token, NODE_S, used)

    def _close(self, code: int) -> Optional[int]:
        number, token = self._taken.number, self._taken.token
        if code == 0:
            return self._complete()
        if self._ending == "prune":
            self._campaign.tell(number, token, TrialState.PRUNED)
            say("trial_pruned", number=number, at=max(self._courses[0].complete()))
            return None
        if self._ending or code in (128 + signal.SIGTERM, 128 + signal.SIGINT):
            self._campaign.release(number, token)
            say("trial_kept", number=number, why=self._ending or "signal")
            return {"stop": STOPPED, "budget": BUDGET}.get(self._ending or "", code)
        return self._failed(f"its program ended with {code}")

    def _complete(self) -> Optional[int]:
        spec = self._campaign.spec
        values = [
            result(course.complete(), spec.take, objective.direction)
            for course, objective in zip(self._courses, spec.objectives)
        ]
        known = [value for value in values if value is not None]
        if len(known) < len(values):
            missing = [o.key for o, v in zip(spec.objectives, values) if v is None]
            return self._failed(f"it logged no {', '.join(missing)} with job.log()", 1)
        self._campaign.tell(
            self._taken.number, self._taken.token, TrialState.COMPLETE, known
        )
        say("trial_complete", number=self._taken.number, values=known)
        return None

    def _failed(self, why: str, tries: Optional[int] = None) -> None:
        number, token = self._taken.number, self._taken.token
        failures = 1 + int(self._campaign.trial(number).user_attrs.get(FAILURES, 0))
        self._campaign.note(number, token, FAILURES, failures)
        say(
            "trial_failed",
            number=number,
            why=why,
            see=os.path.join(self._taken.folder, "output.log"),
        )
        if failures >= (tries or self._campaign.spec.tries):
            self._campaign.tell(number, token, TrialState.FAIL)
        else:
            self._campaign.release(number, token)


def say(event: str, **fields: Any) -> None:
    """A line for the job's output; a full disk there ends no training."""
    words = [f"{key}={value}" for key, value in fields.items() if value != ""]
    try:
        print(f"gleaner campaign: {event}", *words, file=sys.stderr, flush=True)
    except OSError:
        return


def find_coordinator(here: str) -> str:
    """gleaner-coordinator: $GLEANER_LIBEXEC, beside this program, or as it is built."""
    name = "gleaner-coordinator"
    override = os.environ.get("GLEANER_LIBEXEC")
    folders = [override] if override else [here, os.path.join(here, "..", "coordinator")]
    for folder in folders:
        path = os.path.join(folder, name)
        if os.access(path, os.X_OK):
            return os.path.abspath(path)
    raise Refusal(
        f"cannot find {name} in {', '.join(folders)} [set GLEANER_LIBEXEC to its "
        "directory]"
    )
