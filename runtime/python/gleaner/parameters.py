# SPDX-License-Identifier: Apache-2.0
"""Are the model's parameters those that gleaner.init() saw, where they were, and as
the last update left them?

Members make the same update.  Whatever else changes a parameter in the loop may
do so on one member and not on another: one without samples in a step does not
run the loop's body.
"""

from __future__ import annotations

from typing import Any, Dict, List

from torch import Tensor
from torch.nn import Module
from torch.optim import Optimizer

from .versions import Versions


def _same(left: List[Tensor], right: List[Tensor]) -> bool:
    return len(left) == len(right) and all(a is b for a, b in zip(left, right))


class Parameters:
    """Those of a model, frozen ones too."""

    def __init__(self, model: Module, optimizer: Optimizer) -> None:
        self._model = model
        self._optimizer = optimizer
        named = list(model.named_parameters())
        self._names = [name for name, _ in named]
        self._parameters: List[Tensor] = [parameter for _, parameter in named]
        self._trained = [p.requires_grad for p in self._parameters]
        #: That are trained, or frozen for the time being.
        self.trained = {name: p for name, p in named if p.requires_grad}
        self._optimized = self._in_optimizer()
        self._addresses: List[int] = []
        self._versions = Versions(self._parameters)

    def begin(self) -> None:
        """Their memory is registered now."""
        self._addresses = [p.data_ptr() for p in self._parameters]
        self.updated()

    def updated(self) -> None:
        """The update is over: what it did was all right."""
        self._versions.note()

    def check(self) -> None:
        """All of what this file asks.  Before a reduction."""
        self._check_set()
        self.check_places()
        self.check_numbers()

    def check_numbers(self) -> None:
        """Nothing but the update has changed them."""
        i = self._versions.changed()
        if i is not None:
            raise RuntimeError(
                f"parameter '{self._names[i]}' was changed in the loop, outside of "
                "the update (members would no longer have the same parameters) "
                "[remove optimizer.step(), which job.step() calls; make other "
                "changes in gleaner.init(update=...)]"
            )

    def check_places(self) -> None:
        """Registered memory is still the model's."""
        for i, parameter in enumerate(self._parameters):
            if parameter.data_ptr() != self._addresses[i]:
                raise RuntimeError(
                    f"parameter '{self._names[i]}' has moved in memory (its "
                    "registered place is no longer the model's) [do not call "
                    "model.to() or assign parameters in the loop; copy into them "
                    "in gleaner.init(update=...)]"
                )

    def frozen(self) -> bytes:
        """Which ones require no gradient now."""
        return bytes(not parameter.requires_grad for parameter in self._parameters)

    def _in_optimizer(self) -> List[Tensor]:
        groups = self._optimizer.param_groups
        return [parameter for group in groups for parameter in group["params"]]

    def _check_set(self) -> None:
        if not _same(list(self._model.parameters()), self._parameters):
            self._refuse_other_parameters()
        for i, parameter in enumerate(self._parameters):
            if parameter.requires_grad and not self._trained[i]:
                raise RuntimeError(
                    f"parameter '{self._names[i]}' was unfrozen after gleaner.init() "
                    "(what is trained is fixed there: each member would apply its "
                    "own gradient) [let it require a gradient in gleaner.init() and "
                    "freeze it afterwards, until it is its turn]"
                )
        if not _same(self._in_optimizer(), self._optimized):
            raise RuntimeError(
                "the optimizer was given other parameters after gleaner.init() "
                "(members that join would lack their state) [call "
                "add_param_group() before gleaner.init(), and freeze the "
                "parameters afterwards, until it is their turn]"
            )

    def _refuse_other_parameters(self) -> None:
        known = dict(zip(self._names, self._parameters))
        now = dict(self._model.named_parameters())
        names = [name for name in now if known.get(name) is not now[name]]
        name = next(iter(names + [name for name in known if name not in now]))
        raise RuntimeError(
            f"parameter '{name}' of the model was added, replaced or removed after "
            "gleaner.init() (members that join would lack it) [give the model its "
            "final form before gleaner.init()]"
        )


class Frozen:
    """Which of the trained parameters are frozen now: joiners must know."""

    def __init__(self, parameters: Parameters) -> None:
        self._trained = parameters.trained

    def state_dict(self) -> Dict[str, Any]:
        names = [name for name, p in self._trained.items() if not p.requires_grad]
        return {"names": names}

    def load_state_dict(self, saved: Dict[str, Any]) -> None:
        for name, parameter in self._trained.items():
            parameter.requires_grad_(name not in saved["names"])
