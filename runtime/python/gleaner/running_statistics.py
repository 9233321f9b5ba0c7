# SPDX-License-Identifier: Apache-2.0
"""Which running statistics has a normalisation layer, if members see other samples?

Each share of a step begins with those that all members have.  What the layers make
of them in the share is averaged over all samples of the step, so that members,
joiners, checkpoints and evaluation have the same again.  The mean is that of the
whole batch; the variance is the mean of the shares' variances.
"""

from __future__ import annotations

from typing import Any, List, Tuple

import torch
from torch import Tensor
from torch.nn import Module

from .refusals import is_batch_norm, is_norm, refuse_batch_norm


class RunningStatistics:
    """Those of all layers of a model.  `by_share`: the program knows that batch
    normalisation is of a member's share."""

    def __init__(self, model: Module, by_share: bool) -> None:
        self._layers = [
            layer
            for layer in model.modules()
            if is_norm(layer) and layer.running_mean is not None
        ]
        self._model = model
        self._by_share = by_share
        self._hooks: List[Any] = []
        self._before: List[Tensor] = []  # this step
        self._alone = False

    def names(self) -> List[str]:
        """Of the buffers, in the model's state_dict()."""
        known = {id(tensor) for tensor in self._tensors()}
        buffers = self._model.named_buffers()
        return [name for name, buffer in buffers if id(buffer) in known]

    def open(self) -> None:
        """The training begins."""
        for name, layer in self._model.named_modules():
            if is_batch_norm(layer):
                self._hooks += _hooks_of(name, layer, self._by_share)

    def size(self) -> int:
        """Numbers that add() and take() need room for, beside the gradients."""
        return sum(tensor.numel() for tensor in self._tensors())

    def begin(self, alone: bool) -> None:
        """A step.  `alone`: all of it is one share, in which nothing changes."""
        self._alone = alone
        self._before = [tensor.clone() for tensor in self._tensors()]

    def begin_again(self) -> None:
        """Another share of the step: all begin with the same."""
        self._alone = False
        for tensor, before in zip(self._tensors(), self._before):
            tensor.copy_(before)

    def add(self, room: Tensor, weight: float) -> None:
        """The share is over; it has this part of the step's samples."""
        if not self._layers or weight == 0:
            return
        changes = [
            (tensor - before).reshape(-1).to(room)
            for tensor, before in zip(self._tensors(), self._before)
        ]
        room.add_(torch.cat(changes), alpha=weight)

    def take(self, room: Tensor) -> None:
        """The step is over; `room` holds the sums of all: the same for all."""
        if not self._layers or self._alone:
            return
        parts = room.split([tensor.numel() for tensor in self._before])
        for tensor, before, part in zip(self._tensors(), self._before, parts):
            change = part.view(before.shape)
            if not tensor.is_floating_point():
                change = change.round()
            tensor.copy_(before + change.to(tensor.dtype))

    def close(self) -> None:
        """It is over: the layers are the program's again."""
        for hook in self._hooks:
            hook.remove()
        self._hooks.clear()

    def _tensors(self) -> List[Tensor]:
        """In the model now, which may replace them."""
        return [
            tensor
            for layer in self._layers
            for tensor in (
                layer.running_mean,
                layer.running_var,
                layer.num_batches_tracked,
            )
            if tensor is not None
        ]


def _hooks_of(name: str, layer: Module, by_share: bool) -> Tuple[Any, Any]:
    """One number in each channel has no variance: it is normalised by the running
    statistics, as in evaluation."""
    switched: List[bool] = []

    def before(_: Module, inputs: Tuple[Tensor, ...]) -> None:
        after()  # the last one raised
        if layer.training and not by_share:
            refuse_batch_norm(name, layer)
        x = inputs[0]
        single = layer.training and x.numel() == x.size(1)
        if single and layer.running_mean is not None:
            layer.training = False
            switched.append(True)

    def after(*_: object) -> None:
        if switched:
            switched.clear()
            layer.training = True

    return layer.register_forward_pre_hook(before), layer.register_forward_hook(after)
