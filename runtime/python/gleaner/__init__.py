# SPDX-License-Identifier: Apache-2.0
"""Gleaner for PyTorch: trainings whose members come and go.  See doc/python.md.

`gleaner.core` is gleaner.h, for programs without PyTorch.
"""

from .checkpoint import load
from .core import GleanerError, Step
from .evaluation import Evaluation
from .job import Job, Mean, init
from .loader import DataLoader
from .refusals import Unsupported

__all__ = [
    "DataLoader",
    "Evaluation",
    "GleanerError",
    "Job",
    "Mean",
    "Step",
    "Unsupported",
    "init",
    "load",
]
__version__ = "0.1.0"
