# SPDX-License-Identifier: Apache-2.0
"""What happens between the reduction of gradients and the next step?

It depends on the reduced gradients and on registered state only, so that every
member does the same.
"""

from __future__ import annotations

from typing import Any, Dict, Optional

from torch.nn import Module
from torch.nn.utils.clip_grad import clip_grad_norm_
from torch.optim import Optimizer


class Update:
    """Unscale, clip, step the optimizer, the scheduler, the average."""

    def __init__(
        self,
        model: Module,
        optimizer: Optimizer,
        scheduler: Optional[Any],
        scaler: Optional[Any],
        clip_norm: Optional[float],
        ema: Optional[Any],
        scheduler_every: str,
    ) -> None:
        if scheduler_every not in ("step", "pass"):
            raise ValueError(
                f"scheduler_every is '{scheduler_every}' [use 'step' or 'pass']"
            )
        self._model = model
        self.optimizer = optimizer
        self.scheduler = scheduler
        self.scaler = scaler
        self._clip_norm = clip_norm
        self.ema = ema
        self._scheduler_every = scheduler_every
        self._progress = {"passes": 0}  # that the scheduler has seen end

    def objects(self) -> Dict[str, Any]:
        """What is to be registered of it."""
        found: Dict[str, Any] = {"progress": self._progress}
        if self.scheduler is not None:
            found["scheduler"] = self.scheduler
        if self.scaler is not None:
            found["scaler"] = self.scaler
        return found

    def __call__(self, pass_number: int) -> None:
        if self._scheduler_every == "pass":
            self._end_passes(pass_number)
        if self.scaler is not None:
            self.scaler.unscale_(self.optimizer)
        if self._clip_norm is not None:
            clip_grad_norm_(self._model.parameters(), self._clip_norm)
        if self.scaler is not None:
            self.scaler.step(self.optimizer)
            self.scaler.update()
        else:
            self.optimizer.step()
        if self.scheduler is not None and self._scheduler_every == "step":
            self.scheduler.step()
        if hasattr(self.ema, "update_parameters"):
            self.ema.update_parameters(self._model)  # type: ignore[union-attr]
        elif self.ema is not None:
            self.ema.update()

    def _end_passes(self, pass_number: int) -> None:
        """That a pass is over shows in the first step of the next."""
        while self._progress["passes"] < pass_number:
            self._progress["passes"] += 1
            if self.scheduler is not None:
                self.scheduler.step()
