# SPDX-License-Identifier: Apache-2.0
"""How is each sample of an IterableDataset used once, whatever members do?

The stream must yield the same samples each time it is read.  Then the p-th is used
by the member that Gleaner deals place p to.  A member reads on from where it was,
and passes over what others have.  Where the stream can be cut into shards, slot j of
each step belongs to one of them, so a member reads only the shards of its slots.
"""

from __future__ import annotations

from typing import Any, Dict, Iterator, List, Optional, Sequence, Tuple

from .places import mixed
from .randomness import Apart


class Stream:
    """`samples` of a pass, in order, as `shards` (1: whole)."""

    def __init__(
        self, dataset: Any, samples: int, shards: int, batch_size: int, seed: int
    ) -> None:
        self._dataset = dataset
        self._name = type(dataset).__name__
        self.size = samples
        self._shards = shards
        self._batch_size = batch_size
        self._slots = batch_size // shards  # of a shard, in each step
        self._seed = seed
        self._pass: Optional[int] = None
        self._readers: Dict[int, _Reader] = {}

    def of(self, places: Sequence[int], pass_number: int) -> List[Any]:
        if self._pass != pass_number:
            self._readers.clear()
            self._pass = pass_number
            if callable(getattr(self._dataset, "set_epoch", None)):
                self._dataset.set_epoch(pass_number)
        found: Dict[int, Any] = {}
        for place in sorted(places):  # a stream is read forwards
            shard, offset = self._where(place)
            found[place] = self._reader(shard).read(offset)
        return [found[place] for place in places]

    def _where(self, place: int) -> Tuple[int, int]:
        step, slot = divmod(place, self._batch_size)
        shard, within = divmod(slot, self._slots)
        return shard, step * self._slots + within

    def _reader(self, shard: int) -> "_Reader":
        if shard not in self._readers:
            data, name = self._dataset, self._name
            if self._shards > 1:
                data = data.shard(self._shards, shard)
                name = f"shard {shard} of {self._shards} of {name}"
            seed = mixed(mixed(mixed(self._seed) ^ (self._pass or 0)) ^ shard)
            # Of a lost member's share the samples are those of the step under way.
            self._readers[shard] = _Reader(data, name, seed, 2 * self._slots)
        return self._readers[shard]


class _Reader:
    """Of one shard, in one pass; the last `kept` samples can be read again."""

    def __init__(self, data: Any, name: str, seed: int, kept: int) -> None:
        self._data = data
        self._name = name
        self._seed = seed
        self._n_kept = kept
        self._iterator: Optional[Iterator[Any]] = None

    def read(self, offset: int) -> Any:
        if self._iterator is None or offset < self._at and offset not in self._kept:
            self._begin(offset)
        with self._apart.numbers():
            while self._at <= offset:
                self._kept[self._at] = self._next()
                self._kept.pop(self._at - self._n_kept, None)
                self._at += 1
        return self._kept[offset]

    def _begin(self, offset: int) -> None:
        """Pass over what comes before: at once, where the stream can."""
        self._apart = Apart(self._seed)
        self._kept: Dict[int, Any] = {}
        self._at = 0
        data = self._data
        if offset > 0 and callable(getattr(data, "skip", None)):
            data, self._at = data.skip(offset), offset
        with self._apart.numbers():
            self._iterator = iter(data)

    def _next(self) -> Any:
        assert self._iterator is not None
        try:
            return next(self._iterator)
        except StopIteration:
            raise ValueError(
                f"{self._name} ended after {self._at} samples (a pass has more, by "
                "samples=) [give the number that it has; with shards, each must have "
                "its share]"
            ) from None
