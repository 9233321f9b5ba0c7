# SPDX-License-Identifier: Apache-2.0
"""May another trial begin, and may those that run go on?  Pure."""

from __future__ import annotations

from typing import Optional

from gleaner_campaign.spec import Budget


def spent(budget: Budget, age_s: float, node_s: float) -> Optional[str]:
    """Which part of the budget is used up; None while trainings may go on.

    The number of trials bounds only what is begun: may_begin()."""
    if budget.hours is not None and age_s >= budget.hours * 3600:
        return "time"
    if budget.node_hours is not None and node_s >= budget.node_hours * 3600:
        return "node-hours"
    return None


def may_begin(budget: Budget, begun: int) -> bool:
    return begun < budget.trials
