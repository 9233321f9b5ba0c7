# SPDX-License-Identifier: Apache-2.0
"""How does a training that runs learn that its trial weighs more now?

By the file `weight` in the trial's directory: gleaner.init() looks at it, and so may
a program of one's own, which then calls gleaner_set_weight().
"""

from __future__ import annotations

import os
from typing import Optional

from gleaner_campaign import record
from gleaner_campaign.rungs import weight_of
from gleaner_campaign.spec import Method

NAME = "weight"


class Weight:
    """What one trial weighs; it only grows."""

    def __init__(self, folder: str, pruner: Method) -> None:
        self._path = os.path.join(folder, NAME)
        self._pruner = pruner
        self._said: Optional[float] = None

    def take(self, index: int) -> float:
        """The trial has reached this value of its course.  A file system that is
        full costs it only the new weight."""
        weight = max(weight_of(self._pruner, index), self._said or 0)
        if weight != self._said:
            try:
                record.write(self._path, f"{weight:g}\n")
            except OSError:
                return weight
            self._said = weight
        return weight
