# SPDX-License-Identifier: Apache-2.0
"""How do the samples that Gleaner deals out become batches?

With workers, batches of the next steps are loaded ahead: see prefetch.py.
"""

from __future__ import annotations

import time
from typing import Any, Callable, List, Optional, Sequence

from torch.utils.data import default_collate

from .prefetch import Foresee, Prefetch
from .refusals import check_dataset
from .workers import Workers


class DataLoader:
    """Batches of a dataset with __len__() and __getitem__().

    `batch_size` is that of a step over all members together; it does not change
    when members do.  A batch is collate_fn([dataset[i], ...]) of this member's
    share.  Samples are shuffled by `seed`, another way in each pass; each is
    used once per pass.  `num_workers` processes load ahead.
    """

    def __init__(
        self,
        dataset: Any,
        batch_size: int,
        *,
        seed: int = 0,
        drop_last: bool = False,
        num_workers: int = 0,
        prefetch_factor: int = 2,
        collate_fn: Optional[Callable[[List[Any]], Any]] = None,
        worker_init_fn: Optional[Callable[[int], None]] = None,
        **refused: Any,
    ) -> None:
        check_dataset(dataset, refused)
        self.dataset = dataset
        self.batch_size = batch_size
        self.seed = seed
        self.drop_last = drop_last
        #: Milliseconds that the last batch was waited for.
        self.wait_ms = 0.0
        self._collate = collate_fn or default_collate
        self._n_workers = num_workers
        self._prefetch_factor = prefetch_factor
        self._init_worker = worker_init_fn
        self._workers: Optional[Workers] = None
        self._prefetch: Optional[Prefetch] = None

    @property
    def ahead(self) -> int:
        """Batches that are loaded before they are needed."""
        return self._n_workers * self._prefetch_factor

    def open(self) -> None:
        """Start the workers."""
        if self._n_workers == 0 or self._workers is not None:
            return
        self._workers = Workers(
            self.dataset, self._collate, self._init_worker, self._n_workers
        )
        self._prefetch = Prefetch(self._workers, self.ahead)

    def begin(self, foresee: Foresee) -> None:
        """Load for the first steps, which are known before they come:
        foresee(k) is the share of the k-th."""
        if self._prefetch is not None:
            self._prefetch.begin(foresee)

    def load(self, samples: Sequence[int], foresee: Foresee) -> Any:
        """The batch of these samples.  foresee(k): those of the k-th step from
        now, if nothing changes; None after the last step."""
        began = time.monotonic()
        try:
            if self._prefetch is None:
                return self._collate([self.dataset[i] for i in samples])
            return self._prefetch.load(samples, foresee)
        finally:
            self.wait_ms = (time.monotonic() - began) * 1000

    def close(self) -> None:
        """End the workers."""
        if self._workers is not None:
            self._workers.close()
        self._workers = self._prefetch = None
