# SPDX-License-Identifier: Apache-2.0
"""Does memory not suffice for a batch, and how is it given back?"""

from __future__ import annotations

import gc

from . import device
from .core import GleanerError

#: What PyTorch says of a GPU, and of the host.
_WORDS = ("out of memory", "can't allocate memory")


def is_missing(why: BaseException) -> bool:
    """Whether this was raised because a batch is too large for the memory.  What
    libgleaner lacks memory for does not depend on the batch."""
    if isinstance(why, MemoryError):
        return True
    said = isinstance(why, RuntimeError) and not isinstance(why, GleanerError)
    return said and any(words in str(why) for words in _WORDS)


def release() -> None:
    """After the exception is gone: what only it referred to, and what PyTorch keeps
    for tensors of the same size."""
    gc.collect()
    device.give_back_memory()
