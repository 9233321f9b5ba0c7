# SPDX-License-Identifier: Apache-2.0
"""Does a training wait for nodes?  By the end of its events.jsonl."""

from __future__ import annotations

import json
import os

TAIL_BYTES = 65536


def waits_for_nodes(path: str) -> bool:
    """It has begun, and has no generation: it never had one, or it parked."""
    waits = False
    for line in _tail(path):
        try:
            event = json.loads(line)
        except ValueError:
            continue
        kind = event.get("event") if isinstance(event, dict) else None
        if kind in ("start", "park"):
            waits = True
        elif kind == "step" or (kind == "generation" and event.get("nodes")):
            waits = False
    return waits


def _tail(path: str) -> list[bytes]:
    try:
        with open(path, "rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - TAIL_BYTES))
            return file.read().splitlines()
    except OSError:
        return []
