# SPDX-License-Identifier: Apache-2.0
"""Which leases were there, and how long did granting and taking back take?

Of gleanerd's journal: lease_offered, lease_held, give_back, lease_ended; and
arrival, when it learned of a job.
"""

import json
import sqlite3
from dataclasses import dataclass
from typing import Optional


@dataclass
class Lease:
    node: str
    trainer: int
    job: int
    held_t: float
    grant_ms: Optional[float] = None  # from the offer; unknown for adopted ones
    asked_t: Optional[float] = None  # the first time it was asked back
    ended_t: Optional[float] = None
    cause: str = ""

    @property
    def take_back_ms(self):
        if self.asked_t is None or self.ended_t is None:
            return None
        return 1e3 * (self.ended_t - self.asked_t)


def leases_of(events):
    """`events`: (time, event, data), in order.  Refused offers are no leases."""
    offered, held, all_leases = {}, {}, []
    for t, event, data in events:
        place = data.get("trainer"), data.get("node")
        if event == "lease_offered":
            offered[place] = t
        elif event == "lease_held" and data["job"] not in held:
            lease = Lease(data["node"], data["trainer"], data["job"], t)
            if place in offered:
                lease.grant_ms = 1e3 * (t - offered.pop(place))
            held[lease.job] = lease
            all_leases.append(lease)
        elif event == "give_back" and data["job"] in held:
            lease = held[data["job"]]
            lease.asked_t = t if lease.asked_t is None else lease.asked_t
        elif event == "lease_ended" and data["job"] in held:
            lease = held.pop(data["job"])
            lease.ended_t, lease.cause = t, data.get("cause", "")
    return all_leases


def arrivals_of(events):
    """{job: when gleanerd knew of it}"""
    found = {}
    for t, event, data in events:
        if event == "arrival":
            found.setdefault(data["job"], t)
    return found


def read_journal(path):
    database = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    try:
        rows = database.execute("SELECT t_s, event, data FROM event ORDER BY id")
        return [(t, event, json.loads(data)) for t, event, data in rows]
    finally:
        database.close()
