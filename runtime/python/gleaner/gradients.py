# SPDX-License-Identifier: Apache-2.0
"""Where autograd adds gradients up: directly in the memory Gleaner reduces.

Each parameter's `.grad` is a view of that memory, so nothing is copied.  Small
tensors more ride along and are added up over all members too.  *sums*:

    [0]              weight of the step, when losses are weighted by tokens
    [1]              not 0: a member wants to stop
    [2 : ]           per parameter: how many members' losses depended on it
    [... : ]         digests of buffers

*means*, the values of Job.mean() and Job.all_reduce(), and *statistics*, those of normalisation layers,
are tensors of their own: in deterministic mode one number that is infinite spoils
all numbers of its tensor.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import Any, Callable, Dict, Iterator, List, NoReturn, Set

import torch
from torch import Tensor
from torch.nn import Parameter

from . import core, device
from .early import Early
from .reductions import SLOTS
from .versions import Versions

MEANS = 16  # and after them the numbers of reductions.py
_HEAD = 2
DTYPES = {
    torch.float32: core.FLOAT32,
    torch.float64: core.FLOAT64,
    torch.float16: core.FLOAT16,
    torch.bfloat16: core.BFLOAT16,
}


def _register(training: core.Training, name: str, tensor: Tensor) -> Tensor:
    """Register a parameter; a view of its gradient, of the same shape."""
    number = device.number_of(tensor)
    dtype, shape = DTYPES[tensor.dtype], tuple(tensor.shape)
    training.tensor(name, tensor.data_ptr(), dtype, shape, core.PARAM, number)
    if tensor.numel() == 0:
        return torch.zeros_like(tensor, requires_grad=False)
    address = training.gradient(name)
    if number != device.HOST:
        return device.tensor_at(address, tensor)
    memory = core.memory_at(address, tensor.numel() * tensor.element_size())
    return torch.frombuffer(memory, dtype=tensor.dtype).view(tensor.shape)


@contextmanager
def _unfrozen(parameter: Parameter) -> Iterator[None]:
    """A parameter that is frozen at first has hooks, too."""
    was = parameter.requires_grad
    parameter.requires_grad_(True)
    yield
    parameter.requires_grad_(was)


class Gradients:
    """The gradients of a model's parameters and the sums beside them."""

    def __init__(
        self,
        training: core.Training,
        parameters: Dict[str, Parameter],
        digests: int = 0,
        statistics: int = 0,
    ) -> None:
        self._names = list(parameters)
        self._parameters = list(parameters.values())
        self._touched: Set[int] = set()
        first = self._parameters[0]
        # Buckets run from what is registered last to what is first, so that
        # sums, known only when backward is over, travel at the end.
        # Numbers of 16 bits would be too coarse to count with.
        double = first.dtype == torch.float64
        self._memory = [
            torch.zeros(
                size,
                dtype=torch.float64 if double else torch.float32,
                device=first.device,
            )
            for size in (statistics, MEANS + SLOTS, _HEAD + len(self._parameters) + digests)
        ]
        self._gpu = device.number_of(first)
        #: What others add up; see buffers.py.
        self.statistics = self._memory[0]
        if statistics:
            self.statistics = _register(
                training, "gleaner:statistics", self._memory[0]
            )
        self.means = _register(training, "gleaner:means", self._memory[1])
        self.sums = _register(training, "gleaner:sums", self._memory[2])
        self._views = [
            _register(training, name, parameter.detach())
            for name, parameter in parameters.items()
        ]
        self._end = _HEAD + len(self._parameters)
        self._versions = Versions(self._views)
        self._added = False  # something to the gradients, in this share
        self.stops = False
        self._training = training
        self._early = Early(parameters)
        self._nodes: List[object] = []  # of autograd, kept for their hooks
        self._hooks = []
        for i, parameter in enumerate(self._parameters):
            with _unfrozen(parameter):
                self._hooks.append(parameter.register_hook(self._note_use(i)))
                self._hooks.append(self._when_added(parameter, self._note_ready(i)))
        self.tell_stream()

    def begin(self) -> None:
        """Before the forward pass.  The memory is zero, or holds what another
        share of the step gave."""
        self._touched.clear()
        self._added = False
        self.tell_stream()
        self.hide()

    def hide(self) -> None:
        """Until job.backward(): zero_grad() finds nothing that it could clear."""
        for parameter in self._parameters:
            parameter.grad = None

    def before_backward(self, last: bool) -> None:
        """`last`: after it nothing more is added in this step, so that what is
        complete is reduced while backward goes on.

        optimizer.zero_grad(set_to_none=True) takes the views away; they are put
        back."""
        self._early.begin(last)
        if self._added:
            self._check_unchanged()
        for i, (parameter, view) in enumerate(zip(self._parameters, self._views)):
            if parameter.grad is None:
                parameter.grad = view
            elif parameter.grad is not view:
                self._refuse_replaced(i)

    def after_backward(self) -> None:
        """All that backward added is known now."""
        self._added = True
        self._early.end(self._versions)
        self._versions.note()

    def finish(self) -> None:
        """Backward is over: fill in what the members must know of it."""
        for i, (parameter, view) in enumerate(zip(self._parameters, self._views)):
            gradient = parameter.grad
            if gradient is not view and (gradient is not None or i in self._touched):
                self._refuse_replaced(i)
        if self._added:
            self._check_unchanged()
        if len(self._touched) == len(self._parameters):
            self.sums[_HEAD : self._end] = 1
        elif self._touched:
            self.sums[[_HEAD + i for i in self._touched]] = 1
        self.tell_stream()

    def take_result(self, weighted: bool) -> None:
        """After the reduction: divide by the weight, and hide the gradients of
        parameters that no member's loss depended on."""
        sums = self.sums[: self._end].tolist()
        weighted = weighted or sums[0] != 0  # others', if this one had no batch
        #: Some member voted for the end.
        self.stops = sums[1] != 0
        if weighted and not sums[0] > 0:
            raise ValueError(
                f"the weights of a step add up to {sums[0]} (the gradient is "
                "divided by it) [weights must be positive]"
            )
        for i, (parameter, view) in enumerate(zip(self._parameters, self._views)):
            if sums[_HEAD + i] == 0:
                parameter.grad = None
                continue
            parameter.grad = view
            if weighted:
                view.div_(sums[0])

    @property
    def digests(self) -> Tensor:
        """Sums of what is compared among members."""
        return self.sums[self._end :]

    def tell_stream(self) -> None:
        """On which stream gradients are computed, if they are on a GPU."""
        if self._gpu != device.HOST:
            self._training.stream(device.stream_of(self._gpu))

    def set_weight(self, weight: float) -> None:
        """Add to the weight of the step."""
        self.sums[0] += weight

    def vote_to_stop(self) -> None:
        """This member's word for the step."""
        self.sums[1] = 1

    def add_to_mean(self, slot: int, part: float) -> None:
        """Add to this member's part of a mean."""
        self.means[slot] += part

    @property
    def reductions(self) -> Tensor:
        """What Job.all_reduce() adds up."""
        return self.means[MEANS:]

    def mean(self, slot: int) -> float:
        """After the reduction: the mean over all members."""
        return float(self.means[slot])

    def detach(self) -> None:
        """Before the memory goes: nobody shall look at it any more."""
        for hook in self._hooks:
            hook.remove()
        for parameter in self._parameters:
            parameter.grad = None
        self._views = []
        self._nodes = []
        self.sums = self.means = self.statistics = torch.zeros(0)

    def _refuse_replaced(self, i: int) -> NoReturn:
        raise RuntimeError(
            f"the gradient of '{self._names[i]}' was replaced (only job.backward() "
            "may compute gradients, without create_graph) [do not assign .grad, do "
            "not call loss.backward(), and call zero_grad() before job.backward() "
            "or not at all]"
        )

    def _check_unchanged(self) -> None:
        i = self._versions.changed()
        if i is not None:
            raise RuntimeError(
                f"the gradient of '{self._names[i]}' was changed between "
                "job.backward() and job.step() (it is this member's part, and may be "
                "on its way to the others) [clip with gleaner.init(clip_norm=...); "
                "make other changes in gleaner.init(update=...), which finds the "
                "gradient of all members; call zero_grad() before job.backward()]"
            )

    def _note_use(self, i: int) -> Callable[[Tensor], None]:
        def note(gradient: Tensor) -> None:
            if gradient.layout != torch.strided:
                raise TypeError(
                    f"the gradient of '{self._names[i]}' is sparse (Gleaner "
                    "reduces dense ones) [use sparse=False]"
                )
            self._touched.add(i)

        return note

    def _note_ready(self, i: int) -> Callable[..., None]:
        name, parameter, view = (
            self._names[i].encode(),
            self._parameters[i],
            self._views[i],
        )

        def note(*_: object) -> None:
            if self._early.is_complete(i) and parameter.grad is view:
                self._versions.note_one(i)
                self.tell_stream()  # autograd has threads and streams of its own
                self._training.gradient_ready(name)

        return note

    def _when_added(self, parameter: Parameter, call: Callable[..., None]) -> Any:
        """Call it after autograd has added to this parameter's gradient."""
        if hasattr(parameter, "register_post_accumulate_grad_hook"):
            return parameter.register_post_accumulate_grad_hook(call)
        node = parameter.expand_as(parameter).grad_fn.next_functions[0][0]
        self._nodes.append(node)
        return node.register_hook(call)
