# SPDX-License-Identifier: Apache-2.0
"""Which gleaner.DataLoader loads what a loader of PyTorch's would load?

A framework's user hands over a torch.utils.data.DataLoader.  Its data set, size of a
batch, collate_fn and workers are kept; the order is Gleaner's.
"""

from __future__ import annotations

from typing import Any

from torch.utils import data

from .loader import DataLoader
from .refusals import Unsupported

#: Orders that Gleaner's own may replace: each sample once, in no order that is
#: promised or in one that any order is as good as.
_ORDERS = (data.RandomSampler, data.SequentialSampler)


def converted(loader: Any, seed: int, batch_size: int) -> DataLoader:
    """The same data, with `batch_size` samples in a step of all members.  Raises
    Unsupported for a loader that chooses samples in a way of its own."""
    if isinstance(loader, DataLoader):
        return loader
    if not isinstance(loader, data.DataLoader):
        raise Unsupported(
            f"cannot train from a {type(loader).__name__} (Gleaner deals out samples "
            "by number) [use one torch.utils.data.DataLoader or gleaner.DataLoader]"
        )
    if type(loader.batch_sampler) is not data.BatchSampler:
        _refuse(loader.batch_sampler, "batch_sampler")
    sampler = loader.sampler
    if type(sampler) not in _ORDERS or getattr(sampler, "replacement", False):
        _refuse(sampler, "sampler")
    return DataLoader(
        loader.dataset,
        batch_size,
        seed=seed,
        drop_last=loader.drop_last,
        num_workers=loader.num_workers,
        prefetch_factor=loader.prefetch_factor or 2,
        collate_fn=loader.collate_fn,
        worker_init_fn=loader.worker_init_fn,
    )


def _refuse(sampler: Any, option: str) -> None:
    raise Unsupported(
        f"cannot train with the {option} {type(sampler).__name__} (Gleaner chooses the "
        "samples of each step, so that each is used once per pass whatever members "
        "there are) [leave it out, or give the data set the order: samples that shall "
        "come more often, twice; those of like length, grouped in one item]"
    )
