# SPDX-License-Identifier: Apache-2.0
"""A training loop in PyTorch whose members come and go.

    job = gleaner.init(model, optimizer)
    loader = gleaner.DataLoader(dataset, batch_size=64)
    for batch in job.steps(loader, passes=10):
        job.backward(loss_fn(batch))
        job.step()
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import Any, Callable, Iterator, List, Mapping, Optional, Union

import torch
from torch import Tensor
from torch.nn import Module
from torch.optim import Optimizer

from . import core, device, memory
from .buffers import Buffers
from .busy import Busy
from .evaluation import Evaluation
from .following import Settings, why_copied
from .gradients import Gradients
from .converted import converted
from .loader import DataLoader
from .means import Mean, Means, Number, number
from .parameters import Frozen, Parameters
from .randomness import seed_all
from .reductions import Reduced, Reductions
from .refusals import check_model, check_optimizer
from .state import State
from .trial_weight import TrialWeight
from .update import Update

#: For which a member whose loop was left may go on, to say why.
_LAST_WORDS_S = 2.0


def _limit(micro_batch_max: Optional[int]) -> int:
    if micro_batch_max is not None and micro_batch_max < 1:
        raise ValueError(
            f"micro_batch_max is {micro_batch_max} (samples that are computed at "
            "once) [use 1 or more, or None for no limit]"
        )
    return micro_batch_max or 0


class Job:
    """One training.  Made by gleaner.init(); see doc/python.md."""

    def __init__(
        self,
        model: Module,
        optimizer: Optimizer,
        scheduler: Optional[Any] = None,
        scaler: Optional[Any] = None,
        clip_norm: Optional[float] = None,
        ema: Optional[Any] = None,
        update: Optional[Callable[[], None]] = None,
        state: Optional[Mapping[str, Any]] = None,
        scheduler_every: str = "step",
        pickles: bool = False,
        batch_norm: Optional[str] = None,
        micro_batch_max: Optional[int] = None,
    ) -> None:
        check_model(model, batch_norm)
        check_optimizer(optimizer, model)
        self._micro_batch_max = _limit(micro_batch_max)
        self.model = model
        #: True when the training is over; a released member's stays False.
        self.finished = False
        self._scaler = scaler
        usual = Update(
            model, optimizer, scheduler, scaler, clip_norm, ema, scheduler_every
        )
        objects = {f"user:{name}": thing for name, thing in (state or {}).items()}
        objects.update(usual.objects())
        self._run_update: Callable[[int], None] = usual
        self._usual, self._copied_why = usual, why_copied(usual, update is not None)
        if update is not None:
            own_update = update
            self._run_update = lambda _pass: own_update()
        self._parameters = Parameters(model, optimizer)
        objects["frozen"] = Frozen(self._parameters)
        by_share = batch_norm == "share" or core.deterministic()
        self._buffers = Buffers(model, by_share, self._parameters.frozen)
        self._state = State(model, optimizer, ema, objects, pickles)
        self._training: Optional[core.Training] = None
        self._gradients: Optional[Gradients] = None
        self._info: Optional[core.Step] = None
        self._over: Optional[int] = None  # released within a step
        self._means = Means()
        self._settings: Optional[Settings] = None  # where joiners follow
        self._reductions = Reductions()
        self._waited_ms = 0.0  # for the samples of the step
        self._wants_stop = False
        self._steps_max: Optional[int] = None
        self._owner_calls: List[Callable[[bool], None]] = []
        self._is_owner = False
        self._in_part = False
        self._fitted = 0  # samples that were computed at once
        self._busy = Busy(self._say_busy)
        self._weight: Optional[float] = None  # set before the training was open
        self._trial_weight = TrialWeight()
        self._begin_nothing()

    # The loop.

    def steps(
        self, loader: DataLoader, passes: int = 1, max_steps: Optional[int] = None
    ) -> Iterator[Any]:
        """The batches of this member, step by step, until all passes are over,
        or step `max_steps`, or the member is released.  The loop's body must call
        step() once; it ends the training early by stop(), not by `break`.

        A step may come in several batches of other samples, one after the
        other: with `micro_batch_max`, when members were lost in it, or in
        deterministic mode.  step() returns False before the last of them."""
        if self._info is not None or self._training is not None:
            raise RuntimeError("job.steps() was called before [make another job]")
        self._steps_max = max_steps
        loader = converted(loader)
        loader.open()  # its workers are to have none of our connections
        try:
            training = self._join(loader, passes)
            code = training.start()
            if self._settings is not None:
                self._settings.note()  # those of the others, now
            while code in (core.OK, core.STEP):
                code, info = training.step()
                if info is not None:
                    yield from self._one_step(training, loader, info)
                    code = code if self._over is None else self._over
            self.finished = code == core.DONE
        except GeneratorExit:
            # The loop was left, mostly by an exception, which Python shows later.
            if self._training is not None:
                registered = (self._gradients, self._state)
                self._training.close_soon(_LAST_WORDS_S, registered)
            raise
        finally:
            loader.close()
            self._leave()

    def backward(
        self, loss: Tensor, *, n: Optional[int] = None, weight: Optional[Number] = None
    ) -> None:
        """Compute gradients and add them up.

        `loss`, a scalar, is a mean over `n` samples, by default over all of the
        batch.  In parts: call once for each, with its n.  With `weight`, loss is
        a sum over that many tokens (or whatever counts), and the gradient of the
        step becomes that of the sum over all members / the weights of all."""
        info, gradients = self._in_step("job.backward()")
        if weight is None:
            n = len(info.samples) if n is None else n
            self._computed += n
            if self._computed > len(info.samples):
                self._check_computed(info)
            loss = loss * (n / info.global_batch)
        else:
            self._weighted = True
            gradients.set_weight(number(weight))
        whole = not self._weighted and self._computed == len(info.samples)
        # What is on its way to others cannot be computed again, in smaller parts.
        gradients.before_backward(whole and not self._may_not_fit(info))
        if self._scaler is not None:
            loss = self._scaler.scale(loss)
        loss.backward()
        gradients.after_backward()

    def step(self) -> bool:
        """Reduce gradients over all members and update.  True when the step is
        done; False when another batch of it is to be computed first, or when
        this member was released: others go on."""
        if self._again:
            return False
        info, gradients = self._in_step("job.step()")
        self._check_computed(info)
        self._parameters.check()
        gradients.finish()
        self._reductions.put(gradients.reductions)
        self._buffers.add(gradients, info)
        if self._wants_stop:
            gradients.vote_to_stop()
        training = self._open_training()
        code = training.reduce()
        self._fitted = max(self._fitted, len(info.samples))
        self._stepped = True
        self._more = code == core.MORE
        if code != core.OK:
            self._over = code if not self._more else None
            gradients.hide()
            return False
        self._means.take(gradients)
        self._reductions.take(gradients.reductions)
        if self._settings is not None and not self._settings.changed():
            training.apply()  # it runs _update(), which joiners repeat
        else:
            self._update()
        last = self._steps_max is not None and info.step >= self._steps_max
        if gradients.stops or last:
            training.stop()
        training.log("loader_wait_ms", self._waited_ms, 1)
        return True

    @contextmanager
    def part(self) -> Iterator[None]:
        """Around what is computed with a batch, from the model to step().  When
        memory does not suffice for it, the step begins again with batches of half
        the size, and later steps have them, too: the exception goes no further,
        and the loop is given the first of them.  It is raised for a batch of one
        sample, in deterministic mode, and in the update."""
        info, _ = self._in_step("job.part()")
        self._in_part = True
        try:
            yield
        except (RuntimeError, MemoryError) as why:
            fixed = info.shards > 0 or len(info.samples) < 2
            if fixed or self._stepped or not memory.is_missing(why):
                raise
            self._halve(info, why)
        finally:
            self._in_part = False

    def _halve(self, info: core.Step, why: BaseException) -> None:
        try:
            code = self._open_training().again((len(info.samples) + 1) // 2)
        except core.GleanerError as refused:
            raise why from refused
        self._again = True
        self._fitted = 0  # of samples like these it is not known
        self._over = None if code == core.MORE else code
        self._means.clear()
        self._reductions.drop()
        if self._gradients is not None:
            self._gradients.hide()

    def _may_not_fit(self, info: core.Step) -> bool:
        return self._in_part and len(info.samples) > self._fitted

    @property
    def stopping(self) -> bool:
        """In the update: some member has called stop(), so this step is the last."""
        return self._gradients is not None and self._gradients.stops

    def seed(self) -> None:
        """Set all generators of random numbers as they are at the begin of this
        part of the step."""
        self._seed(self._info_now())

    def on_owner(self, call: Callable[[bool], None]) -> None:
        """For what one member does outside: call(True) at the begin of the first
        step in which this member is rank 0, call(False) at the begin of the first in
        which it is not any more, or when its loop ends.  A member that is lost calls
        nothing; its successor's call(True) finds what it has left."""
        self._owner_calls.append(call)
        if self._is_owner:
            call(True)

    def _owns(self, is_owner: bool) -> None:
        if is_owner != self._is_owner:
            self._is_owner = is_owner
            for call in self._owner_calls:
                call(is_owner)

    def stop(self) -> None:
        """End the training early, for all members: after the step under way, or,
        when step() was called already, after the next one.  One member's word is
        enough."""
        self._wants_stop = True

    # What a loop tells and asks.

    def log(self, values: Mapping[str, Number], n: Optional[int] = None) -> None:
        """Report values, each averaged over n samples: by default those of the
        batch.  The mean over all members is shown when the step can no longer
        be undone."""
        info = self._info_now()
        n = len(info.samples) if n is None else n
        if n == 0 or self._over is not None or self._again:
            return
        for key, value in values.items():
            self._open_training().log(key, number(value), n)

    def mean(self, value: Number, n: Optional[int] = None) -> Mean:
        """The mean of `value` over all samples of the step, given its mean over
        n of this batch's (by default all).  Call before step(), in the same
        order on all members; known when step() is True.  At most 16 in a step."""
        info, gradients = self._in_step("job.mean()")
        n = len(info.samples) if n is None else n
        return self._means.add(gradients, number(value) * n / info.global_batch)

    def all_reduce(
        self, values: Mapping[str, Number], n: float = 1, op: str = "mean"
    ) -> Reduced:
        """Means over all members, each weighted by its n, or op="sum": known after the
        next step() that is True.  Call it with the same names on all members; one
        that has nothing to report need not call it.  A member that leaves or is lost
        before that step is missing: `.n` tells over how many the means are."""
        if op not in ("mean", "sum"):
            raise ValueError(f"op is '{op}' [use 'mean' or 'sum']")
        numbers = {name: number(value) for name, value in values.items()}
        if self._training is None:
            return self._reductions.alone(numbers, n, op == "mean")
        return self._reductions.add(numbers, n, op == "mean")

    def evaluate(
        self,
        dataset: Any,
        batch_size: Optional[int] = None,
        limit_s: float = 3600,
        **options: Any,
    ) -> Evaluation:
        """This member's share of a dataset, in batches, the model in evaluation
        mode and without gradients; see Evaluation.  Within a step; after the
        loop each member gets all of it.  Nothing when step() returned False:
        the step's last batch evaluates.  The member is busy() meanwhile."""
        size = batch_size or self._batch_size
        busy = self.busy("evaluation", limit_s)
        if self._training is None:
            return Evaluation(self.model, dataset, size, 0, 1, busy, **options)
        info = self._info_now()
        if self._more or self._over is not None:
            return Evaluation(self.model, [], size, 0, 1, busy, **options)
        share = (info.rank, info.world_size)
        return Evaluation(self.model, dataset, size, *share, busy, **options)

    @contextmanager
    def busy(self, why: str, limit_s: float) -> Iterator[None]:
        """For at most limit_s seconds this member may keep the others waiting:
        it compiles, writes a file, works alone.  Without, a member that all
        others wait for counts as stuck in the end, and is replaced."""
        with self._busy.during(why, limit_s):
            yield

    def set_weight(self, weight: float) -> None:
        """How much this training matters from now on among its user's, 0.1 to 10:
        the nodes that they have together are shared out by it.  One member's word
        is enough; the last one counts."""
        if not 0.1 <= weight <= 10:
            raise ValueError(f"set_weight({weight}): expected 0.1 to 10")
        if self._training is None:
            self._weight = weight
        else:
            self._training.set_weight(weight)

    def _say_busy(self, why: str, limit_s: float) -> None:
        if self._training is not None:  # else nobody waits
            self._training.busy(why, limit_s)

    @property
    def started(self) -> bool:
        """Whether there is, or was, a step."""
        return self._info is not None

    @property
    def rank(self) -> int:
        """Of this member in this step, from 0."""
        return self._info_now().rank

    @property
    def world_size(self) -> int:
        """Members in this step."""
        return self._info_now().world_size

    @property
    def step_number(self) -> int:
        """From 1, over all passes."""
        return self._info_now().step

    @property
    def pass_number(self) -> int:
        """From 0."""
        return self._info_now().pass_number

    @property
    def samples_seen(self) -> int:
        """Before this step, over all passes and members."""
        return self._info_now().samples_seen

    @property
    def samples(self) -> List[int]:
        """Numbers in the dataset of this member's samples of the step; of a stream,
        their places in it."""
        info = self._info_now()
        return self._numbers(info.samples, info.pass_number)

    # Inside.

    def _join(self, loader: DataLoader, passes: int) -> core.Training:
        self._batch_size, self._numbers = loader.batch_size, loader.numbers
        core.describe(self._computes_with())
        some = next(iter(self._state.trained.values()))
        if device.number_of(some) != device.HOST:
            self._copied_why = "the state is in memory of a GPU"
        core.copies(self._copied_why)
        core.buffers_are_equal()  # averaged, or compared in each step: buffers.py
        self._training = core.Training(
            dataset_size=loader.size,
            global_batch=loader.batch_size,
            passes=passes,
            seed=loader.seed,
            drop_last=loader.drop_last,
            micro_batch_max=self._micro_batch_max,
        )
        if self._weight is not None:
            self._training.set_weight(self._weight)
        if not self._copied_why:
            self._training.on_update(self._update)
        sizes = self._buffers.sizes()
        self._gradients = Gradients(self._training, self._state.trained, *sizes)
        self._state.register(self._training)
        if not self._copied_why:
            self._settings = Settings(self._usual, self._state.updated())
        self._parameters.begin()
        self._buffers.open()
        if loader.ahead:
            foresee = self._training.samples_ahead
            self._training.loads_ahead(loader.ahead, lambda: loader.begin(foresee))
        return self._training

    def _computes_with(self) -> str:
        words = f"torch {torch.__version__}, {torch.get_num_threads()} threads"
        number = device.number_of(next(iter(self._state.trained.values())))
        return words if number == device.HOST else f"{words}, {device.name_of(number)}"

    def _leave(self) -> None:
        """Gradients are views of memory that goes with the membership."""
        self._owns(False)
        if self._gradients is not None:
            self._gradients.detach()
        self._buffers.close()
        if self._training is not None:
            self._training.close()
        self._gradients = self._training = None

    def _one_step(
        self, training: core.Training, loader: DataLoader, info: core.Step
    ) -> Iterator[Any]:
        self._waited_ms = 0.0
        begun_with = -1
        while True:
            self._begin(info)
            # A joiner whose first step is lost is given another state, and a step.
            first = begun_with != self._state.given
            begun_with = self._state.given
            self._buffers.begin(info, first)
            if first:
                self._reductions.drop()
            if info.samples:
                foresee = training.samples_ahead
                batch = loader.load(info.samples, foresee, info.pass_number)
                self._waited_ms += loader.wait_ms
                self._seed(info)  # to load draws numbers too, now and then
                yield batch
                del batch
                if not self._stepped and not self._again:
                    raise RuntimeError(
                        "the loop's body ended without job.step() [call it once in "
                        "each step, also before 'continue']"
                    )
                self._parameters.check_numbers()
            else:
                self._step_without_samples()
            if self._again:
                memory.release()
            if self._over is not None or not (self._more or self._again):
                return
            info = training.step_now()

    def _step_without_samples(self) -> None:
        """More members than samples: the others' count."""
        self._make_scale()
        self.step()

    def _make_scale(self) -> None:
        if self._scaler is not None:  # it makes it in the first call
            some = next(iter(self._state.trained.values()))
            self._scaler.scale(some.new_zeros(1))

    def _begin_nothing(self) -> None:
        self._computed = 0  # samples that backward() has seen
        self._weighted = False
        self._stepped = False
        self._more = False  # another batch of this step follows
        self._again = False  # from the step's first batch on
        self._means.begin()

    def _begin(self, info: core.Step) -> None:
        self._info = info
        self._begin_nothing()
        self._owns(info.rank == 0)
        weight = self._trial_weight.news() if info.rank == 0 else None
        if weight is not None:
            self.set_weight(weight)
        assert self._gradients is not None
        self._gradients.begin()
        self._seed(info)

    def _seed(self, info: core.Step) -> None:
        """Members draw other numbers, and a step the same ones again; a shard
        draws its own, whose ever it is."""
        seed_all((info.rng_seed + (0 if info.shards else info.rank)) % 2**63)

    def _check_computed(self, info: core.Step) -> None:
        if self._weighted and self._computed:
            raise RuntimeError(
                "job.backward() was called with and without weight in one step"
            )
        if not self._weighted and self._computed != len(info.samples):
            raise RuntimeError(
                f"job.backward() has seen {self._computed} of this member's "
                f"{len(info.samples)} samples (the gradient would be wrong) [call it "
                "for the whole batch, or for its parts with n=; loss.backward() "
                "does not count]"
            )

    def _update(self) -> None:
        """Everything between the reduction and the next step.  A joiner that
        follows makes it before its first step: it gets buffers afterwards."""
        assert self._gradients is not None
        self._gradients.take_result(self._weighted)
        if self._info is None:
            self._make_scale()
            self._run_update(self._open_training().step_now().pass_number)
        else:
            self._buffers.take(self._gradients, self._info)
            self._run_update(self._info.pass_number)
        self._state.settle()
        self._parameters.check_places()
        self._parameters.updated()
        if self._settings is not None:
            self._settings.note()

    def _open_training(self) -> core.Training:
        if self._training is None:
            raise RuntimeError("the training is over, or has not begun")
        return self._training

    def _info_now(self) -> core.Step:
        if self._info is None:
            raise RuntimeError(
                "there is no step yet [use it in the loop of job.steps()]"
            )
        return self._info

    def _in_step(self, call: str) -> "tuple[core.Step, Gradients]":
        over = self._stepped or self._again
        if self._gradients is None or self._info is None or over:
            raise RuntimeError(
                f"{call} outside of a step [call it in the loop of job.steps(), "
                "before job.step()]"
            )
        return self._info, self._gradients


def init(
    model: Module,
    optimizer: Optimizer,
    scheduler: Optional[Any] = None,
    scaler: Optional[Any] = None,
    clip_norm: Optional[float] = None,
    ema: Optional[Any] = None,
    update: Optional[Callable[[], None]] = None,
    state: Optional[Mapping[str, Any]] = None,
    scheduler_every: str = "step",
    pickles: bool = False,
    batch_norm: Optional[str] = None,
    micro_batch_max: Optional[int] = None,
) -> Job:
    """Prepare a training; raises Unsupported for what Gleaner cannot train.

    After each reduction the job unscales (`scaler`), clips to `clip_norm`, steps
    the optimizer, the `scheduler` (every "step" or every "pass") and the average
    (`ema`: update_parameters(model) or update()).  `update`, without arguments,
    does something else instead.  `state`: further objects that joiners and
    checkpoints must have, by name: dicts, or with state_dict() and
    load_state_dict().

    What others send and what checkpoints hold is read without running code.
    `pickles`: objects that only a pickle can carry are sent and read too, which
    may run any code of who sent them or wrote the checkpoint.

    `batch_norm="share"`: batch normalisation may be of a member's share of the
    batch, whose size changes with the members; it is refused otherwise.

    `micro_batch_max`: samples that fit a member's memory at once.  A larger share of
    a step comes in several batches.  Members may have different ones.  See also
    Job.part(), which finds it."""
    return Job(
        model,
        optimizer,
        scheduler,
        scaler,
        clip_norm,
        ema,
        update,
        state,
        scheduler_every,
        pickles,
        batch_norm,
        micro_batch_max,
    )
