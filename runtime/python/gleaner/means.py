# SPDX-License-Identifier: Apache-2.0
"""What is the mean of a value over all members of a step?"""

from __future__ import annotations

from typing import List, Optional, Tuple, Union

from torch import Tensor

from .gradients import MEANS, Gradients


Number = Union[int, float, Tensor]


def number(value: Number) -> float:
    """The value alone: PyTorch warns of a tensor that still has its gradient."""
    return float(value.detach() if isinstance(value, Tensor) else value)


class Mean:
    """A mean over all members; float() of it is known after Job.step()."""

    def __init__(self) -> None:
        self._value: Optional[float] = None

    def __float__(self) -> float:
        if self._value is None:
            raise RuntimeError(
                "a mean is known after job.step() of its step [read it then]"
            )
        return self._value


class Means:
    """Those of a step, which travel beside its gradients."""

    def __init__(self) -> None:
        self._known_later: List[Tuple[int, Mean]] = []  # by slot
        self._next = 0  # slot

    def begin(self) -> None:
        """A share of a step."""
        self._next = 0

    def add(self, gradients: Gradients, part: float) -> Mean:
        """This member's part of the share's next mean."""
        if self._next == MEANS:
            raise RuntimeError(
                f"job.mean() is called more than {MEANS} times in a step"
            )
        gradients.add_to_mean(self._next, part)
        mean = Mean()
        self._known_later.append((self._next, mean))
        self._next += 1
        return mean

    def take(self, gradients: Gradients) -> None:
        """The step is reduced."""
        for slot, mean in self._known_later:
            mean._value = gradients.mean(slot)
        self.clear()

    def clear(self) -> None:
        """What was added does not count."""
        self._known_later.clear()
