# SPDX-License-Identifier: Apache-2.0
"""How does Hugging Face's Trainer train on members that come and go?

    from gleaner.transformers import Trainer

Trainer keeps its loop, its arguments and its callbacks.  It is given the batches of
a job (see feed.py); what it does between backward and the next batch, clipping, the
optimizer and the schedule, is done in the job's update, where all members do it.
Malleable makes other descendants of Trainer so:

    class MyTrainer(Malleable, SFTTrainer): ...
"""

from __future__ import annotations

import math
from contextlib import contextmanager
from typing import Any, Dict, Iterator, Optional

import torch
import transformers
from torch.nn.utils.clip_grad import clip_grad_norm_
from transformers.trainer_utils import TrainOutput

from .converted import converted
from .feed import Feed, Released
from .job import init
from .refusals import Unsupported

#: For which an evaluation or a checkpoint may keep the others waiting.
_BUSY_S = 3600.0
#: Of TrainerState: what a joiner cannot count for itself.
_SHARED = ("best_metric", "best_model_checkpoint", "log_history", "total_flos")


class _Batches:
    """What the Trainer takes for its train_dataloader."""

    def __init__(self, trainer: "Malleable", feed: Feed) -> None:
        self._trainer = trainer
        self._feed = feed
        self._epoch = 0
        self.dataset = feed.loader.dataset
        self.batch_size = feed.loader.batch_size
        #: Whether the epoch had a batch for this member.
        self.used = False

    def __len__(self) -> int:
        return len(self._feed)

    def set_epoch(self, epoch: int) -> None:
        self._epoch = epoch
        self.used = False

    def __iter__(self) -> Iterator[Any]:
        for batch in self._feed.batches(self._epoch):
            self.used = True
            self._trainer._note_rank()
            yield batch


class _Stepped:
    """An optimizer or a schedule that was stepped by the job when the Trainer's loop
    does it."""

    def __init__(self, thing: Any) -> None:
        self.inner = thing

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)

    def step(self, *_: object, **__: object) -> None:
        pass

    def zero_grad(self, *_: object, **__: object) -> None:
        pass


class _Counts(transformers.TrainerCallback):
    """Before all other callbacks: what the job has counted, counts."""

    def __init__(self, trainer: "Malleable") -> None:
        self._trainer = trainer

    def on_train_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        self._trainer._join()

    def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        self._trainer._count()

    def on_train_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        self._trainer._leave()


class _Epochs(transformers.TrainerCallback):
    """After all others: an epoch that was over when this member joined is none."""

    def __init__(self, trainer: "Malleable") -> None:
        self._trainer = trainer

    def on_epoch_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        if self._trainer._job.finished:
            control.should_training_stop = True
        elif not self._trainer._batches.used:
            control.should_training_stop = False
            control.should_evaluate = control.should_save = control.should_log = False


class _Shared:
    """The part of TrainerState that joiners and checkpoints need."""

    def __init__(self, trainer: "Malleable") -> None:
        self._trainer = trainer

    def state_dict(self) -> Dict[str, Any]:
        return {name: getattr(self._trainer.state, name) for name in _SHARED}

    def load_state_dict(self, saved: Dict[str, Any]) -> None:
        for name, value in saved.items():
            setattr(self._trainer.state, name, value)


class Malleable:
    """Before a Trainer among the bases.  `per_device_train_batch_size *
    gradient_accumulation_steps` is the batch of a step over all members, and no
    member computes more than per_device_train_batch_size at once."""

    #: Of gleaner.init(): "share" lets models with batch normalisation train.
    batch_norm: Optional[str] = None

    _job: Any = None
    _released = False

    def loss_weight(self, inputs: Any) -> Optional[int]:
        """What compute_loss() takes its mean over, in this batch: None for samples.
        Here: labels that count, if samples have several."""
        labels = inputs.get("labels") if hasattr(inputs, "get") else None
        if labels is None or labels.dim() < 2 or torch.is_floating_point(labels):
            return None
        shifted = "ForCausalLM" in type(self.model).__name__ or hasattr(
            self.model, "lm_head"
        )
        counted = labels[..., 1:] if shifted else labels
        return int((counted != -100).sum())

    # The Trainer's methods.

    def get_train_dataloader(self) -> Any:
        """Its own, before Accelerate would share it out."""
        self.accelerator.prepare = lambda loader: loader
        try:
            loader = super().get_train_dataloader()
        finally:
            del self.accelerator.prepare
        seed = self.args.data_seed if self.args.data_seed is not None else 0
        batch = self._train_batch_size * self._parts
        self._feed = Feed(converted(loader, seed, batch), self._compute)
        self._batches = _Batches(self, self._feed)
        return self._batches

    def _inner_training_loop(
        self,
        batch_size: Optional[int] = None,
        args: Any = None,
        resume_from_checkpoint: Any = None,
        *others: Any,
        **options: Any,
    ) -> TrainOutput:
        self._check(args, resume_from_checkpoint)
        callbacks = self.callback_handler.callbacks
        ours = [_Counts(self), _Epochs(self)]
        self.callback_handler.callbacks = [ours[0], *callbacks, ours[1]]
        self._parts, self._clip = args.gradient_accumulation_steps, args.max_grad_norm
        args.gradient_accumulation_steps, args.max_grad_norm = 1, 0.0
        try:
            return super()._inner_training_loop(
                batch_size, args, None, *others, **options
            )
        except Released:
            self._released = True
            self._note_rank()
            return TrainOutput(self.state.global_step, math.nan, {})
        finally:
            args.gradient_accumulation_steps, args.max_grad_norm = (
                self._parts,
                self._clip,
            )
            self.callback_handler.callbacks = callbacks
            for name in ("optimizer", "lr_scheduler"):
                setattr(self, name, getattr(getattr(self, name), "inner", None))

    def training_step(self, model: Any, inputs: Any, *_: Any) -> torch.Tensor:
        """A whole step: the mean of its loss over all members."""
        self._compute(inputs)
        self._feed.finish_step()
        total, weight = self._means
        return torch.tensor(float(total) / float(weight), device=self.args.device)

    def evaluate(self, *arguments: Any, **options: Any) -> Any:
        """All members evaluate all of it, and so decide the same."""
        with self._busy("evaluation"):
            return super().evaluate(*arguments, **options)

    def _save_checkpoint(self, *arguments: Any, **options: Any) -> Any:
        with self._busy("checkpoint"):
            return super()._save_checkpoint(*arguments, **options)

    def _save_rng_state(self, *arguments: Any) -> None:
        if self.is_world_process_zero():  # they are those of (seed, step, rank)
            super()._save_rng_state(*arguments)

    def _load_best_model(self) -> None:
        self._leave()
        if self.is_world_process_zero():  # it alone wrote one
            super()._load_best_model()

    def is_world_process_zero(self) -> bool:
        return self._rank() == 0

    # What the job does.

    def _join(self) -> None:
        """The Trainer has made all that is trained."""
        optimizer = getattr(self.optimizer, "optimizer", self.optimizer)
        scheduler = self.lr_scheduler
        self._job = init(
            self.model,
            optimizer,
            update=lambda: self._update(optimizer, scheduler),
            state={"trainer": _Shared(self), "scheduler": scheduler},
            batch_norm=self.batch_norm,
            micro_batch_max=self._train_batch_size if self._parts > 1 else None,
        )
        self.optimizer, self.lr_scheduler = _Stepped(self.optimizer), _Stepped(scheduler)
        steps_max = self.args.max_steps if self.args.max_steps > 0 else None
        self._feed.begin(self._job, self.state.num_train_epochs, steps_max)
        self.state.global_step = self._globalstep_last_logged = (
            self._job.step_number - 1
        )
        self._note_rank()

    def _compute(self, inputs: Any) -> None:
        """What the Trainer does with a batch, up to and with backward."""
        self.model.train()
        inputs = self._prepare_inputs(inputs)
        with self.compute_loss_context_manager():
            loss = self.compute_loss(self.model, inputs)
        weight, n = self.loss_weight(inputs), len(self._job.samples)
        if weight is None:
            self._job.backward(loss)
            self._means = [self._job.mean(loss), self._job.mean(1.0)]
        else:
            if weight == 0:  # the mean over nothing is not a number
                loss = sum(p.sum() * 0 for p in self.model.parameters())
            self._job.backward(loss * weight, weight=weight)
            means = (loss.detach() * weight / n, weight / n)
            self._means = [self._job.mean(value) for value in means]

    def _update(self, optimizer: Any, scheduler: Any) -> None:
        """On all members, with the gradient of the whole batch."""
        if self._job.stopping:
            return
        if self._clip:
            clip_grad_norm_(self.model.parameters(), self._clip)
        optimizer.step()
        scheduler.step()

    def _count(self) -> None:
        """A step without samples here was not seen by the loop."""
        self.state.global_step = self._job.step_number
        self.state.epoch = self._job.step_number / len(self._feed)

    def _leave(self) -> None:
        """The Trainer's loop was left, maybe early: then all others leave theirs."""
        if not self._job.finished:
            self._feed.finish()

    # Inside.

    def _rank(self) -> int:
        if self._job is None or not self._job.started:
            return 0
        return max(1, self._job.rank) if self._released else int(self._job.rank)

    def _note_rank(self) -> None:
        """Who writes files is asked in many places."""
        self.args.distributed_state.process_index = self._rank()
        self.state.is_world_process_zero = self.is_world_process_zero()

    @contextmanager
    def _busy(self, why: str) -> Iterator[None]:
        if self._job is None:
            yield
            return
        with self._job.busy(why, _BUSY_S):
            yield

    def _check(self, args: Any, resume_from_checkpoint: Any) -> None:
        if resume_from_checkpoint:
            remedy = "leave it out: the newest checkpoint of Gleaner is taken"
            _refuse("resume_from_checkpoint", "joiners get state from others", remedy)
        if getattr(self.accelerator, "scaler", None) is not None:
            _refuse("fp16", "its scaler steps by itself", "use bf16")
        if self.accelerator.num_processes > 1:
            remedy = "start one process per member, without torchrun or accelerate"
            _refuse("several processes", "Gleaner starts them", remedy)
        if self.args.group_by_length:
            remedy = "group samples of like length in one item of the data set"
            _refuse("group_by_length", "Gleaner chooses the order", remedy)
        if "reduce_lr_on_plateau" in str(self.args.lr_scheduler_type):
            _refuse("reduce_lr_on_plateau", "the loop steps it", "another schedule")


class Trainer(Malleable, transformers.Trainer):
    """transformers.Trainer, on members that come and go."""


def _refuse(what: str, why: str, remedy: str) -> None:
    raise Unsupported(f"cannot train with {what} ({why}) [{remedy}]")
