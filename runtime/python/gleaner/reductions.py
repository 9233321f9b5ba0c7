# SPDX-License-Identifier: Apache-2.0
"""How are a program's own numbers added up over members?

They travel with the gradients of the next step, which all members reduce anyway:
nobody waits for anybody, and a member that calls nothing adds nothing.  What was
added up is known after that step.
"""

from __future__ import annotations

import zlib
from typing import Dict, Iterator, List, Mapping, Optional

from torch import Tensor

#: Numbers that travel in a step.
SLOTS = 64
#: The first three tell whether all ask for the same: how many do, their digests
#: and the squares of these.
_HEAD = 3
_MASK = 0xFFF
_WITHIN = 1e-5


class Reduced(Mapping[str, float]):
    """Means or sums over all members, by name; known after the next job.step().
    `n`: what the means are over, on all members that reported."""

    def __init__(self, names: List[str], mean: bool) -> None:
        self._names = names
        self._mean = mean
        self._values: Optional[Dict[str, float]] = None
        self._n = 0.0

    @property
    def known(self) -> bool:
        return self._values is not None

    @property
    def n(self) -> float:
        self._found()
        return self._n

    def __getitem__(self, name: str) -> float:
        return self._found()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def _found(self) -> Dict[str, float]:
        if self._values is None:
            raise RuntimeError(
                "what job.all_reduce() gave is known after the next job.step() that "
                "is True [read it then; .known tells]"
            )
        return self._values

    def _fill(self, sums: List[float]) -> None:
        self._n, *values = sums
        by = (self._n or float("nan")) if self._mean else 1.0
        self._values = {name: value / by for name, value in zip(self._names, values)}


class Reductions:
    """Those that wait for a step's reduction."""

    def __init__(self) -> None:
        self._waiting: List[Reduced] = []
        self._terms: List[float] = []
        self._words = ""
        self._added = False  # to the step under way

    def add(self, values: Mapping[str, float], n: float, mean: bool) -> Reduced:
        """To the next reduction."""
        names = sorted(values)
        if _HEAD + len(self._terms) + 1 + len(names) > SLOTS:
            raise RuntimeError(
                f"job.all_reduce() has more than {SLOTS - _HEAD} numbers in a step, "
                "its own for each call included [reduce fewer, or in several steps]"
            )
        self._words += f"{mean} {names} "
        self._terms.append(float(n))
        self._terms += [float(values[name]) * (n if mean else 1.0) for name in names]
        self._waiting.append(Reduced(names, mean))
        return self._waiting[-1]

    def alone(self, values: Mapping[str, float], n: float, mean: bool) -> Reduced:
        """Before or after the training: this process is all there is."""
        reduced = Reduced(sorted(values), mean)
        factor = n if mean else 1.0
        reduced._fill([n, *(float(values[name]) * factor for name in sorted(values))])
        return reduced

    def put(self, room: Tensor) -> None:
        """This member's part, once in a step, however many shares it has."""
        if self._added or not self._waiting:
            return
        self._added = True
        digest = (zlib.crc32(self._words.encode()) & _MASK) / 64
        terms = [1.0, digest, digest * digest, *self._terms]
        room[: len(terms)] += room.new_tensor(terms)

    def drop(self) -> None:
        """The step's sums were dropped, and are made again."""
        self._added = False

    def take(self, room: Tensor) -> None:
        """The step is over."""
        if not self._added:
            return
        n, digest, squares, *sums = room.tolist()
        if abs(n * squares - digest * digest) > _WITHIN * n * squares:
            raise RuntimeError(
                f"members called job.all_reduce() for different things: this one for "
                f"{self._words.strip()} (numbers of one would be added to another's) "
                "[call it with the same names, in the same order, on all members]"
            )
        for reduced in self._waiting:
            k = 1 + len(reduced)
            reduced._fill(sums[:k])
            sums = sums[k:]
        self._waiting, self._terms, self._words, self._added = [], [], "", False
