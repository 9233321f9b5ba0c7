# SPDX-License-Identifier: Apache-2.0
"""What does the search say that this trial weighs?  See gleaner-campaign(1).

The search keeps it in the file `weight` of the trial's directory.
"""

from __future__ import annotations

import json
import os
import time
from typing import Mapping, Optional

LOOK_S = 1.0


class TrialWeight:
    def __init__(self, environment: Mapping[str, str] = os.environ) -> None:
        try:
            folder = json.loads(environment.get("GLEANER_TRIAL", "{}"))["dir"]
            self._path: Optional[str] = os.path.join(folder, "weight")
        except (ValueError, TypeError, KeyError):
            self._path = None
        self._looked_s = -LOOK_S
        self._seen: Optional[float] = None

    def news(self, now_s: Optional[float] = None) -> Optional[float]:
        """What it weighs, when that is another weight than last time; looks once a
        second."""
        now_s = time.monotonic() if now_s is None else now_s
        if self._path is None or now_s - self._looked_s < LOOK_S:
            return None
        self._looked_s = now_s
        try:
            with open(self._path, encoding="ascii") as file:
                weight = float(file.read())
        except (OSError, ValueError):
            return None
        if weight == self._seen or not 0.1 <= weight <= 10:
            return None
        self._seen = weight
        return weight
