# SPDX-License-Identifier: Apache-2.0
"""An optimizer's state as registered memory, though it is made lazily.

PyTorch optimizers make their state in the first step, and a joiner that has
done no step must have room for it.  So for each parameter in turn a copy of the
optimizer does one step of a stand-in with a zero gradient, only to show which
tensors there will be.  Room for these is registered; the copy is thrown away.  The
true first step makes its state as ever, with its own initial values, which then
moves into that room: the numbers are those of the plain program.
"""

from __future__ import annotations

import copy
from collections import defaultdict
from typing import Any, Dict, Tuple

import torch
from torch import Tensor
from torch.nn import Parameter
from torch.optim import Optimizer

Key = Tuple[str, str]  # parameter, entry: ("fc.weight", "exp_avg")


class _Trial:
    """A copy of an optimizer, which steps one parameter at a time."""

    def __init__(self, optimizer: Optimizer) -> None:
        self._optimizer = optimizer
        self._copy = copy.copy(optimizer)

    def state_of(self, parameter: Parameter, group: Dict[str, Any]) -> Dict[str, Any]:
        """The state of this parameter after a step."""
        stand_in = Parameter(torch.zeros_like(parameter))
        stand_in.grad = torch.zeros_like(parameter)
        self._copy.state = defaultdict(dict)
        if parameter in self._optimizer.state:
            known = self._optimizer.state[parameter]
            self._copy.state[stand_in] = copy.deepcopy(known)
        options = {key: value for key, value in group.items() if key != "params"}
        self._copy.param_groups = [{**copy.deepcopy(options), "params": [stand_in]}]
        # Not its step(): schedulers put a method of the original's there.
        type(self._copy).step(self._copy)
        return self._copy.state[stand_in]


class OptimizerState:
    """`rooms` maps each entry to the tensor that is registered for it."""

    def __init__(self, optimizer: Optimizer, names: Dict[int, str]) -> None:
        self._optimizer = optimizer
        self._named: Dict[str, Parameter] = {}
        self.rooms: Dict[Key, Tensor] = {}
        trial = _Trial(optimizer)
        for group in optimizer.param_groups:
            for parameter in group["params"]:
                name = names[id(parameter)]
                self._named[name] = parameter
                for entry, value in trial.state_of(parameter, group).items():
                    if isinstance(value, Tensor):
                        self.rooms[(name, entry)] = torch.zeros(
                            value.shape, dtype=value.dtype, device=value.device
                        )
        self.move_in()  # of an optimizer that was used or loaded before

    def move_in(self) -> None:
        """Let the optimizer's tensors live in the registered memory."""
        for name, parameter in self._named.items():
            state = self._optimizer.state.get(parameter, {})
            for entry, value in state.items():
                if not isinstance(value, Tensor):
                    continue
                room = self.rooms.get((name, entry))
                if room is value:
                    continue
                if room is None or room.shape != value.shape:
                    raise RuntimeError(
                        f"the optimizer made state '{entry}' of '{name}' that a "
                        "first step with zero gradients does not make (members "
                        "that join would lack it) [use another optimizer]"
                    )
                room.copy_(value)
                state[entry] = room

    def save(self) -> Dict[str, Any]:
        """All that is no tensor: hyperparameters, which entries there are."""
        entries: Dict[str, Dict[str, Any]] = {}
        for name, parameter in self._named.items():
            state = self._optimizer.state.get(parameter)
            if state:
                entries[name] = {
                    entry: None if isinstance(value, Tensor) else [value]
                    for entry, value in state.items()
                }
        groups = [
            {key: value for key, value in group.items() if key != "params"}
            for group in self._optimizer.param_groups
        ]
        order = [
            [self._name_of(p) for p in group["params"]]
            for group in self._optimizer.param_groups
        ]
        return {"groups": groups, "order": order, "entries": entries}

    def load(self, saved: Dict[str, Any]) -> None:
        """What save() gave; the registered memory has been filled."""
        for group, values in zip(self._optimizer.param_groups, saved["groups"]):
            group.update(values)
        for name, parameter in self._named.items():
            entries = saved["entries"].get(name)
            if not entries:
                self._optimizer.state.pop(parameter, None)
                continue
            self._optimizer.state[parameter] = {
                entry: self.rooms[(name, entry)] if plain is None else plain[0]
                for entry, plain in entries.items()
            }

    def _name_of(self, parameter: Parameter) -> str:
        return next(n for n, p in self._named.items() if p is parameter)
