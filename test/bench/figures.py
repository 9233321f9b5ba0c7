# SPDX-License-Identifier: Apache-2.0
"""What do repetitions say together?  Medians, percentiles, intervals."""

import math
import random


def percentile(values, p):
    """The smallest value that p percent of them do not exceed."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(len(ordered) * p / 100) - 1)]


def median(values):
    ordered = sorted(values)
    middle = len(ordered) // 2
    if len(ordered) % 2:
        return ordered[middle]
    return (ordered[middle - 1] + ordered[middle]) / 2


def summary(values):
    return {
        "n": len(values),
        "p50": median(values),
        "p99": percentile(values, 99),
        "min": min(values),
        "max": max(values),
    }


def interval_of_median(values, draws=2000, seed=1):
    """Where the median lies with 95 % confidence: bootstrap, by percentiles."""
    draw = random.Random(seed)
    medians = sorted(
        median(draw.choices(values, k=len(values))) for _ in range(draws)
    )
    return medians[int(draws * 0.025)], medians[int(draws * 0.975)]


def interval_of_ratio(above, below, draws=2000, seed=1):
    """The same for median(above) / median(below), measured independently."""
    draw = random.Random(seed)
    ratios = sorted(
        median(draw.choices(above, k=len(above)))
        / median(draw.choices(below, k=len(below)))
        for _ in range(draws)
    )
    return ratios[int(draws * 0.025)], ratios[int(draws * 0.975)]
