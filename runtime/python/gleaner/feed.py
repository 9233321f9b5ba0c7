# SPDX-License-Identifier: Apache-2.0
"""How does a framework that owns the loop walk through the steps of a job?

Lightning and Hugging Face's Trainer take one batch per step, in epochs of as many
batches as the loader says, and count for themselves.  A step of Gleaner may come in
several batches, or in none for this member, and a member may begin in the middle.
So the framework is given the first batch of each step; the others are computed by
the integration, inside the same step; and where the framework counts otherwise, the
job's numbers count.
"""

from __future__ import annotations

from typing import Any, Callable, Iterator

from .job import Job
from .loader import DataLoader

_NOTHING = object()


class Released(Exception):
    """This member was released: others go on, and the framework's loop is left."""


class Feed:
    """The batches of a job, epoch by epoch.  compute(batch) does what the
    framework does with a batch, up to and with job.backward()."""

    def __init__(self, loader: DataLoader, compute: Callable[[Any], None]) -> None:
        self.loader = loader
        self._compute = compute
        self._batches: Iterator[Any] = iter(())
        self._next: Any = _NOTHING  # of a step that has begun, not taken yet

    def __len__(self) -> int:
        """Steps of an epoch."""
        n, batch = self.loader.size, self.loader.batch_size
        return n // batch if self.loader.drop_last else -(-n // batch)

    def begin(self, job: Job, epochs: int, max_steps: int | None = None) -> None:
        """Join, and wait for the first step: the state is others' afterwards."""
        self.job = job
        self._batches = job.steps(self.loader, epochs, max_steps)
        self._pull()

    @property
    def epoch(self) -> int:
        """Of the job's step, from 0."""
        return (self.job.step_number - 1) // len(self)

    @property
    def place(self) -> int:
        """Of the job's step in its epoch, from 0."""
        return (self.job.step_number - 1) % len(self)

    def batches(self, epoch: int) -> Iterator[Any]:
        """The first batch of each step of this epoch that has samples here."""
        while True:
            if self._next is _NOTHING:
                self._pull()
            if self._next is _NOTHING or self.epoch > epoch:
                return
            batch, self._next = self._next, _NOTHING
            self.job.seed()  # the framework may have drawn numbers since
            yield batch
            del batch
            if self._next is _NOTHING and self.place == len(self) - 1:
                return  # what the framework does at an epoch's end comes first

    def finish_step(self) -> None:
        """After backward of the first batch: the rest of the step, and its end."""
        while not self.job.step():
            batch = next(self._batches, _NOTHING)
            if batch is _NOTHING:
                self._check()
                return
            self._compute(batch)

    def finish(self) -> None:
        """The framework has left its loop, maybe early: all other members leave
        theirs.  That takes a step, in which job.stopping is True: its gradient means
        nothing, and the update makes nothing of it."""
        while self._next is not _NOTHING or self._pull():
            self._next = _NOTHING
            self._compute_nothing()
            while not self.job.step():
                if next(self._batches, _NOTHING) is _NOTHING:
                    self._check()
                    return
                self._compute_nothing()

    def _compute_nothing(self) -> None:
        self.job.stop()
        trained = [p for p in self.job.model.parameters() if p.requires_grad]
        self.job.backward(sum(p.sum() * 0 for p in trained))

    def _pull(self) -> bool:
        self._next = next(self._batches, _NOTHING)
        if self._next is _NOTHING:
            self._check()
        return self._next is not _NOTHING

    def _check(self) -> None:
        if not self.job.finished:
            raise Released
