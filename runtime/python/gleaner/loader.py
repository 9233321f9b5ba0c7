# SPDX-License-Identifier: Apache-2.0
"""How do the samples that Gleaner deals out become batches?

With workers, batches of the next steps are loaded ahead.  Which samples those
steps will have is a forecast: it comes true unless members change.  When it
does not, what was loaded ahead is thrown away, and the right samples are loaded.
"""

from __future__ import annotations

import ctypes
import os
import signal
import time
from collections import deque
from typing import Any, Callable, Deque, Iterator, List, Optional, Sequence

import torch.utils.data
from torch.utils.data import default_collate

from .refusals import check_dataset

Foresee = Callable[[int], Optional[List[int]]]

_PR_SET_PDEATHSIG = 1


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
        self._workers = num_workers
        self._prefetch = prefetch_factor
        self._init_worker = worker_init_fn
        self._ahead: Optional[_Ahead] = None

    def load(self, samples: Sequence[int], foresee: Foresee) -> Any:
        """The batch of these samples.  foresee(k): those of the k-th step from
        now, if nothing changes; None after the last step."""
        began = time.monotonic()
        try:
            if self._workers == 0:
                return self._load_here(samples)
            if self._ahead is None:
                self._ahead = _Ahead(self._start_workers)
            ready, batch = self._ahead.load(list(samples), foresee)
            return batch if ready else self._load_here(samples)
        finally:
            self.wait_ms = (time.monotonic() - began) * 1000

    def close(self) -> None:
        """End the workers."""
        self._ahead = None

    def _load_here(self, samples: Sequence[int]) -> Any:
        return self._collate([self.dataset[i] for i in samples])

    def _start_workers(self, feed: Iterator[List[int]]) -> Iterator[Any]:
        return iter(
            torch.utils.data.DataLoader(
                self.dataset,
                batch_sampler=feed,
                num_workers=self._workers,
                prefetch_factor=self._prefetch,
                collate_fn=self._collate,
                worker_init_fn=_WorkerStart(self._init_worker),
            )
        )


class _WorkerStart:
    """A worker holds copies of the member's connections, so it must not live
    longer than the member: others would not notice its death."""

    def __init__(self, then: Optional[Callable[[int], None]]) -> None:
        self._then = then
        self._member = os.getpid()

    def __call__(self, worker: int) -> None:
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != self._member:  # it died before prctl()
            os._exit(1)
        if self._then:
            self._then(worker)


class _Ahead:
    """Batches asked of the workers before their step has come.

    PyTorch's loader takes one more list of samples from us, its batch sampler,
    whenever it delivers a batch, and delivers in the order of the lists.
    """

    def __init__(self, start: Callable[[Iterator[List[int]]], Iterator[Any]]) -> None:
        self._start = start
        self._batches: Optional[Iterator[Any]] = None
        self._asked: Deque[List[int]] = deque()  # not yet delivered
        self._now: Optional[List[int]] = None  # to be asked before any forecast
        self._distance = 0  # steps from now to the last one asked
        self._foresee: Foresee = lambda k: None

    def load(self, samples: List[int], foresee: Foresee) -> Any:
        """(True, the batch), or (False, None) when the workers have ended."""
        self._foresee = foresee
        self._distance -= 1
        if not self._asked or self._asked[0] != samples:
            self._ask_anew(samples)
        if not self._asked or self._batches is None:
            return False, None
        batch = next(self._batches)
        self._asked.popleft()
        return True, batch

    def __iter__(self) -> Iterator[List[int]]:
        return self

    def __next__(self) -> List[int]:
        if self._now is not None:
            samples, self._now = self._now, None
            self._asked.append(samples)
            return samples
        while True:
            foreseen = self._foresee(self._distance + 1)
            if foreseen is None:
                raise StopIteration
            self._distance += 1
            if foreseen:  # not a step in which this member has no share
                self._asked.append(foreseen)
                return foreseen

    def _ask_anew(self, samples: List[int]) -> None:
        """Forget the forecast; each batch thrown away makes room for one."""
        self._now, self._distance = samples, 0
        stale, self._asked = len(self._asked), deque()
        if self._batches is None:
            self._batches = self._start(self)
        for _ in range(stale):
            next(self._batches)
