# SPDX-License-Identifier: Apache-2.0
"""Which batches are loaded before their step has come?

Always those of the next shares, as they are foretold.  A batch is kept under
its samples: when members change, those that are still foretold stay, the others
are dropped, and what is missing is asked for, what is due first before the rest.

A planned change of members is foretold as many steps before as batches are
loaded ahead, so it drops nothing.  A loss is not: it drops at most `depth`
batches.
"""

from __future__ import annotations

from collections import deque
from typing import Any, Callable, Deque, Dict, List, Optional, Sequence, Tuple

from .workers import Request, Workers

Foresee = Callable[[int], Optional[List[int]]]
Samples = Tuple[int, ...]


class Prefetch:
    """Batches asked of workers before their step has come, at most depth + 1."""

    def __init__(self, workers: Workers, depth: int) -> None:
        self._workers = workers
        self._depth = depth
        self._asked: Dict[Samples, Request] = {}
        self._foretold: Deque[Samples] = deque()
        #: Batches that were asked for but not used.
        self.dropped = 0

    def begin(self, foresee: Foresee) -> None:
        """The first step is still to come: foresee(1) is its share."""
        self._foretell(foresee)
        self._ask(self._foretold, due=0)

    def load(self, samples: Sequence[int], foresee: Foresee) -> Any:
        """The batch of these samples, those of the share under way."""
        now = tuple(samples)
        self._advance(now, foresee)
        wanted = {now, *self._foretold}
        for stale in [key for key in self._asked if key not in wanted]:
            self._workers.cancel(self._asked.pop(stale))
            self.dropped += 1
        self._ask([now], due=0)
        self._ask(self._foretold, due=1)
        request = self._asked.pop(now)
        batch = request.batch()
        self._workers.done(request)
        return batch

    def _advance(self, now: Samples, foresee: Foresee) -> None:
        """Mostly the forecast is the last one, a share further: two looks at it
        tell, since a change of members changes all steps after it."""
        ahead = self._foretold
        if len(ahead) == self._depth and ahead.popleft() == now:
            if self._depth == 1 or _share(foresee, self._depth - 1) == ahead[-1]:
                last = _share(foresee, self._depth)
                if last is not None:
                    ahead.append(last)
                return
        self._foretell(foresee)

    def _foretell(self, foresee: Foresee) -> None:
        self._foretold.clear()
        for k in range(1, self._depth + 1):
            share = _share(foresee, k)
            if share is None:
                return
            self._foretold.append(share)

    def _ask(self, batches: Sequence[Samples], due: int) -> None:
        """`due`: shares until the first of them.  One worker needs as long for a
        batch as all together for as many batches as they are: what is due
        before that, they load together."""
        for i, samples in enumerate(batches):
            if samples and samples not in self._asked:
                soon = due + i < self._workers.n
                self._asked[samples] = self._workers.ask(samples, soon)


def _share(foresee: Foresee, k: int) -> Optional[Samples]:
    samples = foresee(k)
    return None if samples is None else tuple(samples)
