# SPDX-License-Identifier: Apache-2.0
"""How long were slurmctld's scheduling cycles, and how many?"""

import re

SECTIONS = {
    "Main schedule statistics": "main",
    "Backfilling stats": "backfill",
}
KEYS = {
    "Total cycles": "cycles",
    "Max cycle": "longest_us",
    "Mean cycle": "mean_us",
}
RPC = re.compile(
    r"\s*(REQUEST_\w+)\s*\(\s*\d+\) count:(\d+)\s+ave_time:\d+\s+total_time:(\d+)"
)


def read_sdiag(text):
    """Of what sdiag prints: {"main": {...}, "backfill": {...}, "rpcs": {...}}.

    The mean and longest cycle are missing as long as there was none."""
    found = {"main": {"cycles": 0}, "backfill": {"cycles": 0}, "rpcs": {}}
    section = None
    for line in text.splitlines():
        for heading, name in SECTIONS.items():
            if line.startswith(heading):
                section = found[name]
        key, _, value = line.strip().partition(":")
        if section is not None and key in KEYS and value.strip().isdigit():
            section[KEYS[key]] = int(value)
        rpc = RPC.match(line)
        if rpc:
            total = {"count": int(rpc[2]), "total_us": int(rpc[3])}
            found["rpcs"].setdefault(rpc[1], total)  # by user comes again, later
    if section is None:
        raise ValueError(f"sdiag prints no statistics: '{text[:80]}'")
    return found
