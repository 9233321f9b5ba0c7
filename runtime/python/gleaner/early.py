# SPDX-License-Identifier: Apache-2.0
"""Which gradients are complete before the backward pass is over?

Autograd adds to most parameters' gradients once in a backward pass; then they are
complete, and are reduced beside the rest of it.  A backward pass within the
backward pass adds its own part: torch.utils.checkpoint makes one for each segment,
so a layer that two segments share is added to twice.  Which parameters are so
is seen in the first backward pass that adds to them: none is taken early in it, and
those that were added to twice never are.
"""

from __future__ import annotations

import os
from typing import Iterable, NoReturn, Set

from . import core
from .versions import Versions


def _wanted() -> bool:
    """In deterministic mode shards are added up when they are whole."""
    return os.environ.get("GLEANER_OVERLAP") != "0" and not core.deterministic()


class Early:
    """What is known of one backward pass, and of those before it."""

    def __init__(self, names: Iterable[str]) -> None:
        self._names = list(names)
        self._wanted = _wanted()
        self._last_of_step = False
        self._added: Set[int] = set()  # in this backward pass
        self._taken: Set[int] = set()
        self._known: Set[int] = set()  # were added to in an earlier one
        self._twice: Set[int] = set()  # more than once

    def begin(self, last_of_step: bool) -> None:
        """A backward pass begins."""
        self._last_of_step = last_of_step
        self._added.clear()
        self._taken.clear()

    def is_complete(self, i: int) -> bool:
        """This gradient was added to.  True: it is complete, and is taken."""
        if i in self._taken:
            self._refuse(i)
        if i in self._added:
            self._twice.add(i)
            self._known.discard(i)
        self._added.add(i)
        early = self._wanted and self._last_of_step and i in self._known
        if early:
            self._taken.add(i)
        return early

    def end(self, versions: Versions) -> None:
        """It is over.  `versions` are those of the gradients when they were taken."""
        self._known |= self._added - self._twice
        for i in self._taken:
            if versions.is_changed(i):
                self._refuse(i)

    def _refuse(self, i: int) -> NoReturn:
        raise RuntimeError(
            f"the gradient of '{self._names[i]}' was added to again after it was "
            "complete in earlier backward passes (its sum over the members may be on "
            "its way) [torch.utils.checkpoint(..., use_reentrant=False); or set "
            "GLEANER_OVERLAP=0, so that reduction waits for the end of backward]"
        )
