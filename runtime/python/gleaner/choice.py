# SPDX-License-Identifier: Apache-2.0
"""Which samples does a sampler or a batch sampler of the user's choose for a pass?

All members ask it, joiners in the middle of a training too, and must be told the
same: so it draws its random numbers from a seed of (seed, pass), and what it chooses
must depend on nothing else.
"""

from __future__ import annotations

from array import array
from typing import Any, Dict, Iterator, List, Sequence

import torch

from .places import mixed
from .randomness import Apart


class Choice:
    """The samples of each pass, in order."""

    def __init__(self, sampler: Any, seed: int, batch_size: int = 0) -> None:
        """`batch_size`: it is a batch sampler, with batches of this size; else 0."""
        self._sampler = sampler
        self._name = type(sampler).__name__
        self._seed = seed
        self._batch_size = batch_size
        self._passes: Dict[int, Sequence[int]] = {}
        first = self._pass(0)
        if self._draw(0) != first:
            raise ValueError(
                f"the sampler {self._name} chooses other samples each time (members "
                "would not agree on them) [let it draw from PyTorch's, Python's or "
                "NumPy's own generator, or from a torch.Generator in .generator, and "
                "take the pass from set_epoch()]"
            )
        self.size = len(first)

    def of(self, places: Sequence[int], pass_number: int) -> List[int]:
        chosen = self._pass(pass_number)
        return [chosen[place] for place in places]

    def _pass(self, number: int) -> Sequence[int]:
        if number not in self._passes:
            chosen = self._draw(number)
            if number > 0 and len(chosen) != self.size:
                raise ValueError(
                    f"the sampler {self._name} chooses {len(chosen)} samples in pass "
                    f"{number}, and {self.size} in pass 0 (all passes have as many "
                    "steps) [let it choose as many in each]"
                )
            self._passes[number] = chosen
        for old in [n for n in self._passes if abs(n - number) > 1]:
            del self._passes[old]
        return self._passes[number]

    def _draw(self, number: int) -> Sequence[int]:
        seed = mixed(mixed(self._seed) ^ number)
        with Apart(seed).numbers():
            for part in _parts(self._sampler):
                if callable(getattr(part, "set_epoch", None)):
                    part.set_epoch(number)
                generator = getattr(part, "generator", None)
                if isinstance(generator, torch.Generator):
                    generator.manual_seed(seed)
            if self._batch_size == 0:
                return array("q", map(int, self._sampler))
            return self._joined()

    def _joined(self) -> Sequence[int]:
        joined = array("q")
        for i, batch in enumerate(self._sampler):
            if len(joined) != i * self._batch_size or len(batch) > self._batch_size:
                raise ValueError(
                    f"the batch sampler {self._name}: batch {i} or the one before has "
                    f"not {self._batch_size} samples, as the first one (all steps but "
                    "a pass's last have as many) [drop_last=True for each bucket, or "
                    "fill its last batch up]"
                )
            joined.extend(map(int, batch))
        return joined


def first_batch(batch_sampler: Any) -> int:
    """Its number of samples."""
    with Apart(0).numbers():
        return len(next(iter(batch_sampler), ()))


def _parts(sampler: Any) -> Iterator[Any]:
    """It, and those that it takes its samples from."""
    seen: List[int] = []
    while sampler is not None and id(sampler) not in seen:
        seen.append(id(sampler))
        yield sampler
        sampler = getattr(sampler, "sampler", None)
