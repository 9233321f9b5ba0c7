# SPDX-License-Identifier: Apache-2.0
"""Which buffers has a model whose members compute with different samples?

The same on all members after each step: running statistics are averaged, others
are compared.  Both is done in sums that travel beside the gradients.
"""

from __future__ import annotations

from typing import Callable, Tuple

from torch.nn import Module

from . import core
from .digests import Digests
from .gradients import Gradients
from .running_statistics import RunningStatistics


class Buffers:
    """Those of state_dict()."""

    def __init__(
        self, model: Module, by_share: bool, frozen: Callable[[], bytes]
    ) -> None:
        self._statistics = RunningStatistics(model, by_share)
        averaged = set(self._statistics.names())
        saved = model.state_dict()
        names = [
            name
            for name, _ in model.named_buffers()
            if name in saved and name not in averaged
        ]
        self._digests = Digests(model, names, frozen)

    def sizes(self) -> Tuple[int, int]:
        """Numbers that are added up over the members: digests, statistics."""
        return self._digests.size(), self._statistics.size()

    def open(self) -> None:
        """The training begins."""
        self._statistics.open()

    def begin(self, info: core.Step, first: bool) -> None:
        """A share of a step; the first of it on this member?"""
        if first:
            self._statistics.begin(info.world_size == 1 and not info.shards)
            self._digests.begin()
        else:
            self._statistics.begin_again()
            self._digests.begin_again()

    def add(self, gradients: Gradients, info: core.Step) -> None:
        """The share was computed."""
        self._digests.add(gradients.digests)
        part = len(info.samples) / info.global_batch
        self._statistics.add(gradients.statistics, part)

    def take(self, gradients: Gradients, info: core.Step) -> None:
        """The step is over.  Raises when a buffer differs among members."""
        self._digests.check(gradients.digests, info.step)
        self._statistics.take(gradients.statistics)

    def close(self) -> None:
        """The training is over."""
        self._statistics.close()
