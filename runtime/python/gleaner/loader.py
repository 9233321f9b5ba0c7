# SPDX-License-Identifier: Apache-2.0
"""How do the samples that Gleaner deals out become batches?

With workers, batches of the next steps are loaded ahead: see prefetch.py.  Samplers of
the user's own are in choice.py, data sets that are streams in stream.py.
"""

from __future__ import annotations

import time
from typing import Any, Callable, List, Optional, Sequence

from torch.utils.data import default_collate
from torch.utils.data._utils.pin_memory import pin_memory as pinned

from . import device
from .choice import Choice, first_batch
from .places import Places
from .prefetch import Foresee, Prefetch
from .refusals import check_loader, is_stream
from .stream import Stream
from .workers import Workers


class DataLoader:
    """Batches of a dataset with __len__() and __getitem__(), or of a stream.

    `batch_size` is that of a step over all members together; it does not change
    when members do.  A batch is collate_fn([dataset[i], ...]) of this member's
    share.  Samples are shuffled by `seed`, another way in each pass; each is
    used once per pass.  `num_workers` processes load ahead.

    `sampler` and `batch_sampler` choose samples as PyTorch's do: each that they
    choose is used once per pass, in their order; a batch is that of a step over
    all members.  They must choose the same on all members, so their random numbers
    are drawn from `seed` and the pass.

    An IterableDataset needs `samples`, those of a pass, which it must yield in the
    same order each time; with `shards`, by its shard(n, i).
    """

    def __init__(
        self,
        dataset: Any,
        batch_size: int = 0,
        *,
        seed: int = 0,
        drop_last: bool = False,
        num_workers: int = 0,
        prefetch_factor: int = 2,
        collate_fn: Optional[Callable[[List[Any]], Any]] = None,
        worker_init_fn: Optional[Callable[[int], None]] = None,
        pin_memory: bool = False,
        persistent_workers: bool = True,
        sampler: Optional[Any] = None,
        batch_sampler: Optional[Any] = None,
        samples: int = 0,
        shards: int = 1,
        **refused: Any,
    ) -> None:
        check_loader(
            *(dataset, refused, sampler, batch_sampler, num_workers),
            *(batch_size, samples, shards),
        )
        self.dataset = dataset
        self.batch_size = batch_size or first_batch(batch_sampler)
        self.seed = seed
        self.drop_last = drop_last
        #: Milliseconds that the last batch was waited for.
        self.wait_ms = 0.0
        self._stream: Optional[Stream] = None
        self._choice: Optional[Choice] = None
        if is_stream(dataset):
            self._stream = Stream(dataset, samples, shards, batch_size, seed)
            #: Samples of a pass.
            self.size = samples
        elif sampler is not None:
            self._choice = Choice(sampler, seed)
        elif batch_sampler is not None:
            self._choice = Choice(batch_sampler, seed, self.batch_size)
        if self._choice is not None:
            self.size = self._choice.size
        elif self._stream is None:
            self.size = len(dataset)
        self._collate = collate_fn or default_collate
        # Workers go on from pass to pass anyway.
        self._pins = pin_memory and device.has_gpu()
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
        foresee(k) is the share of the k-th.  Not with a choice: it needs to know the
        pass, too."""
        if self._prefetch is not None and self._choice is None:
            self._prefetch.begin(foresee)

    def numbers(self, samples: Sequence[int], pass_number: int) -> List[int]:
        """In the data set, of these samples that were dealt out; of a stream, the
        places."""
        if self._choice is None and self._stream is None:
            return list(samples)
        places = Places(self.size, self.seed, pass_number).of(samples)
        return self._choice.of(places, pass_number) if self._choice else places

    def load(
        self, samples: Sequence[int], foresee: Foresee, pass_number: int = 0
    ) -> Any:
        """The batch of these samples.  foresee(k): those of the k-th step from
        now, if nothing changes; None after the last step."""
        began = time.monotonic()
        try:
            batch = self._load(samples, foresee, pass_number)
            return pinned(batch) if self._pins else batch
        finally:
            self.wait_ms = (time.monotonic() - began) * 1000

    def _load(self, samples: Sequence[int], foresee: Foresee, pass_number: int) -> Any:
        numbers = self.numbers(samples, pass_number)
        if self._stream is not None:
            return self._collate(self._stream.of(numbers, pass_number))
        if self._prefetch is None:
            return self._collate([self.dataset[i] for i in numbers])
        if self._choice is not None:
            foresee = self._chosen(foresee, samples, pass_number)
        return self._prefetch.load(numbers, foresee)

    def _chosen(self, foresee: Foresee, now: Sequence[int], number: int) -> Foresee:
        """What is foretold, as the sampler's.  Of which pass it is nobody says, but
        places of another pass are all over this one; a wrong guess costs a batch
        that is loaded without need."""
        this = Places(self.size, self.seed, number)
        first = min(this.of(now)) - self.batch_size

        def foretold(k: int) -> Optional[List[int]]:
            samples = foresee(k)
            if not samples:
                return samples
            places = this.of(samples)
            last = first + (k + 3) * self.batch_size
            same = first <= min(places) and max(places) < last
            return self.numbers(samples, number if same else number + 1)

        return foretold

    def close(self) -> None:
        """End the workers."""
        if self._workers is not None:
            self._workers.close()
        self._workers = self._prefetch = None
