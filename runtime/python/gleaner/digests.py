# SPDX-License-Identifier: Apache-2.0
"""Have all members the same buffers, though the training changes them?

Nothing is sent but a short digest of each buffer, beside the gradients.  A member
adds up (1, d, d * d); all digests d are equal when n * sum(d * d) is sum(d)^2.  A
digest has 6 bits, so that sums are exact; a difference is missed in one step of 64.
"""

from __future__ import annotations

import zlib
from typing import Callable, Dict, List, Tuple

import torch
from torch import Tensor
from torch.nn import Module

_MASK = 63
_WITHIN = 1e-6  # sums are scaled when a member was lost


def _digest(data: Tensor) -> int:
    flat = data.detach().cpu().contiguous().reshape(-1).view(torch.uint8)
    return zlib.crc32(flat.numpy()) & _MASK


class Digests:
    """Of these buffers of a model, and of which parameters are frozen."""

    def __init__(
        self, model: Module, names: List[str], frozen: Callable[[], bytes]
    ) -> None:
        self._model = model
        self._names = names
        self._frozen = frozen
        self._known: Dict[str, Tuple[int, int, int]] = {}  # identity, version, digest

    def size(self) -> int:
        """Numbers that add() and check() need room for, beside the gradients."""
        return 1 + 2 * (1 + len(self._names))

    def add(self, room: Tensor) -> None:
        """A share of the step was computed here."""
        digests = [zlib.crc32(self._frozen()) & _MASK]
        buffers = dict(self._model.named_buffers())
        digests += [self._digest_of(name, buffers[name]) for name in self._names]
        terms = [digest / 64 for digest in digests]
        room += torch.tensor([1, *terms, *(t * t for t in terms)]).to(room)

    def check(self, room: Tensor, step: int) -> None:
        """`room` holds the sums over all shares of the step."""
        n, *sums = room.tolist()
        half = len(sums) // 2
        for i, (d, dd) in enumerate(zip(sums[:half], sums[half:])):
            if abs(n * dd - d * d) > _WITHIN * n * dd:
                self._refuse(i, step)

    def _digest_of(self, name: str, buffer: Tensor) -> int:
        identity, version, digest = self._known.get(name, (0, 0, 0))
        if (identity, version) != (id(buffer), buffer._version):
            digest = _digest(buffer)
            self._known[name] = id(buffer), buffer._version, digest
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
