# SPDX-License-Identifier: Apache-2.0
"""How does Lightning's Trainer train on members that come and go?

    import gleaner.lightning
    trainer = Trainer(strategy="gleaner", ...)

Trainer keeps its loop, its hooks, callbacks and loggers.  The strategy gives it
the batches of a job (see feed.py), and what Lightning does between backward and the
next batch - its hooks, clipping, the optimizer, the schedules - it does in the job's
update, where all members do it.
"""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any, Callable, Dict, List, Optional

import torch

try:
    import lightning.pytorch as pl
    from lightning.pytorch.strategies import SingleDeviceStrategy, StrategyRegistry
    from lightning.pytorch.trainer import call
    from lightning.pytorch.trainer.states import RunningStage, TrainerFn
    from lightning.pytorch.utilities import rank_zero_only
    from lightning.pytorch.utilities.exceptions import _TunerExitException as _Quietly
    from lightning.pytorch.utilities.model_helpers import is_overridden
except ImportError:  # the same code under its older name
    import pytorch_lightning as pl  # type: ignore[no-redef]
    from pytorch_lightning.strategies import (  # type: ignore[no-redef]
        SingleDeviceStrategy,
        StrategyRegistry,
    )
    from pytorch_lightning.trainer import call  # type: ignore[no-redef]
    from pytorch_lightning.trainer.states import (  # type: ignore[no-redef]
        RunningStage,
        TrainerFn,
    )
    from pytorch_lightning.utilities import rank_zero_only  # type: ignore[no-redef]
    from pytorch_lightning.utilities.exceptions import (  # type: ignore[no-redef]
        _TunerExitException as _Quietly,
    )
    from pytorch_lightning.utilities.model_helpers import (  # type: ignore[no-redef]
        is_overridden,
    )

from .converted import converted
from .device import usual
from .feed import Feed, Released
from .job import Job, init
from .refusals import Unsupported

#: For which validation or a checkpoint may keep the others waiting.
_BUSY_S = 3600.0


class _Batches:
    """What the Trainer takes for its train_dataloader."""

    def __init__(self, strategy: "Strategy", feed: Feed) -> None:
        self._strategy = strategy
        self._feed = feed

    def __len__(self) -> int:
        return len(self._feed)

    def __iter__(self) -> Any:
        return self._strategy.epoch_batches()


class _Scheduled:
    """A schedule as the Trainer's loop sees it.  The loop runs on members that have
    samples in a step, so the schedule itself is stepped in the job's update."""

    def __init__(self, scheduler: Any, step: Callable[[Optional[Any]], None]) -> None:
        self._scheduler = scheduler
        self._step = step

    def __getattr__(self, name: str) -> Any:
        return getattr(self._scheduler, name)

    def step(self, metrics: Optional[Any] = None, epoch: Optional[int] = None) -> None:
        self._step(metrics)


class _Callbacks:
    """What the Trainer's callbacks know, which joiners and checkpoints need."""

    def __init__(self, trainer: pl.Trainer) -> None:
        self._trainer = trainer

    def state_dict(self) -> Dict[str, Any]:
        return call._call_callbacks_state_dict(self._trainer)

    def load_state_dict(self, saved: Dict[str, Any]) -> None:
        for callback in self._trainer.callbacks:
            if callback.state_key in saved:
                callback.load_state_dict(saved[callback.state_key])


class Strategy(SingleDeviceStrategy):
    """`Trainer(strategy="gleaner")`, or Strategy(...) with options:

    seed         of the order of samples
    batch_norm   "share": see gleaner.init()
    device       by default the first GPU that the member sees, or the CPU

    The batch_size of the train_dataloader, times accumulate_grad_batches, is that of
    a step over all members; no member computes more than batch_size at once."""

    strategy_name = "gleaner"

    def __init__(
        self,
        seed: int = 0,
        batch_norm: Optional[str] = None,
        device: Optional[str] = None,
        **options: Any,
    ) -> None:
        self._job: Optional[Job] = None
        super().__init__(device or usual(), **options)
        self._seed = seed
        self._batch_norm = batch_norm
        self._feed: Optional[Feed] = None
        self._micro_batch_max: Optional[int] = None
        self._schedulers: List[Any] = []  # configurations, as Lightning made them
        self._busy = ExitStack()
        self._released = False

    # Who this member is.

    @property
    def global_rank(self) -> int:
        """Of this member in this step; not 0 when it was released."""
        if self._job is None or self._job.started is False:
            return 0
        return max(1, self._job.rank) if self._released else self._job.rank

    @global_rank.setter
    def global_rank(self, _: int) -> None:
        pass

    @property
    def is_global_zero(self) -> bool:
        return self.global_rank == 0

    # What it trains on.

    def process_dataloader(self, dataloader: Any) -> Any:
        trainer = self._trainer
        if trainer.state.stage != RunningStage.TRAINING:
            return dataloader
        self._check(trainer)
        batch = dataloader.batch_size
        parts, trainer.accumulate_grad_batches = trainer.accumulate_grad_batches, 1
        if parts > 1:
            self._micro_batch_max = batch
        self._feed = Feed(
            converted(dataloader, self._seed, batch * parts), self._compute
        )
        return _Batches(self, self._feed)

    def _check(self, trainer: pl.Trainer) -> None:
        module = trainer.lightning_module
        if not module.automatic_optimization:
            _refuse("manual optimization", "its optimizers would be stepped by hand")
        if is_overridden("backward", module):
            _refuse("an own backward()", "gradients are added up over members")
        if getattr(self.precision_plugin, "scaler", None) is not None:
            _refuse("precision 16-mixed", "its scaler steps by itself", "bf16-mixed")
        if trainer.limit_train_batches not in (1.0, None) or trainer.overfit_batches:
            remedy = "a torch.utils.data.Subset"
            _refuse("a part of the batches", "a pass has all samples", remedy)
        if trainer.ckpt_path:
            remedy = "leave ckpt_path out: the newest checkpoint of Gleaner is taken"
            _refuse("fit(ckpt_path=...)", "a joiner takes its state from others", remedy)

    def on_train_start(self) -> None:
        """Join.  What the Trainer has counted becomes what the job has."""
        trainer, feed = self._trainer, self._open_feed()
        self._schedulers = list(self.lr_scheduler_configs)
        objects = {
            f"scheduler{i}": config.scheduler
            for i, config in enumerate(self._schedulers)
        }
        self._job = init(
            trainer.lightning_module,
            self.optimizers[0],
            update=self._update,
            state={"callbacks": _Callbacks(trainer), **objects},
            batch_norm=self._batch_norm,
            micro_batch_max=self._micro_batch_max,
        )
        for config in self._schedulers:
            if config.reduce_on_plateau:
                _refuse("ReduceLROnPlateau", "see doc/python.md")
        self.lr_scheduler_configs = [
            type(config)(
                _Scheduled(config.scheduler, lambda _: None),
                **{k: v for k, v in vars(config).items() if k != "scheduler"},
            )
            for config in self._schedulers
        ]
        self._steps(feed.begin, self._job, self._epochs(trainer), self._limit(trainer))
        loop = trainer.fit_loop
        for counted in (loop.epoch_progress.current, loop.epoch_progress.total):
            _set(counted, feed.epoch)
        if feed.place:
            loop.epoch_loop.restarting = True
        self._count()

    def _epochs(self, trainer: pl.Trainer) -> int:
        steps, epochs = trainer.max_steps, trainer.max_epochs
        if epochs is not None and epochs > 0:
            return int(epochs)
        if steps > 0:
            return -(-steps // len(self._open_feed()))
        return _refuse("training without an end", "passes are counted", "max_epochs")

    @staticmethod
    def _limit(trainer: pl.Trainer) -> Optional[int]:
        return trainer.max_steps if trainer.max_steps > 0 else None

    def epoch_batches(self) -> Any:
        """For the Trainer's loop."""
        trainer, feed = self._trainer, self._open_feed()
        batches = feed.batches(trainer.current_epoch)
        while True:
            batch = self._steps(next, batches, _END)
            if batch is _END:
                trainer.should_stop |= self._open_job().finished
                return
            trainer.fit_loop._data_fetcher.fetched = feed.place
            self._count()
            yield batch

    def _count(self) -> None:
        """A step without samples here was not seen by the loop."""
        loop, step = self._trainer.fit_loop.epoch_loop, self._open_job().step_number
        _set(loop.batch_progress.current, self._open_feed().place)
        _set(loop.automatic_optimization.optim_progress.optimizer.step.total, step - 1)
        loop._batches_that_stepped = step - 1
        rank_zero_only.rank = self.global_rank

    # What it does with a batch.

    def backward(
        self, closure_loss: torch.Tensor, optimizer: Any, *args: Any, **kwargs: Any
    ) -> torch.Tensor:
        module = self.lightning_module
        self.pre_backward(closure_loss)
        loss = self.precision_plugin.pre_backward(closure_loss, module)
        self._open_job().backward(loss)
        loss = self.precision_plugin.post_backward(loss, module)
        self.post_backward(loss)
        return loss

    def optimizer_step(
        self,
        optimizer: Any,
        closure: Callable[[], Any],
        model: Optional[Any] = None,
        **kwargs: Any,
    ) -> Any:
        result = closure()
        self._steps(self._open_feed().finish_step)
        return result

    def _compute(self, batch: Any) -> None:
        """A batch that the Trainer's loop does not see."""
        batch = self.precision_plugin.convert_input(batch)
        batch = self.batch_to_device(batch)
        with torch.enable_grad():
            loss = self.training_step(batch, self._open_feed().place)
        loss = loss["loss"] if isinstance(loss, dict) else loss
        self.backward(loss, self.optimizers[0])

    def _update(self) -> None:
        """On all members, with the gradient of the whole batch."""
        job, feed = self._open_job(), self._open_feed()
        if job.stopping:
            return
        optimizer = self.optimizers[0]
        self.precision_plugin._after_closure(self.lightning_module, optimizer)
        optimizer.step()
        for config in self._schedulers:
            if config.interval == "step":
                due = (feed.place + 1) % config.frequency == 0
            else:
                last = feed.place == len(feed) - 1
                due = last and (feed.epoch + 1) % config.frequency == 0
            if due:
                self._trainer.lightning_module.lr_scheduler_step(config.scheduler, None)

    # What it does beside.

    def on_validation_start(self) -> None:
        super().on_validation_start()
        self._be_busy("validation")

    def on_validation_end(self) -> None:
        super().on_validation_end()
        self._busy.close()

    def save_checkpoint(self, *args: Any, **kwargs: Any) -> None:
        with ExitStack() as saving:
            if self._job is not None:
                saving.enter_context(self._job.busy("checkpoint", _BUSY_S))
            super().save_checkpoint(*args, **kwargs)

    def on_train_end(self) -> None:
        """The Trainer's loop was left, maybe early: then all others leave theirs."""
        super().on_train_end()
        self._steps(self._open_feed().finish)

    def _be_busy(self, why: str) -> None:
        if self._job is not None:
            self._busy.enter_context(self._job.busy(why, _BUSY_S))

    # Inside.

    def _steps(self, call_: Callable[..., Any], *arguments: Any) -> Any:
        """Calls what may find that this member was released; then fit() returns."""
        try:
            return call_(*arguments)
        except Released:
            self._released = True
            rank_zero_only.rank = self.global_rank
            raise _Quietly() from None

    @property
    def _trainer(self) -> pl.Trainer:
        return self.lightning_module.trainer

    def _open_feed(self) -> Feed:
        assert self._feed is not None, "the Trainer has no train_dataloader"
        return self._feed

    def _open_job(self) -> Job:
        assert self._job is not None, "the Trainer does not train"
        return self._job


_END = object()


def _set(counted: Any, n: int) -> None:
    """All that one of the Trainer's counters counts."""
    for name in vars(counted):
        setattr(counted, name, n)


def _refuse(what: str, why: str, remedy: str = "write the loop: job.steps()") -> Any:
    raise Unsupported(f"cannot train with {what} ({why}) [{remedy}]")


if Strategy.strategy_name not in StrategyRegistry:
    StrategyRegistry.register(
        Strategy.strategy_name, Strategy, description="members that come and go"
    )
