# SPDX-License-Identifier: Apache-2.0
"""How much of the time that rigid jobs leave do trainings use?"""

from occupancy import lease_uses, rigid_uses, training_uses
from spans import at_least, gaps, length, overlap

HOLE_S_MIN = 10  # shorter ones do not count


def _level(run, nodes, units, level, epilog_s):
    """Node seconds in which at least `level` units are free, and what of them
    was on lease, and trained."""
    window = run.moments["begin_s"], run.moments["end_s"]
    rigid = rigid_uses(run, units, epilog_s)
    uses = {"leased_node_s": lease_uses(run, units)}
    uses["harvested_node_s"] = training_uses(run, units)
    found = dict.fromkeys(["idle_node_s", "short_idle_node_s", *uses], 0.0)
    for node in nodes:
        free = gaps(at_least(rigid[node], units - level + 1), window)
        holes = [span for span in free if span[1] - span[0] > HOLE_S_MIN]
        found["idle_node_s"] += length(holes)
        found["short_idle_node_s"] += length(free) - length(holes)
        for key, by_node in uses.items():
            found[key] += length(overlap(holes, at_least(by_node[node], level)))
    return found


def _ratio(found):
    idle = found["idle_node_s"]
    return found["harvested_node_s"] / idle if idle else None


def harvest(run, nodes, units=1, epilog_s=0):
    """Of whole nodes; and, where they have parts, of all that is free."""
    whole = _level(run, nodes, units, units, epilog_s)
    whole["harvest_ratio"] = _ratio(whole)
    if units == 1:
        return whole
    levels = [_level(run, nodes, units, n, epilog_s) for n in range(1, units + 1)]
    parts = {key: sum(level[key] for level in levels) / units for key in levels[0]}
    parts["harvest_ratio"] = _ratio(parts)
    return {**whole, "of_parts": parts}


def _amount(uses, t):
    return sum(amount for begin, end, amount in uses if begin <= t < end)


def _shares(uses, units, t):
    """Of one node: with rigid jobs, in training, on lease and not trained."""
    rigid, trained, leased = (_amount(use, t) for use in uses)
    rigid = min(rigid, units)
    trained = min(trained, units - rigid)
    leased = min(max(0, leased - trained), units - rigid - trained)
    return rigid / units, trained / units, leased / units


def curve(run, nodes, units=1, epilog_s=0, step_s=1):
    """[seconds, nodes with rigid jobs, in training, on lease besides]"""
    rigid = rigid_uses(run, units, epilog_s)
    trained, leased = training_uses(run, units), lease_uses(run, units)
    begin_t, points = run.moments["begin_s"], []
    for step in range(int((run.moments["end_s"] - begin_t) / step_s)):
        t = begin_t + step * step_s
        by_node = [
            _shares((rigid[node], trained[node], leased[node]), units, t)
            for node in nodes
        ]
        points.append([step * step_s, *(sum(column) for column in zip(*by_node))])
    return points
