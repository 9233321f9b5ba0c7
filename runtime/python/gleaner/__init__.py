# SPDX-License-Identifier: Apache-2.0
"""Gleaner for PyTorch: trainings whose members come and go.  See doc/python.md.

`gleaner.core` is gleaner.h, for programs without PyTorch: so PyTorch is imported
when something else is asked for.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .core import GleanerError, Step

if TYPE_CHECKING:
    from .checkpoint import load
    from .evaluation import Evaluation
    from .job import Job, init
    from .loader import DataLoader
    from .means import Mean
    from .reductions import Reduced
    from .refusals import Unsupported

__all__ = [
    "DataLoader",
    "Evaluation",
    "GleanerError",
    "Job",
    "Mean",
    "Reduced",
    "Step",
    "Unsupported",
    "init",
    "load",
]
__version__ = "0.1.0"

_HOMES = {
    "DataLoader": "loader",
    "Evaluation": "evaluation",
    "Job": "job",
    "Mean": "means",
    "Reduced": "reductions",
    "Unsupported": "refusals",
    "init": "job",
    "load": "checkpoint",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'gleaner' has no attribute '{name}'")
    found = getattr(import_module(f".{_HOMES[name]}", __name__), name)
    globals()[name] = found
    return found
