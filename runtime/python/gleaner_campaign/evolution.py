# SPDX-License-Identifier: Apache-2.0
"""Regularised evolution, which Optuna lacks, as a sampler of Optuna's.

Real et al., "Regularized Evolution for Image Classifier Architecture Search", 2019,
algorithm 1: of the youngest `population` trials a sample of `tournament` is drawn,
the best of these is the parent, and one of its parameters is mutated.  Ageing is what
regularises: a trial dies by age, however good.  Conditional parameters that the
parent lacks are drawn at random.
"""

from __future__ import annotations

import random
from typing import Any, Optional, Sequence

from optuna.samplers import BaseSampler, RandomSampler
from optuna.study import StudyDirection
from optuna.trial import TrialState

PARENT = "gleaner:parent"


class EvolutionSampler(BaseSampler):
    """One decision: made for one trial, with the random numbers of `seed`."""

    def __init__(self, population: int = 50, tournament: int = 10, seed: int = 0) -> None:
        self._population = population
        self._tournament = tournament
        self._random = random.Random(seed)
        self._fresh = RandomSampler(seed=seed)
        self._parent: Optional[dict[str, Any]] = None
        self._mutated: Optional[str] = None

    def infer_relative_search_space(self, study: Any, trial: Any) -> dict[str, Any]:
        """Chooses the parent; parameters are then asked for one by one."""
        done = study.get_trials(deepcopy=False, states=(TrialState.COMPLETE,))
        if len(done) < self._population:
            return {}
        young = sorted(done, key=lambda t: t.number)[-self._population :]
        parent = best_of(
            self._random.sample(young, min(self._tournament, len(young))),
            study.direction,
        )
        self._parent = parent.params
        self._mutated = self._random.choice(sorted(parent.params))
        study._storage.set_trial_user_attr(trial._trial_id, PARENT, parent.number)
        return {}

    def sample_relative(
        self, study: Any, trial: Any, search_space: dict[str, Any]
    ) -> dict[str, Any]:
        return {}

    def sample_independent(
        self, study: Any, trial: Any, name: str, distribution: Any
    ) -> Any:
        fresh = lambda: self._fresh.sample_independent(study, trial, name, distribution)
        if self._parent is None or name not in self._parent:
            return fresh()
        value = self._parent[name]
        if name != self._mutated:
            if distribution._contains(distribution.to_internal_repr(value)):
                return value
            return fresh()
        return another(fresh, value)


def best_of(trials: Sequence[Any], direction: Any) -> Any:
    choose = min if direction == StudyDirection.MINIMIZE else max
    return choose(trials, key=lambda trial: trial.value)


def another(fresh: Any, value: Any) -> Any:
    """A draw that differs, where the distribution has more than one value."""
    for _ in range(16):
        drawn = fresh()
        if drawn != value:
            return drawn
    return value
