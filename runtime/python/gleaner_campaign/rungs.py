# SPDX-License-Identifier: Apache-2.0
"""Which rung has a trial reached, and what is it worth?  Pure.

Rungs are those of successive halving: rung r is reached with the value of number
min · reduction^r.  A trial on rung r has been chosen r times from `reduction`, so
it weighs reduction^r in the allocator, as far as `gleaner run --weight` goes.
"""

from __future__ import annotations

from gleaner_campaign.spec import Method

WEIGHT_MAX = 10.0
PROMOTING = ("asha", "hyperband")


def rung_of(pruner: Method, index: int) -> int:
    """The highest rung whose value is known; -1 before the first."""
    least = pruner.options.get("min", 1)
    reduction = reduction_of(pruner)
    rung = -1
    while index >= least * reduction ** (rung + 1):
        rung += 1
    return rung


def weight_of(pruner: Method, index: int) -> float:
    """1 until the second rung, and with pruners that have none."""
    if pruner.name not in PROMOTING:
        return 1.0
    weight = float(reduction_of(pruner) ** max(0, rung_of(pruner, index)))
    return min(weight, WEIGHT_MAX)


def reduction_of(pruner: Method) -> float:
    return pruner.options.get("reduction", 3)
