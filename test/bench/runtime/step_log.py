# SPDX-License-Identifier: Apache-2.0
"""When did which member end which step?  Read while the training runs.

Every member appends lines `END STEP WORLD REDUCE` to a file of its own.
"""

import collections
import glob
import time

Step = collections.namedtuple("Step", "end step world reduce")


class StepLogs:
    """The logs PREFIX.*; `members` maps what follows the dot to its steps."""

    def __init__(self, prefix):
        self._prefix = prefix
        self._files = {}
        self._rest = {}
        self.members = {}

    def read(self):
        for path in glob.glob(glob.escape(self._prefix) + ".*"):
            name = path[len(self._prefix) + 1 :]
            if name not in self._files:
                self._files[name] = open(path)
                self._rest[name] = ""
                self.members[name] = []
            text = self._rest[name] + self._files[name].read()
            *lines, self._rest[name] = text.split("\n")
            for line in lines:
                end, step, world, reduce = line.split()
                self.members[name].append(
                    Step(float(end), int(step), int(world), float(reduce))
                )

    def close(self):
        for file in self._files.values():
            file.close()

    def wait(self, condition, limit_s, alive=lambda: True):
        """Until condition() is true.  Raises TimeoutError."""
        end = time.monotonic() + limit_s
        while time.monotonic() < end:
            self.read()
            found = condition()
            if found:
                return found
            if not alive():
                raise RuntimeError("the training ended")
            time.sleep(0.02)
        raise TimeoutError(f"not within {limit_s} s")

    def in_size(self, world, after_s, steps):
        """The members that have ended `steps` steps with so many members since
        then; None until there are `world` of them."""
        there = {
            name: [s for s in log if s.end > after_s and s.world == world]
            for name, log in self.members.items()
            if log and log[-1].end > after_s and log[-1].world == world
        }
        there = {name: log for name, log in there.items() if len(log) >= steps}
        return there if len(there) >= world else None


def trace(logs, ordered, before_s, after_s):
    """For a picture: [seconds after the order, what the step took in ms] of all
    steps of these members that ended around it."""
    points = []
    for log in logs:
        for a, b in zip(log, log[1:]):
            if -before_s <= b.end - ordered <= after_s:
                points.append([round(b.end - ordered, 4), round(1e3 * (b.end - a.end), 2)])
    return sorted(points)
