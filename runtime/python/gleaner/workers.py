# SPDX-License-Identifier: Apache-2.0
"""What do a loader's worker processes do, and how are they told to stop?

They are forked before the member connects, so they hold none of its
connections, and are killed with it.
"""

from __future__ import annotations

import ctypes
import multiprocessing
import multiprocessing.connection
import os
import pickle
import random
import secrets
import signal
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass
from typing import Any, Callable, List, Optional, Sequence

import torch
import torch.multiprocessing  # tensors pass through shared memory
from torch.utils.data._utils import worker as torch_worker

from .randomness import seed_all

Collate = Callable[[List[Any]], Any]

_PR_SET_PDEATHSIG = 1
#: Requests that can be under way: a loader has asked for far fewer.
_SLOTS = 1 << 14


@dataclass
class Plan:
    """What a worker is given when it starts."""

    dataset: Any
    collate: Collate
    init: Optional[Callable[[int], None]]
    workers: int
    seed: int
    member: int  #: process
    numbered: Any  #: workers that have their number
    started: Any  #: and that can load
    unwanted: Any  #: by slot: nobody waits for this request any more


class Request:
    """A batch that workers were asked for."""

    def __init__(self, results: List[Future[Any]], collate: Optional[Collate]) -> None:
        self._results = results
        self._collate = collate  # parts come as samples

    def cancel(self) -> None:
        for result in self._results:
            result.cancel()

    def batch(self) -> Any:
        """Waits for it."""
        if self._collate is None:
            return self._results[0].result()
        parts = [pickle.loads(result.result()) for result in self._results]
        return self._collate([sample for part in parts for sample in part])


class Workers:
    """Processes that load batches, first asked, first loaded."""

    def __init__(
        self,
        dataset: Any,
        collate: Collate,
        init: Optional[Callable[[int], None]],
        workers: int,
    ) -> None:
        self.n = workers
        self._collate = collate
        context = multiprocessing.get_context("fork")
        self._plan = Plan(
            dataset=dataset,
            collate=collate,
            init=init,
            workers=workers,
            seed=_seed_of_member(),
            member=os.getpid(),
            numbered=context.Value("i", 0),
            started=context.Value("i", 0),
            unwanted=context.RawArray("b", _SLOTS),
        )
        self._pool = ProcessPoolExecutor(workers, context, _begin, (self._plan,))
        self._next_slot = 0
        self._slots: dict[Request, int] = {}
        self._pool.submit(_nothing)  # they start now

    def started(self) -> int:
        """How many of them can load."""
        return int(self._plan.started.value)

    def ask(self, samples: Sequence[int], soon: bool) -> Request:
        """`soon`: all workers share the work, else one loads it while the others
        load other batches, and collates it, too."""
        slot = self._next_slot
        self._next_slot = (slot + 1) % _SLOTS
        self._plan.unwanted[slot] = 0
        parts = min(self.n, len(samples)) if soon else 1
        if parts == 1:
            whole = self._pool.submit(_load_batch, slot, list(samples))
            request = Request([whole], None)
        else:
            bounds = [len(samples) * i // parts for i in range(parts + 1)]
            request = Request(
                [
                    self._pool.submit(_load_part, slot, list(samples[a:b]))
                    for a, b in zip(bounds, bounds[1:])
                ],
                self._collate,
            )
        self._slots[request] = slot
        return request

    def done(self, request: Request) -> None:
        """Its batch was taken."""
        del self._slots[request]

    def cancel(self, request: Request) -> None:
        """A worker that is at it stops before its next sample."""
        self._plan.unwanted[self._slots.pop(request)] = 1
        request.cancel()

    def close(self) -> None:
        """Waits for no longer than a sample takes."""
        for request in list(self._slots):
            self.cancel(request)
        self._pool.shutdown(wait=True, cancel_futures=True)


def _seed_of_member() -> int:
    """All members run the same program with the same seed, but their workers are
    to draw different numbers."""
    member = os.environ.get("GLEANER_MEMBER", "")
    return random.Random(f"{torch.initial_seed()} {member}").getrandbits(62)


# In the workers.

_plan: Plan
_with_file = multiprocessing.connection.arbitrary_address


def _without_file(family: str) -> Any:
    """Where the member asks this worker for descriptors of shared memory.  A socket
    with a file has a directory too, which a worker that is killed leaves behind."""
    if family != "AF_UNIX":
        return _with_file(family)
    return f"\0gleaner-worker-{os.getpid()}-{secrets.token_hex(8)}"


def _begin(plan: Plan) -> None:
    global _plan
    _plan = plan
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != plan.member:  # it died before prctl()
        os._exit(1)
    with plan.numbered.get_lock():
        worker = plan.numbered.value
        plan.numbered.value += 1
    multiprocessing.connection.arbitrary_address = _without_file
    torch.set_num_threads(1)
    seed = (plan.seed + worker) % 2**63
    seed_all(seed)
    # What datasets ask torch.utils.data.get_worker_info() for; default_collate
    # then puts a batch where the member can read it.
    torch_worker._worker_info = torch_worker.WorkerInfo(
        id=worker, num_workers=plan.workers, seed=seed, dataset=plan.dataset
    )
    if plan.init:
        plan.init(worker)
    with plan.started.get_lock():
        plan.started.value += 1


def _nothing() -> None:
    pass


def _load(slot: int, samples: List[int]) -> Optional[List[Any]]:
    loaded = []
    for i in samples:
        if _plan.unwanted[slot]:
            return None
        loaded.append(_plan.dataset[i])
    return loaded


def _load_batch(slot: int, samples: List[int]) -> Any:
    loaded = _load(slot, samples)
    return None if loaded is None else _plan.collate(loaded)


def _load_part(slot: int, samples: List[int]) -> bytes:
    """By value: in shared memory each tensor would take a descriptor."""
    return pickle.dumps(_load(slot, samples), protocol=pickle.HIGHEST_PROTOCOL)
