# SPDX-License-Identifier: Apache-2.0
"""Which processes belong to this run?

All that we start, and what they start, inherit a mark in their environment; so
a process that was left behind is found, whatever its parent is now.
"""

import os
import secrets
from pathlib import Path

MARK = "GLEANER_CHAOS_MARK"


def new_mark():
    return secrets.token_hex(8)


def marked(mark):
    """pid -> environment, of the processes that are alive (no zombies)."""
    found = {}
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            text = (entry / "environ").read_bytes().decode(errors="replace")
            if f"{MARK}={mark}" not in text.split("\0"):
                continue
            if (entry / "stat").read_text().rsplit(")", 1)[1].split()[0] in "ZX":
                continue
        except OSError:  # it has just ended
            continue
        pairs = (item.split("=", 1) for item in text.split("\0") if "=" in item)
        found[int(entry.name)] = dict(pairs)
    return found


def parent_of(pid):
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[1])
    except OSError:
        return 0


def command_of(pid):
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
        return os.path.basename(words[0].decode(errors="replace"))
    except OSError:
        return ""


def send(pid, number):
    """Whether it was still there."""
    try:
        os.kill(pid, number)
        return True
    except ProcessLookupError:
        return False
