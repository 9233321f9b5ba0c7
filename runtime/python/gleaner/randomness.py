# SPDX-License-Identifier: Apache-2.0
"""How are all generators of random numbers of a process set to one number?"""

from __future__ import annotations

import random

import torch

try:
    import numpy
except ImportError:  # PyTorch does without
    numpy = None  # type: ignore[assignment]


def seed_all(number: int) -> None:
    """PyTorch's, Python's and NumPy's global ones."""
    torch.manual_seed(number)
    random.seed(number)
    if numpy is not None:
        numpy.random.seed([number >> shift & 0xFFFFFFFF for shift in (0, 32)])
