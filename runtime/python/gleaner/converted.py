# SPDX-License-Identifier: Apache-2.0
"""Which gleaner.DataLoader loads what a loader of PyTorch's would load?

A framework's user hands over a torch.utils.data.DataLoader.  Its data set, size of a
batch, sampler, collate_fn and workers are kept; where it only shuffles, or keeps the
order of the data set, the order is Gleaner's.
"""

from __future__ import annotations

from typing import Any, Dict

from torch.utils import data

from .choice import first_batch
from .loader import DataLoader
from .refusals import Unsupported

#: Orders that Gleaner's own may replace: each sample once, in no order that is
#: promised or in one that any order is as good as.
_ORDERS = ("RandomSampler", "SequentialSampler")


def converted(loader: Any, seed: int = 0, batch_size: int = 0) -> DataLoader:
    """The same data, with `batch_size` samples in a step of all members; 0: as many as
    the loader's batches have.  A sampler or batch sampler of the user's own is kept.
    Raises Unsupported for what is no loader."""
    if isinstance(loader, DataLoader):
        return loader
    if not isinstance(loader, data.DataLoader):
        raise Unsupported(
            f"cannot train from a {type(loader).__name__} (Gleaner deals out samples "
            "by number) [use one torch.utils.data.DataLoader or gleaner.DataLoader]"
        )
    _check_unread(loader)
    if isinstance(loader.dataset, data.IterableDataset):
        raise Unsupported(
            f"cannot train from a loader of a {type(loader.dataset).__name__} (it does "
            "not say how many samples a pass has) "
            "[gleaner.DataLoader(dataset, batch_size, samples=N)]"
        )
    return DataLoader(
        loader.dataset,
        **_choice(loader, batch_size),
        seed=seed,
        num_workers=loader.num_workers,
        prefetch_factor=loader.prefetch_factor or 2,
        collate_fn=loader.collate_fn,
        worker_init_fn=loader.worker_init_fn,
        pin_memory=loader.pin_memory,
    )


def _choice(loader: Any, batch_size: int) -> Dict[str, Any]:
    """Options that choose the same samples."""
    own = loader.batch_sampler
    if own is None:
        raise Unsupported(
            "cannot train from a loader without batches (batch_size is None) [give it "
            "one: the number of samples of a step over all members]"
        )
    if loader.batch_size is None:  # the batch sampler was given
        if batch_size and batch_size != first_batch(own):
            raise Unsupported(
                f"cannot make steps of {batch_size} samples from the batch sampler "
                f"{type(own).__name__} (its batches are steps) [leave accumulation out]"
            )
        return {"batch_sampler": own}
    options = {
        "batch_size": batch_size or loader.batch_size,
        "drop_last": loader.drop_last,
    }
    sampler = loader.sampler
    all_once = _is_order(sampler) and len(sampler) == len(loader.dataset)
    if not all_once or getattr(sampler, "replacement", False):
        options["sampler"] = sampler
    return options


def _is_order(sampler: Any) -> bool:
    """PyTorch's; torchdata has them, too, with a state."""
    package = type(sampler).__module__.split(".")[0]
    return package in ("torch", "torchdata") and type(sampler).__name__ in _ORDERS


def _check_unread(loader: Any) -> None:
    """torchdata's StatefulDataLoader may begin in the middle."""
    if getattr(loader, "next_iter_state", None) is not None:
        raise Unsupported(
            f"cannot train from a {type(loader).__name__} whose state was loaded (where "
            "a training goes on is in Gleaner's checkpoint) [leave load_state_dict() out]"
        )
