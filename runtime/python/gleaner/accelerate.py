# SPDX-License-Identifier: Apache-2.0
"""How does a loop with Accelerate's Accelerator train on members that come and go?

    from gleaner.accelerate import Accelerator    # instead of accelerate
    accelerator = Accelerator(epochs=10)

The loop stays.  The prepared loader gives it the batches of a job.  A step may come in
several of them: then the loop's body runs for each, as with accumulation, and
optimizer.step() does nothing before the last.  What the body asks for between
backward() and the next batch - clipping, the optimizer, the schedule - is done in the
job's update, where all members do it.
"""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from typing import Any, Dict, Iterator, List, Optional

import accelerate
import torch
from accelerate.utils import send_to_device

from .converted import converted
from .job import Job, init
from .refusals import Unsupported

#: For which what the loop does between two epochs may keep the others waiting.
_BUSY_S = 3600.0
_NOTHING = object()


class Accelerator(accelerate.Accelerator):
    """Accelerate's, and

    epochs            passes that the loop makes over the train loader
    seed              of the order of samples
    scheduler_every   "step", or "pass" if the loop steps it after each epoch
    batch_norm        "share": see gleaner.init()

    The first loader that prepare() is given is trained on: its batch_size, times
    gradient_accumulation_steps, is that of a step over all members.  Others are
    prepared as usual, and whole on each member."""

    def __init__(
        self,
        *arguments: Any,
        epochs: int,
        seed: int = 0,
        scheduler_every: str = "step",
        batch_norm: Optional[str] = None,
        **options: Any,
    ) -> None:
        for name, value in options.items():
            if value is not None and (name.endswith("_plugin") or name == "log_with"):
                _refuse_option(name)
        if scheduler_every not in ("step", "pass"):
            raise ValueError(f"scheduler_every is '{scheduler_every}' ['step', 'pass']")
        self.epochs, self._seed, self._batch_norm = epochs, seed, batch_norm
        self._every = scheduler_every
        self._clip = _Clip()
        self._batches: Optional[_Batches] = None
        self._job: Optional[Job] = None
        super().__init__(*arguments, **options)
        if self.mixed_precision not in ("no", "bf16"):
            _refuse(
                f"mixed_precision='{self.mixed_precision}'",
                "its scaler steps by itself",
                "bf16",
            )

    # What the loop prepares.

    def prepare(self, *things: Any, device_placement: Any = None) -> Any:
        results = tuple(self._prepare(thing) for thing in things)
        return results if len(results) > 1 else results[0]

    def _prepare(self, thing: Any) -> Any:
        if isinstance(thing, torch.nn.Module):
            self._only("a second model", "_model")
            self._model = super().prepare_model(thing, evaluation_mode=True)
            return self._model
        if isinstance(thing, torch.optim.Optimizer):
            self._only("a second optimizer", "_optimizer")
            self._optimizer = thing
            return _Optimizer(self, thing)
        if isinstance(thing, torch.utils.data.DataLoader):
            if self._batches is not None:
                return super().prepare_data_loader(thing)
            self._batches = _Batches(self, thing)
            return self._batches
        if hasattr(thing, "get_last_lr"):
            self._only("a second schedule", "_scheduler")
            self._scheduler = thing
            return _Scheduler(self, thing)
        return super().prepare(thing)

    def _only(self, what: str, name: str) -> None:
        if hasattr(self, name):
            remedy = "one optimizer, with parameter groups; gleaner.init() for others"
            _refuse(what, "an update steps one of each", remedy)

    # What the loop's body calls.

    def backward(self, loss: torch.Tensor, **kwargs: Any) -> None:
        self.job.backward(loss)

    def clip_grad_norm_(
        self, parameters: Any, max_norm: Any, norm_type: Any = 2
    ) -> None:
        """In the update, of the gradient of the whole batch, and of all parameters;
        the same in each step.  The norm is not known before."""
        self._clip.ask(float(max_norm), float(norm_type))

    def clip_grad_value_(self, *_: Any) -> None:
        _refuse("clip_grad_value_()", "it is not known here", "clip_grad_norm_()")

    @contextmanager
    def accumulate(self, *models: Any) -> Iterator[None]:
        yield  # job.step() knows when a step is complete

    @property
    def sync_gradients(self) -> bool:
        """Before optimizer.step(): True.  After it: whether the step is complete."""
        return self._batches is None or not self._batches.more

    # Who this member is.

    @property
    def job(self) -> Job:
        """From the first batch on."""
        if self._job is None:
            raise RuntimeError("there is no batch yet [loop over the prepared loader]")
        return self._job

    @property
    def is_main_process(self) -> bool:
        """Rank 0 of this step, also after the loop; not a member that was released."""
        job = self._job
        if job is None or not job.started:
            return False
        left = self._batches is not None and self._batches.over and not job.finished
        return job.rank == 0 and not left

    is_local_main_process = is_last_process = is_main_process

    def print(self, *arguments: Any, **options: Any) -> None:
        if self.is_main_process:
            print(*arguments, **options)

    def save(self, *arguments: Any, **options: Any) -> None:
        if self.is_main_process:
            super().save(*arguments, **options)

    def save_state(self, *_: Any, **__: Any) -> Any:
        _refuse("save_state()", "Gleaner writes checkpoints itself", "leave it out")

    def load_state(self, *_: Any, **__: Any) -> Any:
        _refuse("load_state()", "a joiner takes its state from others", "leave it out")

    # What the job does.

    def _begin(self) -> Job:
        scheduler = getattr(self, "_scheduler", None)
        state: Dict[str, Any] = {"clip": self._clip}
        if scheduler is not None:
            state["scheduler"] = scheduler
        self._job = init(
            self._model,
            self._optimizer,
            update=self._update,
            state=state,
            batch_norm=self._batch_norm,
            micro_batch_max=self._batches.part if self._batches else None,
        )
        return self._job

    def _update(self) -> None:
        """On all members, with the gradient of the whole batch."""
        self._clip.apply(self._model, bool(self.job.samples))
        self._optimizer.step()
        scheduler = getattr(self, "_scheduler", None)
        assert self._batches is not None
        if scheduler is not None and (self._every == "step" or self._batches.is_last):
            scheduler.step()


class _Batches:
    """The prepared train loader: a pass over it is an epoch of the loop."""

    def __init__(self, accelerator: Accelerator, loader: Any) -> None:
        parts = accelerator.gradient_accumulation_steps
        size = loader.batch_size
        self.part: Optional[int] = size if parts > 1 else None
        batch = size * parts if size is not None else 0
        self.loader = converted(loader, accelerator._seed, batch)
        self.dataset, self.batch_size = loader.dataset, loader.batch_size
        self.more = False  # another batch of the step comes
        self.over = False
        self._accelerator = accelerator
        self._epoch = 0
        self._steps: Optional[Iterator[Any]] = None
        self._next: Any = _NOTHING
        self._busy = ExitStack()

    def __len__(self) -> int:
        n, batch = self.loader.size, self.loader.batch_size
        return n // batch if self.loader.drop_last else -(-n // batch)

    @property
    def is_last(self) -> bool:
        """Whether the step under way is the last of its pass."""
        return self._accelerator.job.step_number % len(self) == 0

    def __iter__(self) -> Iterator[Any]:
        """An epoch that was over when this member joined has no batches."""
        self._busy.close()
        epoch, self._epoch = self._epoch, self._epoch + 1
        if self._steps is None:
            job = self._accelerator._begin()
            self._steps = job.steps(self.loader, self._accelerator.epochs)
        job = self._accelerator.job
        while self._pull() and job.pass_number <= epoch:
            job.seed()  # the loop may have drawn numbers since the step began
            batch, self._next = self._next, _NOTHING
            self.more = False
            yield send_to_device(batch, self._accelerator.device)
            del batch
            last = not self.more and self.is_last
            if last and self._epoch < self._accelerator.epochs:
                break  # what the loop does after an epoch comes before the next step
        if not self.over:
            self._busy.enter_context(job.busy("end of an epoch", _BUSY_S))

    def _pull(self) -> bool:
        if self._next is _NOTHING and self._steps is not None:
            self._next = next(self._steps, _NOTHING)
            self.over = self._next is _NOTHING
        return not self.over


class _Optimizer:
    """Its step() is the job's."""

    def __init__(self, accelerator: Accelerator, optimizer: Any) -> None:
        self._accelerator = accelerator
        self.optimizer = optimizer

    def __getattr__(self, name: str) -> Any:
        return getattr(self.optimizer, name)

    def step(self, closure: Any = None) -> None:
        if closure is not None:
            _refuse("step(closure)", "a gradient is reduced once", "step()")
        batches = self._accelerator._batches
        assert batches is not None
        batches.more = not self._accelerator.job.step()

    def zero_grad(self, *_: Any, **__: Any) -> None:
        """The job begins each step without gradients."""


class _Scheduler:
    """Stepped in the job's update."""

    def __init__(self, accelerator: Accelerator, scheduler: Any) -> None:
        self._accelerator = accelerator
        self.scheduler = scheduler

    def __getattr__(self, name: str) -> Any:
        return getattr(self.scheduler, name)

    def step(self, *metrics: Any) -> None:
        if metrics:
            remedy = "gleaner.init(update=...)"
            _refuse("a schedule that follows a metric", "see doc/python.md", remedy)


class _Clip:
    """What the loop's body asked for; a member without samples does not run it."""

    def __init__(self) -> None:
        self._asked: Optional[List[float]] = None
        self._ran = False  # a body, here or where this state comes from

    def ask(self, norm: float, kind: float) -> None:
        if self._ran and self._asked != [norm, kind]:
            _refuse("another clip_grad_norm_()", "all steps have the same", "update=")
        self._asked = [norm, kind]

    def apply(self, model: Any, ran_here: bool) -> None:
        self._ran = self._ran or ran_here
        if not self._ran:
            raise RuntimeError(
                "this member had no samples in its first step (so it does not know how "
                "gradients are clipped) [batches with at least a sample for each member]"
            )
        if self._asked is not None:
            torch.nn.utils.clip_grad_norm_(model.parameters(), *self._asked)

    def state_dict(self) -> Dict[str, Any]:
        return {"asked": self._asked, "ran": self._ran}

    def load_state_dict(self, saved: Dict[str, Any]) -> None:
        self._asked, self._ran = saved["asked"], saved["ran"]


def _refuse_option(name: str) -> None:
    if name == "log_with":
        remedy = "a tracker in accelerator.job.on_owner(): see doc/python.md"
        _refuse(name, "rank 0 changes", remedy)
    _refuse(name, "model and optimizer must fit one member", "leave it out")


def _refuse(what: str, why: str, remedy: str) -> None:
    raise Unsupported(f"cannot use {what} with Accelerate ({why}) [{remedy}]")
