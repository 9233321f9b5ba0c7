# SPDX-License-Identifier: Apache-2.0
"""Has a tensor been changed since we last looked?

PyTorch counts the changes of each tensor, whichever operation makes them.  It
does not count those made through `.data`, NumPy or another program's memory.
"""

from __future__ import annotations

from typing import List, Optional, Sequence

from torch import Tensor


class Versions:
    """Of some tensors, in order."""

    def __init__(self, tensors: Sequence[Tensor]) -> None:
        self._tensors = list(tensors)
        self._noted: List[int] = []
        self.note()

    def note(self) -> None:
        """What has happened so far is all right."""
        self._noted = [tensor._version for tensor in self._tensors]

    def note_one(self, i: int) -> None:
        """The same for one tensor."""
        self._noted[i] = self._tensors[i]._version

    def changed(self) -> Optional[int]:
        """The first tensor that was changed since; None if none was."""
        return next(filter(self.is_changed, range(len(self._tensors))), None)

    def is_changed(self, i: int) -> bool:
        """Whether this tensor was."""
        return self._tensors[i]._version != self._noted[i]
