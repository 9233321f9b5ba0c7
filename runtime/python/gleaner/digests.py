# SPDX-License-Identifier: Apache-2.0
"""Have all members the same buffers, though the training changes them?

Nothing is sent but a short digest of each buffer, beside the gradients.  A member
adds up (1, d, d * d); all digests d are equal when n * sum(d * d) is sum(d)^2.  A
digest has 6 bits, so that sums are exact; a difference is missed in one step of 64.
"""

from __future__ import annotations

import zlib
from typing import Callable, Dict, List, Set, Tuple

import torch
from torch import Tensor
from torch.nn import Module

_MASK = 63
_WITHIN = 1e-6  # sums are scaled when a member was lost


def _digest(data: Tensor) -> int:
    flat = data.detach().cpu().contiguous().reshape(-1).view(torch.uint8)
    return zlib.crc32(flat.numpy())


class Digests:
    """Of these buffers of a model, and of which parameters are frozen."""

    def __init__(
        self, model: Module, names: List[str], frozen: Callable[[], bytes]
    ) -> None:
        self._model = model
        self._names = names
        self._frozen = frozen
        self._known: Dict[str, Tuple[Tensor, int, int]] = {}  # its version, digest
        self._changing: Set[str] = set()  # of these buffers, in any step so far
        self._before: Dict[str, Tensor] = {}  # this step

    def size(self) -> int:
        """Numbers that add() and check() need room for, beside the gradients."""
        return 1 + 2 * (1 + len(self._names))

    def begin(self) -> None:
        """A step.  In the first one any buffer may turn out to change."""
        buffers = self._buffers()
        names = self._changing if self._known else self._names
        self._before = {name: buffers[name].clone() for name in names}
        if not self._known:
            for name in names:
                self._digest_of(name, buffers[name])

    def begin_again(self) -> None:
        """Another share of the step: it begins with the same as the first."""
        buffers = self._buffers()
        for name in self._known:  # the last one may not have come to add()
            self._digest_of(name, buffers[name])
        for name in self._changing & self._before.keys():
            buffers[name].copy_(self._before[name])

    def add(self, room: Tensor) -> None:
        """A share of the step was computed here."""
        buffers = self._buffers()
        digests = [zlib.crc32(self._frozen())]
        digests += [self._digest_of(name, buffers[name]) for name in self._names]
        terms = [(digest & _MASK) / 64 for digest in digests]
        room += torch.tensor([1, *terms, *(t * t for t in terms)]).to(room)

    def check(self, room: Tensor, step: int) -> None:
        """`room` holds the sums over all shares of the step."""
        n, *sums = room.tolist()
        half = len(sums) // 2
        for i, (d, dd) in enumerate(zip(sums[:half], sums[half:])):
            if abs(n * dd - d * d) > _WITHIN * n * dd:
                self._refuse(i, step)

    def _buffers(self) -> Dict[str, Tensor]:
        """In the model now, which may replace them."""
        return dict(self._model.named_buffers())

    def _digest_of(self, name: str, buffer: Tensor) -> int:
        known, version, digest = self._known.get(name, (None, 0, 0))
        if known is not buffer or version != buffer._version:
            now = _digest(buffer)
            if known is not None and now != digest:
                self._changing.add(name)
            self._known[name] = buffer, buffer._version, now
            return now
        return digest

    def _refuse(self, i: int, step: int) -> None:
        if i == 0:
            raise RuntimeError(
                f"in step {step} members have frozen different parameters (their "
                "gradients would not be of the whole batch) [freeze and unfreeze by "
                "job.step_number, in all steps after it, too]"
            )
        raise RuntimeError(
            f"after step {step} buffer '{self._names[i - 1]}' is not the same on all "
            "members (it depends on the samples of a member, or on how often it "
            "computes; joiners, checkpoints and evaluation would have that of one) "
            "[change it in gleaner.init(update=...); or register_buffer(..., "
            "persistent=False), if members may have different ones]"
        )
