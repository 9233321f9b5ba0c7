# SPDX-License-Identifier: Apache-2.0
"""How is a model evaluated while its training goes on?

    with job.evaluate(test_set, batch_size=256) as batches:
        right = sum(count_right(model, batch) for batch in batches)
    job.log({"accuracy": right / max(batches.n, 1)}, n=batches.n)

Each member evaluates its share, which has no samples if there are more members
than samples; log() takes the mean over all of them, so nobody waits for anybody.
Meanwhile the member is busy.  A share whose member was lost is missing in the mean.
"""

from __future__ import annotations

from types import TracebackType
from typing import Any, ContextManager, Iterator, List, Optional, Type

import torch
from torch.nn import Module
from torch.utils.data import DataLoader, Subset

from .refusals import check_dataset


class Evaluation:
    """Iterable over batches; `n` samples in all, which may be 0."""

    def __init__(
        self,
        model: Module,
        dataset: Any,
        batch_size: int,
        rank: int,
        world_size: int,
        busy: ContextManager[None],
        **options: Any,
    ) -> None:
        check_dataset(dataset)
        share = range(rank, len(dataset), world_size)
        self.n = len(share)
        self._model = model
        self._batches = DataLoader(Subset(dataset, share), batch_size, **options)
        self._no_grad = torch.no_grad()
        self._busy = busy
        self._training: List[Module] = []  # those in training mode

    def __enter__(self) -> "Evaluation":
        self._busy.__enter__()
        self._training = [m for m in self._model.modules() if m.training]
        self._model.eval()
        self._no_grad.__enter__()
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        why: Optional[BaseException],
        where: Optional[TracebackType],
    ) -> None:
        self._no_grad.__exit__(kind, why, where)
        for module in self._training:  # not train(): parts may be frozen
            module.training = True
        self._busy.__exit__(kind, why, where)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._batches)
