# SPDX-License-Identifier: Apache-2.0
"""What may be done to a campaign: ask, report, tell, release, stop.

The state is Optuna's study.  What Optuna has no word for stands in attributes of its
trials, so that one record says all:
    gleaner:holder   the process that runs the trial; none: nobody does
    gleaner:asked    all parameters are chosen
    gleaner:node_s   node-seconds used
    gleaner:failures how often its program failed
Each change happens under the lock of the directory.  A process can die at any
instruction: a trial is created together with its holder, so no trial is without one,
and one whose holder is gone is taken up again.
"""

from __future__ import annotations

import os
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any, ContextManager, Optional, Union

import optuna
from optuna.trial import TrialState

from gleaner_campaign import bounded, budget, liveness, methods, record
from gleaner_campaign.holder import ATTRIBUTE as HOLDER
from gleaner_campaign.holder import Holder, Life
from gleaner_campaign.journal import JournalFile, Lock, storage_of
from gleaner_campaign.refusal import Refusal
from gleaner_campaign.space import suggest_of
from gleaner_campaign.spec import Spec

ASKED = "gleaner:asked"
NODE_S = "gleaner:node_s"
FAILURES = "gleaner:failures"
STOP = "gleaner:stop"


@dataclass(frozen=True)
class Taken:
    """A trial that is now the asker's."""

    number: int
    params: dict[str, Any]
    folder: str
    seed: int
    token: str
    parent: Optional[int] = None  # of regularised evolution
    parent_folder: Optional[str] = None

    def to_json(self) -> dict[str, Any]:
        return {
            "number": self.number,
            "params": self.params,
            "dir": self.folder,
            "seed": self.seed,
            "token": self.token,
            "parent": self.parent,
            "parent_dir": self.parent_folder,
        }


@dataclass(frozen=True)
class Nothing:
    """No trial, and why: done, budget, stopped, or busy (others hold them all)."""

    why: str
    detail: str = ""


class Campaign:
    """An open campaign.  All methods may raise Refusal."""

    def __init__(self, folder: str) -> None:
        self.folder = os.path.abspath(folder)
        self.spec = record.read(self.folder)
        self._lock = Lock(os.path.join(self.folder, "lock"))
        self._suggest = suggest_of(self.spec)
        self._overview = bounded.Overview(
            self.spec.objectives[0].direction == "minimize",
            lambda trial: float(trial.user_attrs.get(NODE_S, 0)),
            bounded.BEST,
            bounded.NEWEST,
        )
        optuna.logging.set_verbosity(optuna.logging.ERROR)
        self._backend, self.storage = storage_of(self.folder, self.spec.storage)
        self.study = optuna.load_study(
            study_name=self.spec.name,
            storage=self.storage,
            pruner=methods.pruner_of(self.spec.pruner),
            sampler=methods.sampler_of(self.spec, 0),
        )

    @staticmethod
    def create(folder: str, spec_file: str, spec: Spec) -> "Campaign":
        """The study first: a directory with a record has one."""
        record.prepare(folder, spec_file, spec)
        optuna.logging.set_verbosity(optuna.logging.ERROR)
        optuna.create_study(
            study_name=spec.name,
            storage=storage_of(os.path.abspath(folder), spec.storage)[1],
            directions=[o.direction for o in spec.objectives],
            load_if_exists=True,
        )
        record.finish(folder, spec)
        return Campaign(folder)

    # --- looking --------------------------------------------------------------

    def trials(self) -> list[Any]:
        """Optuna's; not to be changed."""
        return list(self.study.get_trials(deepcopy=False))

    def trial(self, number: int) -> Any:
        found = self.trials()
        if not 0 <= number < len(found):
            raise Refusal(
                f"{self.folder}: there is no trial {number} [gleaner campaign trials]"
            )
        return found[number]

    def folder_of(self, number: int) -> str:
        return os.path.join(self.folder, "trials", f"{number:05d}")

    def stopped(self) -> bool:
        return bool(self.study.user_attrs.get(STOP))

    def spent(self, now_s: float) -> Optional[str]:
        """Which part of the budget for what runs is used up."""
        self._overview.take(self.trials())
        return budget.spent(
            self.spec.budget, self._overview.age_s(now_s), self._overview.node_seconds
        )

    # --- changing -------------------------------------------------------------

    def take(self, holder: Holder, now_s: float) -> Union[Taken, Nothing]:
        """A trial to run: one that nobody holds any more, or a new one."""
        held = self.held()
        lives = liveness.lives(held.values())  # Slurm may take long: not locked
        with self._lock.held():
            if self.stopped():
                return Nothing("stopped")
            if part := self.spent(now_s):
                return Nothing("budget", part)
            with self._written_once():
                for trial in self._overview.open:
                    if _is_free(trial, lives):
                        return self._take_up(trial, holder)
                return self._begin(holder)

    def held(self) -> dict[int, Optional[Holder]]:
        """Of each running trial of ours, who holds it."""
        self._overview.take(self.trials())
        return {
            t.number: Holder.of_json(t.user_attrs[HOLDER])
            for t in self._overview.open
            if t.state == TrialState.RUNNING and HOLDER in t.user_attrs
        }

    def report(self, number: int, token: Optional[str], index: int, value: float) -> bool:
        """A value of the trial's course; whether the trial is to be pruned.  The same
        again changes nothing; another value replaces what a rollback took back."""
        with self._lock.held():
            trial = self._mine(number, token)
            if trial.intermediate_values.get(index) != value:
                self.storage.set_trial_intermediate_value(trial._trial_id, index, value)
            if len(self.spec.objectives) > 1:
                return False
            return bool(
                self.study.pruner.prune(self.study, self.storage.get_trial(trial._trial_id))
            )

    def tell(
        self,
        number: int,
        token: Optional[str],
        state: TrialState,
        values: Optional[list[float]] = None,
    ) -> None:
        """The trial's end.  Refused when it was told before."""
        with self._lock.held():
            trial = self._mine(number, token)
            self.study.sampler = methods.sampler_of(self.spec, number)
            try:
                self.study.tell(trial.number, values, state=state)
            except ValueError as error:
                raise Refusal(f"trial {number}: {error} [give one value an objective]")

    def release(self, number: int, token: Optional[str]) -> None:
        """Nobody runs it now; the next that asks goes on with it."""
        with self._lock.held():
            self._set(self._mine(number, token), HOLDER, None)

    def note(self, number: int, token: Optional[str], key: str, value: Any) -> None:
        """Keep an attribute of the trial."""
        with self._lock.held():
            trial = self._mine(number, token)
            if trial.user_attrs.get(key) != value:
                self._set(trial, key, value)

    def stop(self, yes: bool) -> None:
        """Have all workers end, their trials kept; or let them begin again."""
        self.study.set_user_attr(STOP, yes)

    # --- parts of these, under the lock -----------------------------------------

    def _mine(self, number: int, token: Optional[str]) -> Any:
        trial = self.trial(number)
        if trial.state.is_finished():
            raise Refusal(
                f"trial {number} was told already ({trial.state.name.lower()}) "
                "[gleaner campaign trials shows it]"
            )
        holder = Holder.of_json(trial.user_attrs.get(HOLDER))
        if token is not None and (holder is None or holder.token != token):
            raise Refusal(
                f"trial {number} is not held by this process any more [ask for another]"
            )
        return trial

    def _take_up(self, trial: Any, holder: Holder) -> Taken:
        self._set(trial, HOLDER, holder.to_json())
        return self._choose(trial.number, trial._trial_id, holder)

    def _begin(self, holder: Holder) -> Union[Taken, Nothing]:
        for trial in self._overview.open:  # those that somebody enqueued
            if trial.state == TrialState.WAITING:
                self._set(trial, HOLDER, holder.to_json())
                self.storage.set_trial_state_values(
                    trial._trial_id, state=TrialState.RUNNING
                )
                return self._choose(trial.number, trial._trial_id, holder)
        if not budget.may_begin(self.spec.budget, self._overview.begun):
            return Nothing("busy" if self._overview.open else "done")
        template = optuna.trial.create_trial(
            state=TrialState.RUNNING, user_attrs={HOLDER: holder.to_json()}
        )
        trial_id = self.storage.create_new_trial(
            self.study._study_id, template_trial=template
        )
        number = self.storage.get_trial_number_from_id(trial_id)
        return self._choose(number, trial_id, holder)

    def _choose(self, number: int, trial_id: int, holder: Holder) -> Taken:
        """Ask for what parameters it lacks; those it has stay."""
        frozen = self.storage.get_trial(trial_id)
        if not frozen.user_attrs.get(ASKED):
            self._suggest(optuna.trial.Trial(self._view(number), trial_id))
            self.storage.set_trial_user_attr(trial_id, ASKED, True)
            frozen = self.storage.get_trial(trial_id)
        parent = frozen.user_attrs.get("gleaner:parent")
        return Taken(
            number,
            dict(frozen.params),
            self.folder_of(number),
            methods.seed_of(self.spec.seed, number),
            holder.token,
            parent,
            None if parent is None else self.folder_of(parent),
        )

    def _view(self, number: int) -> Any:
        """The study as the sampler of this trial sees it."""
        return optuna.Study(
            self.spec.name,
            bounded.BoundedStorage(self.storage, self._overview.shown()),
            sampler=methods.sampler_of(self.spec, number),
            pruner=self.study.pruner,
        )

    def _written_once(self) -> ContextManager[None]:
        """What is written within is on disk at the end; before, it may be lost with
        the machine, not with this process."""
        if isinstance(self._backend, JournalFile):
            return self._backend.synced_once()
        return nullcontext()

    def _set(self, trial: Any, key: str, value: Any) -> None:
        self.storage.set_trial_user_attr(trial._trial_id, key, value)


def _is_free(trial: Any, lives: dict[str, Life]) -> bool:
    """A running trial of ours that nobody holds, or whose holder is gone."""
    if trial.state != TrialState.RUNNING or HOLDER not in trial.user_attrs:
        return False
    holder = Holder.of_json(trial.user_attrs[HOLDER])
    return holder is None or lives.get(holder.token, Life.unknown) == Life.gone
