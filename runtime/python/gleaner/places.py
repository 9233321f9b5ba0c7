# SPDX-License-Identifier: Apache-2.0
"""At which place of its pass does Gleaner deal out a sample?

Gleaner deals out the samples of a pass by a permutation that is computed point by
point (runtime/generation/sampler.hh).  An order of the user's own is kept by going
back: the sample with number s comes at place p, and there the order has its p-th.
"""

from __future__ import annotations

from typing import List, Sequence

_BITS = 2**64 - 1


def mixed(value: int) -> int:
    """The finaliser of splitmix64."""
    value = (value + 0x9E3779B97F4A7C15) & _BITS
    value = ((value ^ value >> 30) * 0xBF58476D1CE4E5B9) & _BITS
    value = ((value ^ value >> 27) * 0x94D049BB133111EB) & _BITS
    return value ^ value >> 31


class Places:
    """Those of the samples of one pass."""

    def __init__(self, size: int, seed: int, pass_number: int) -> None:
        self._size = size
        self._half = max(1, ((size - 1).bit_length() + 1) // 2)
        key = mixed(mixed(seed & _BITS) ^ pass_number)
        self._keys = []
        for _ in range(4):
            key = mixed(key)
            self._keys.insert(0, key)

    def of(self, samples: Sequence[int]) -> List[int]:
        return [self._place(sample) for sample in samples]

    def _place(self, sample: int) -> int:
        place = self._back(sample)
        while place >= self._size:  # the permutation of more values leaves ours
            place = self._back(place)
        return place

    def _back(self, value: int) -> int:
        half, mask = self._half, (1 << self._half) - 1
        left, right = value >> half, value & mask
        for key in self._keys:
            left, right = right ^ mixed(left ^ key) & mask, left
        return left << half | right
