# SPDX-License-Identifier: Apache-2.0
"""How are all generators of random numbers of a process set to one number?"""

from __future__ import annotations

import random
from contextlib import contextmanager
from typing import Any, Iterator, Tuple

import torch

try:
    import numpy
except ImportError:  # PyTorch does without
    numpy = None  # type: ignore[assignment]


def seed_all(number: int) -> None:
    """PyTorch's, Python's and NumPy's global ones."""
    torch.manual_seed(number)
    random.seed(number)
    if numpy is not None:
        numpy.random.seed([number >> shift & 0xFFFFFFFF for shift in (0, 32)])


class Apart:
    """Random numbers from a seed of their own, apart from the program's."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._states: Tuple[Any, ...] = ()

    @contextmanager
    def numbers(self) -> Iterator[None]:
        """Within, the generators go on where they were the last time."""
        outside = _states()
        if self._states:
            _set_states(self._states)
        else:
            seed_all(self._seed)
        try:
            yield
        finally:
            self._states = _states()
            _set_states(outside)


def _states() -> Tuple[Any, ...]:
    of_numpy = None if numpy is None else numpy.random.get_state()
    return torch.get_rng_state(), random.getstate(), of_numpy


def _set_states(states: Tuple[Any, ...]) -> None:
    torch.set_rng_state(states[0])
    random.setstate(states[1])
    if numpy is not None:
        numpy.random.set_state(states[2])
