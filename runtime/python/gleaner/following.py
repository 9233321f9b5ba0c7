# SPDX-License-Identifier: Apache-2.0
"""May joiners repeat this program's updates, or must the state be copied to them?

A joiner that follows has the state of one step and the reduced gradients of those
after it; it has no batch, and does not run the loop.  So what an update does must
depend on nothing else.  That is known of PyTorch's own optimizers, schedulers,
scalers and averages, which are told by their type: a subclass may do anything.

Settings of the optimizer, which a loop may change by hand, are compared before each
update with those after the last one.
"""

from __future__ import annotations

import builtins
import functools
import inspect
import math
import os
from types import CodeType, FunctionType
from typing import Any, List, Optional, Sequence

import torch
from torch import Tensor
from torch.optim import Optimizer, lr_scheduler
from torch.optim.swa_utils import AveragedModel

from .state import saver
from .update import Update
from .versions import Versions

_OPTIMIZERS = (torch.optim.SGD, torch.optim.Adam, torch.optim.AdamW)
#: Whose rates follow from the number of their steps; some take functions.
_SCHEDULERS = {
    "ChainedScheduler",
    "ConstantLR",
    "CosineAnnealingLR",
    "CosineAnnealingWarmRestarts",
    "ExponentialLR",
    "LambdaLR",
    "LinearLR",
    "MultiStepLR",
    "OneCycleLR",
    "PolynomialLR",
    "SequentialLR",
    "StepLR",
}
_TORCH = os.path.dirname(torch.__file__) + os.sep
_PURE = ("abs", "bool", "divmod", "float", "int", "max", "min", "pow", "range", "round")
_PLAIN = (type(None), bool, int, float, str)


def why_copied(update: Update, is_own: bool) -> str:
    """Why joiners of this program cannot follow; "": they can.  `is_own`: the
    program makes its updates itself."""
    if is_own:
        return "gleaner.init(update=...) is the program's own code"
    reasons = [
        _of_optimizer(update.optimizer),
        _of_scheduler(update.scheduler),
        _of_scaler(update.scaler),
        _of_average(update.ema),
    ]
    return next(filter(None, reasons), "")


def _of_type(what: str, thing: Any, known: Sequence[type]) -> str:
    if thing is None or type(thing) in known:
        return ""
    return f"the {what} is a {type(thing).__name__}, which Gleaner does not know"


def _of_optimizer(optimizer: Optimizer) -> str:
    names = ("_optimizer_step_pre_hooks", "_optimizer_step_post_hooks")
    if any(getattr(optimizer, name, None) for name in names):
        return "the optimizer has hooks"
    step: Any = vars(optimizer).get("step", type(optimizer).step)
    while _is_torchs(step) and hasattr(step, "__wrapped__"):
        step = step.__wrapped__  # a scheduler counts the calls
    if not _is_torchs(step):
        return "optimizer.step was replaced"
    return _of_type("optimizer", optimizer, _OPTIMIZERS)


def _of_scheduler(scheduler: Optional[Any]) -> str:
    if scheduler is None:
        return ""
    name = type(scheduler).__name__
    if name not in _SCHEDULERS or type(scheduler) is not getattr(lr_scheduler, name):
        return f"the scheduler is a {name}, which Gleaner does not know"
    for part in getattr(scheduler, "_schedulers", ()):
        if why := _of_scheduler(part):
            return why
    if any(_read_by(call) is None for call in getattr(scheduler, "lr_lambdas", ())):
        return f"a function of the {name} reads more than its arguments and numbers"
    return ""


def _of_scaler(scaler: Optional[Any]) -> str:
    kind = type(scaler)  # PyTorch has one for each kind of device
    known = kind.__name__ == "GradScaler" and kind.__module__.startswith("torch.")
    return "" if known else _of_type("scaler", scaler, ())


def _of_average(ema: Optional[Any]) -> str:
    calls = [getattr(ema, name, None) for name in ("avg_fn", "multi_avg_fn")]
    if any(call is not None and _read_by(call) is None for call in calls):
        return "avg_fn of the average reads more than its arguments and numbers"
    return _of_type("average", ema, (AveragedModel,))


# What functions that the program gives to PyTorch's objects depend on.


def _is_torchs(call: Any) -> bool:
    code = getattr(getattr(call, "__func__", call), "__code__", None)
    return code is not None and code.co_filename.startswith(_TORCH)


def _read_by(call: Any) -> Optional[List[Any]]:
    """The values that it reads beside its arguments; None: more than numbers."""
    if isinstance(call, functools.partial):
        inner = _read_by(call.func)
        given = [*call.args, *call.keywords.values()]
        return None if inner is None or not _are_plain(given) else inner + given
    call = inspect.unwrap(call)
    if not isinstance(call, FunctionType):
        return None
    cells = [cell.cell_contents for cell in call.__closure__ or ()]
    if _is_torchs(call):  # get_ema_avg_fn() makes one that reads a number
        return cells if _are_plain(cells) else None
    values = [*cells, *(call.__defaults__ or ()), *(call.__kwdefaults__ or {}).values()]
    if any(isinstance(constant, CodeType) for constant in call.__code__.co_consts):
        return None
    for name in call.__code__.co_names:
        value = call.__globals__.get(name, _builtin(name))
        if value is math:
            continue
        if value is _Nothing:  # of what was found: math.cos
            if name not in vars(math):
                return None
        elif value is not _Pure:
            values.append(value)
    return values if _are_plain(values) else None


class _Nothing:
    """No name of the function's surroundings."""


class _Pure:
    """A builtin function of its arguments."""


def _builtin(name: str) -> Any:
    if name in _PURE:
        return _Pure
    return getattr(builtins, name, _Nothing)


def _are_plain(values: Sequence[Any]) -> bool:
    return all(isinstance(value, _PLAIN) for value in values)


class Settings:
    """What an update reads beside gradients: has something else changed it?"""

    def __init__(self, update: Update, tensors: Sequence[Tensor]) -> None:
        self._optimizer = update.optimizer
        self._savers = [
            saver(thing) for thing in (update.scheduler, update.scaler) if thing
        ]
        self._calls = _functions_of(update)
        self._read_at_first = self._read()
        self._tensors = list(tensors)
        self.note()

    def note(self) -> None:
        """They are as an update, or others, have left them."""
        self._versions = Versions(self._tensors)
        self._noted = self._text()

    def changed(self) -> bool:
        """Since then.  What functions read is to stay as it was at first: a joiner
        has it from its own beginning."""
        return (
            self._versions.changed() is not None
            or self._noted != self._text()
            or self._read_at_first != self._read()
        )

    def _read(self) -> str:
        return repr([_read_by(call) for call in self._calls])

    def _text(self) -> str:
        groups = [
            {key: value for key, value in group.items() if key != "params"}
            for group in self._optimizer.param_groups
        ]
        saved = [save() for save in self._savers]
        return repr((groups, saved, len(self._optimizer.state)))


def _functions_of(update: Update) -> List[Any]:
    found: List[Any] = []
    schedulers = [update.scheduler]
    while schedulers:
        scheduler = schedulers.pop()
        schedulers += getattr(scheduler, "_schedulers", ())
        found += getattr(scheduler, "lr_lambdas", ())
    calls = [getattr(update.ema, name, None) for name in ("avg_fn", "multi_avg_fn")]
    return found + [call for call in calls if call is not None]
