# SPDX-License-Identifier: Apache-2.0
"""What is looked at when a trial is asked for?  A bounded number of trials.

Optuna's samplers look at all trials for each new one: TPE takes seconds at ten
thousand.  It models the best 25 and the rest, so the best and the newest say as much;
CMA-ES, NSGA-II and evolution work with the newest generations.  What is over does not
change, so each trial is looked at once.
"""

from __future__ import annotations

import bisect
from collections import deque
from typing import Any, Optional, Sequence

from optuna.trial import TrialState

BEST = 50
NEWEST = 250


class Overview:
    """All trials, as far as decisions need them; take() brings it up to date.

    `node_s` says of a trial how many node-seconds it has used."""

    def __init__(self, minimize: bool, node_s: Any, best: int, newest: int) -> None:
        self._sign = 1 if minimize else -1
        self._node_s = node_s
        self._best_max = best
        self._seen = 0
        self._open: list[Any] = []
        self._over_node_s = 0.0
        self._begun: Optional[Any] = None
        self._newest: deque[Any] = deque(maxlen=newest)
        self._ranking: list[tuple[float, int]] = []  # (signed value, number)
        self._best: dict[int, Any] = {}

    def take(self, trials: Sequence[Any]) -> None:
        """All trials, in order of their numbers."""
        candidates = [trials[t.number] for t in self._open]
        candidates += trials[self._seen :]
        self._seen = len(trials)
        self._open = []
        for trial in candidates:
            if trial.state.is_finished():
                self._close(trial)
            else:
                self._open.append(trial)
            begun = trial.datetime_start
            if begun and (self._begun is None or begun < self._begun):
                self._begun = begun

    @property
    def begun(self) -> int:
        """How many there are."""
        return self._seen

    @property
    def open(self) -> list[Any]:
        """Those that run or wait."""
        return self._open

    @property
    def node_seconds(self) -> float:
        return self._over_node_s + sum(self._node_s(trial) for trial in self._open)

    def age_s(self, now_s: float) -> float:
        """Since the first began."""
        return now_s - self._begun.timestamp() if self._begun else 0.0

    def shown(self) -> list[Any]:
        """For a sampler: what is open, the newest that ended, and the best."""
        found = {trial.number: trial for trial in (*self._newest, *self._open)}
        found.update(self._best)
        return [found[number] for number in sorted(found)]

    def _close(self, trial: Any) -> None:
        self._over_node_s += self._node_s(trial)
        self._newest.append(trial)
        if trial.state != TrialState.COMPLETE or len(trial.values) != 1:
            return
        bisect.insort(self._ranking, (self._sign * trial.value, trial.number))
        self._best[trial.number] = trial
        if len(self._ranking) > self._best_max:
            del self._best[self._ranking.pop()[1]]


class BoundedStorage:
    """A storage of Optuna's that shows few of its trials, and does all else."""

    def __init__(self, storage: Any, shown: list[Any]) -> None:
        self._storage = storage
        self._shown = shown

    def __getattr__(self, name: str) -> Any:
        return getattr(self._storage, name)

    def get_all_trials(
        self, study_id: int, deepcopy: bool = True, states: Any = None
    ) -> list[Any]:
        """Those that were chosen, as they were then."""
        return [t for t in self._shown if states is None or t.state in states]
