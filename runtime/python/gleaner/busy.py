# SPDX-License-Identifier: Apache-2.0
"""Why may a member keep the others waiting now, and for how long?"""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import Callable, Iterator, List, Tuple


class Busy:
    """`say` is told the innermost reason, and seconds; "": none."""

    def __init__(self, say: Callable[[str, float], None]) -> None:
        self._say = say
        self._reasons: List[Tuple[str, float]] = []  # innermost last: why, until

    @contextmanager
    def during(self, why: str, limit_s: float) -> Iterator[None]:
        """At most limit_s seconds from now."""
        self._reasons.append((why, time.monotonic() + limit_s))
        self._say_now()
        try:
            yield
        finally:
            self._reasons.pop()
            self._say_now()

    def _say_now(self) -> None:
        why, until = self._reasons[-1] if self._reasons else ("", 0.0)
        left_s = until - time.monotonic()
        self._say(why if left_s > 0 else "", left_s)
