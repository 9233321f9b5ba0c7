# SPDX-License-Identifier: Apache-2.0
"""Which values has a training shown that count?  A fold over events.jsonl.

Pure: events go in, points come out.  A value is in the log only when its step can
no longer be undone by the loss of a member.  What can still undo it is a rollback,
after all members were lost: it is in the log too, and takes back the steps after
its `to_step`, which come again.  So each step counts once, and a point that had
come out may come out again with what replaces it.
"""

from __future__ import annotations

import bisect
import math
import sys
from dataclasses import dataclass, field
from typing import Any, Iterable, Optional

from gleaner_campaign.spec import Per


@dataclass(frozen=True)
class Point:
    """The value of the pass or of the interval of steps with this number, from 1."""

    index: int
    value: float


@dataclass
class _Interval:
    """What the steps of one pass or interval have logged."""

    total: float = 0
    count: int = 0


@dataclass
class Course:
    """The course of one key of one training."""

    key: str
    per: Per
    last_step: int = 0  # the highest whose event has come and stands
    finished: bool = False
    _values: dict[int, float] = field(default_factory=dict)  # by step
    _intervals: dict[int, _Interval] = field(default_factory=dict)
    _starts: list[tuple[int, int]] = field(default_factory=list)  # (step, pass)
    _given: dict[int, float] = field(default_factory=dict)

    def take(self, event: dict[str, Any]) -> None:
        """One line of events.jsonl; others than those that matter are ignored."""
        kind = event.get("event")
        if kind == "step":
            self._note_pass(int(event["step"]), int(event["pass"]) + 1)
        elif kind == "log" and event.get("key") == self.key:
            self._add(int(event["step"]), float(event["value"]))
        elif kind == "rollback":
            self._undo(int(event["to_step"]))
        elif kind == "generation" and event.get("kind") == "start":
            self._undo(0)  # nothing of an earlier run goes on
        elif kind == "finish":
            self.finished = True

    def points(self) -> list[Point]:
        """Those that are complete, and were not given before with this value."""
        new = []
        for index, value in self.complete().items():
            if self._given.get(index) != value:
                self._given[index] = value
                new.append(Point(index, value))
        return new

    def complete(self) -> dict[int, float]:
        """The mean of each pass or interval that is over, by its number."""
        last = max(self._intervals, default=0)
        return {
            index: interval.total / interval.count
            for index, interval in sorted(self._intervals.items())
            if index < last or self.finished or self._is_over(index)
        }

    def _add(self, step: int, value: float) -> None:
        """The first value of a step counts; a later one can only be its repetition."""
        if step in self._values or not math.isfinite(value):
            return
        self._values[step] = value
        interval = self._intervals.setdefault(self._index(step), _Interval())
        interval.total += value
        interval.count += 1

    def _is_over(self, index: int) -> bool:
        """Its last step has a value, where the steps of an interval are counted."""
        return self.per.unit == "steps" and index * self.per.steps in self._values

    def _index(self, step: int) -> int:
        if self.per.unit == "steps":
            return (step - 1) // self.per.steps + 1
        at = bisect.bisect_right(self._starts, (step, sys.maxsize)) - 1
        return self._starts[at][1] if at >= 0 else 1

    def _note_pass(self, step: int, number: int) -> None:
        self.last_step = max(self.last_step, step)
        if not self._starts or self._starts[-1][1] != number:
            self._starts.append((step, number))

    def _undo(self, to_step: int) -> None:
        kept = {s: v for s, v in self._values.items() if s <= to_step}
        self.finished = False
        self.last_step = min(self.last_step, to_step)
        self._starts = [(s, p) for s, p in self._starts if s <= to_step]
        self._values, self._intervals = {}, {}
        for step, value in kept.items():
            self._add(step, value)


def fold(events: Iterable[dict[str, Any]], key: str, per: Per) -> Course:
    """The course that these events show."""
    course = Course(key, per)
    for event in events:
        course.take(event)
    return course


def result(values: dict[int, float], take: str, direction: str) -> Optional[float]:
    """A trial's value, of all those of its course; None when there is none."""
    if not values:
        return None
    if take == "best":
        return (min if direction == "minimize" else max)(values.values())
    if take == "mean":
        return sum(values.values()) / len(values)
    return values[max(values)]


class NodeTime:
    """Node × time that agents were there, as far as the events go; of all runs."""

    def __init__(self) -> None:
        self._joined: dict[str, float] = {}
        self._done_s = 0.0
        self._last_s = 0.0

    def take(self, event: dict[str, Any]) -> None:
        kind, node = event.get("event"), str(event.get("node"))
        if kind == "start":  # what an earlier run had ended with it
            self._close_all()
        self._last_s = float(event.get("t", self._last_s))
        if kind == "node_joined":
            self._joined[node] = self._last_s
        elif kind == "node_left" and node in self._joined:
            self._done_s += self._last_s - self._joined.pop(node)

    @property
    def seconds(self) -> float:
        return self._done_s + sum(self._last_s - t for t in self._joined.values())

    def _close_all(self) -> None:
        self._done_s = self.seconds
        self._joined.clear()
