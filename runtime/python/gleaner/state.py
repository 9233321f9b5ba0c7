# SPDX-License-Identifier: Apache-2.0
"""Which memory and which objects are the state of a training in PyTorch.

Tensors are registered where they lie, under the names of the model's
state_dict(); the optimizer's as `optimizer:PARAMETER:ENTRY`, those of an
averaged model as `ema:NAME`.  All else is registered as blobs; see encoding.py.
`gleaner.load()` puts them together again.
"""

from __future__ import annotations

import types
from typing import Any, Callable, Dict, List, Mapping, Optional

import torch
from torch import Tensor
from torch.nn import Module, Parameter
from torch.optim import Optimizer

from . import core, device
from .device import DEVICES
from .encoding import NotPlain, from_bytes, to_bytes
from .optimizer_state import OptimizerState
from .refusals import Unsupported

# What libgleaner knows; other types are moved as bytes.
_NATIVE = {
    torch.float32: core.FLOAT32,
    torch.float64: core.FLOAT64,
    torch.int64: core.INT64,
    torch.uint8: core.UINT8,
    torch.float16: core.FLOAT16,
    torch.bfloat16: core.BFLOAT16,
}


class State:
    """Everything that a joiner must receive, apart from trained parameters."""

    def __init__(
        self,
        model: Module,
        optimizer: Optimizer,
        ema: Optional[Any],
        objects: Mapping[str, Any],
        pickles: bool = False,
    ) -> None:
        self._model = model
        self._pickles = pickles
        self._ema = ema if isinstance(ema, Module) else None
        self._objects = dict(objects)
        if ema is not None and self._ema is None:
            self._objects["ema"] = ema
        self.trained: Dict[str, Parameter] = {
            name: parameter
            for name, parameter in model.named_parameters()
            if parameter.requires_grad
        }
        names = {id(p): name for name, p in model.named_parameters()}
        self.optimizer = OptimizerState(optimizer, names)
        self._buffers: Dict[str, Tensor] = {}  # registered, by name
        self._layout: Dict[str, Any] = {}
        #: How often another state was loaded: a member's, or a checkpoint's.
        self.given = 0
        # Now, not when the first member joins.
        for name, thing in self._objects.items():
            self._written(name, saver(thing)())

    def register(self, training: core.Training) -> None:
        """All but what Gradients registers: the trained parameters."""
        for name, tensor in self._untrained().items():
            # Frozen parameters are compared among members, as the optimizer's
            # state is; buffers are not.
            role = core.BUFFER if name in self._buffers else core.OPTIMIZER
            self._add(training, name, tensor, role)
        for (name, entry), room in self.optimizer.rooms.items():
            self._add(training, f"optimizer:{name}:{entry}", room, core.OPTIMIZER)
        if self._ema is not None:
            for name, tensor in self._ema.state_dict(keep_vars=True).items():
                # Averages of parameters are made by updates, as these are.
                made = isinstance(tensor, Parameter)
                role = core.OPTIMIZER if made else core.BUFFER
                self._add(training, f"ema:{name}", tensor.detach(), role)
        self._add_blob(training, "optimizer", self.optimizer.save, self.optimizer.load)
        # Made by the registering program; only gleaner.load() reads it.
        self._add_blob(training, "layout", lambda: self._layout, self._note_given)
        self._layout = {"tensors": self._layout, "same": self._aliases()}
        for name, thing in sorted(self._objects.items()):
            save, load = saver(thing), _loader(thing)
            self._add_blob(training, f"state:{name}", save, load)

    def _note_given(self, _: Any) -> None:
        self.given += 1

    def updated(self) -> List[Tensor]:
        """What only updates may change, beside the model's parameters."""
        ema = [] if self._ema is None else list(self._ema.parameters())
        return [*self.optimizer.rooms.values(), *ema]

    def settle(self) -> None:
        """After an update: let all live in the registered memory again."""
        self.optimizer.move_in()
        for module_name, module in self._model.named_modules():
            for key, buffer in module._buffers.items():
                name = f"{module_name}.{key}" if module_name else key
                home = self._buffers.get(name)
                if buffer is not None and home is not None and buffer is not home:
                    home.copy_(buffer)
                    module._buffers[key] = home

    def _untrained(self) -> Dict[str, Tensor]:
        """Buffers that are saved, and frozen parameters."""
        found: Dict[str, Tensor] = {}
        seen = {id(p) for p in self.trained.values()}
        for name, tensor in self._model.state_dict(keep_vars=True).items():
            if not isinstance(tensor, Tensor) or id(tensor) in seen:
                continue
            seen.add(id(tensor))
            found[name] = tensor
        self._buffers = {
            name: t for name, t in found.items() if not isinstance(t, Parameter)
        }
        return {name: tensor.detach() for name, tensor in found.items()}

    def _aliases(self) -> Dict[str, str]:
        """Names in state_dict() that mean a tensor with another name too."""
        first: Dict[int, str] = {id(p): name for name, p in self.trained.items()}
        same: Dict[str, str] = {}
        for name, tensor in self._model.state_dict(keep_vars=True).items():
            known = first.setdefault(id(tensor), name)
            if known != name:
                same[name] = known
        return same

    def _add(
        self, training: core.Training, name: str, tensor: Tensor, role: int
    ) -> None:
        if not tensor.is_contiguous() or tensor.device.type not in DEVICES:
            raise TypeError(
                f"cannot register '{name}' (it is not contiguous memory of the CPU or "
                "of a GPU of CUDA's) [make it contiguous, where the parameters are]"
            )
        shape, dtype = tuple(tensor.shape), _NATIVE.get(tensor.dtype)
        if dtype is None:
            shape = (tensor.numel() * tensor.element_size(),)
            dtype = core.UINT8
            self._layout[name] = (tensor.dtype, tuple(tensor.shape))
        number = device.number_of(tensor)
        training.tensor(name, tensor.data_ptr(), dtype, shape, role, number)

    def _add_blob(
        self,
        training: core.Training,
        name: str,
        save: Callable[[], Any],
        load: Callable[[Any], Any],
    ) -> None:
        def load_bytes(data: bytes) -> None:
            load(self._read(name, data))

        training.blob(name, lambda: self._written(name, save()), load_bytes)

    def _written(self, name: str, value: Any) -> bytes:
        try:
            return to_bytes(value, self._pickles)
        except NotPlain as what:
            raise Unsupported(
                f"'{name}' cannot be sent to joiners (it holds a {what}, which only "
                "a pickle can carry, and reading a pickle may run any code) [let its "
                "state_dict() hold numbers, text, tensors and collections; or "
                "gleaner.init(..., pickles=True), if you trust all members and "
                "checkpoints]"
            ) from what

    def _read(self, name: str, data: bytes) -> Any:
        try:
            return from_bytes(data, trust=self._pickles)
        except NotPlain as what:
            raise Unsupported(
                f"'{name}' is not taken from another member or a checkpoint (it is "
                f"{what}: reading it may run any code) [gleaner.init(..., "
                "pickles=True), if you trust it]"
            ) from what


def saver(thing: Any) -> Callable[[], Any]:
    """What gives its state, to be sent."""
    if isinstance(thing, dict):
        return lambda: thing

    def save() -> Any:
        saved = thing.state_dict()
        if not isinstance(saved, dict):
            return saved
        # PyTorch 1.13's OneCycleLR names a method of its own, which every copy has.
        return {key: value for key, value in saved.items() if not _owns(thing, value)}

    return save


def _owns(thing: Any, value: Any) -> bool:
    """Whether this is a method of the object, under its own name."""
    if not isinstance(value, (types.FunctionType, types.MethodType)):
        return False
    return bool(getattr(thing, value.__name__, None) == value)


def _loader(thing: Any) -> Callable[[Any], Any]:
    if isinstance(thing, dict):

        def load(saved: Dict[Any, Any]) -> None:
            thing.clear()
            thing.update(saved)

        return load

    def load_object(saved: Any) -> None:
        if saved:  # a disabled GradScaler saves nothing, and takes nothing back
            thing.load_state_dict(saved)

    return load_object
