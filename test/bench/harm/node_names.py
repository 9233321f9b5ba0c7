# SPDX-License-Identifier: Apache-2.0
"""Which nodes does a list in Slurm's notation name?  n[1-3,07],head"""

import re

ITEM = re.compile(r"([^,\[\]]+)(?:\[([^\]]*)\])?(?:,|$)")


def _indices(text):
    for span in text.split(","):
        first, _, last = span.partition("-")
        width = len(first)
        for index in range(int(first), int(last or first) + 1):
            yield f"{index:0{width}}"


def node_names(text):
    """In the order they are named.  Raises ValueError for anything else."""
    names, at = [], 0
    while at < len(text):
        item = ITEM.match(text, at)
        if not item:
            raise ValueError(f"cannot read the node list '{text}'")
        stem, brackets = item.groups()
        names += [stem] if brackets is None else [stem + i for i in _indices(brackets)]
        at = item.end()
    return names
