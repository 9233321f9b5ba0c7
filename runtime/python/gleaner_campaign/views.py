# SPDX-License-Identifier: Apache-2.0
"""How is a campaign shown?  As JSON for programs, as tables for people."""

from __future__ import annotations

import datetime
import os
from typing import Any

from optuna.trial import TrialState

from gleaner_campaign import liveness
from gleaner_campaign.campaign import NODE_S, Campaign
from gleaner_campaign.holder import ATTRIBUTE, Holder, Life
from gleaner_campaign.rungs import rung_of, weight_of
from gleaner_campaign.waiting import waits_for_nodes


def trial_json(campaign: Campaign, trial: Any) -> dict[str, Any]:
    pruner = campaign.spec.pruner
    reached = max(trial.intermediate_values, default=0)
    return {
        "number": trial.number,
        "state": trial.state.name.lower(),
        "values": trial.values,
        "params": trial.params,
        "course": {str(k): v for k, v in sorted(trial.intermediate_values.items())},
        "rung": rung_of(pruner, reached),
        "weight": weight_of(pruner, reached),
        "node_s": trial.user_attrs.get(NODE_S, 0.0),
        "begun": _iso(trial.datetime_start),
        "ended": _iso(trial.datetime_complete),
        "holder": trial.user_attrs.get(ATTRIBUTE),
        "dir": campaign.folder_of(trial.number),
    }


def _iso(time: Any) -> Any:
    return time.isoformat() if isinstance(time, datetime.datetime) else None


def best(campaign: Campaign) -> list[Any]:
    """The best trial; of several objectives, those that none beats."""
    complete = [t for t in campaign.trials() if t.state == TrialState.COMPLETE]
    return list(campaign.study.best_trials) if complete else []


def status_json(campaign: Campaign, now_s: float) -> dict[str, Any]:
    trials = campaign.trials()
    counts = {state.name.lower(): 0 for state in TrialState}
    for trial in trials:
        counts[trial.state.name.lower()] += 1
    held = campaign.held()
    lives = liveness.lives(held.values())
    running = []
    for trial in trials:
        if trial.state == TrialState.RUNNING:
            holder = held.get(trial.number)
            life = lives[holder.token] if holder else Life.gone
            shown = trial_json(campaign, trial)
            events = os.path.join(shown["dir"], "events.jsonl")
            shown["waits_for"] = _waits_for(holder, life, events)
            running.append(shown)
    return {
        "name": campaign.spec.name,
        "trials": {"budget": campaign.spec.budget.trials, **counts},
        "node_hours": sum(t.user_attrs.get(NODE_S, 0.0) for t in trials) / 3600,
        "stopped": campaign.stopped(),
        "spent": campaign.spent(now_s),
        "best": [trial_json(campaign, trial) for trial in best(campaign)],
        "running": running,
    }


def _waits_for(holder: Any, life: Life, events: str) -> str:
    if holder is None:
        return "a worker"
    if life == Life.gone:
        return "a worker (its own is gone)"
    if life == Life.unknown:
        return "Slurm's word on its worker"
    return "idle nodes" if waits_for_nodes(events) else ""


def is_over(status: dict[str, Any]) -> bool:
    """Nothing changes any more before somebody does something."""
    trials = status["trials"]
    ended = trials["complete"] + trials["pruned"] + trials["fail"]
    if ended >= trials["budget"]:
        return True
    runs = any(not trial["waits_for"].startswith("a worker") for trial in status["running"])
    return not runs and bool(status["stopped"] or status["spent"])


def status_text(status: dict[str, Any]) -> str:
    trials = status["trials"]
    ended = trials["complete"] + trials["pruned"] + trials["fail"]
    lines = [
        f"{status['name']}: {ended} of {trials['budget']} trials ended "
        f"({trials['complete']} complete, {trials['pruned']} pruned, "
        f"{trials['fail']} failed), {trials['running']} run; "
        f"{status['node_hours']:.2f} node-hours"
    ]
    if status["stopped"]:
        lines.append("stopped [gleaner campaign stop --undo lets workers go on]")
    if status["spent"]:
        lines.append(f"the budget is spent: {status['spent']}")
    for trial in status["best"][:3]:
        lines.append(f"best: trial {trial['number']}: {_values(trial)}  {_params(trial)}")
    if status["running"]:
        rows = [["TRIAL", "AT", "VALUE", "RUNG", "NODE-S", "WHERE", "WAITS FOR"]]
        rows += [_running_row(trial) for trial in status["running"]]
        lines += ["", *table(rows)]
    return "\n".join(lines)


def _running_row(trial: dict[str, Any]) -> list[str]:
    course = trial["course"]
    at = max(map(int, course), default=0)
    holder = Holder.of_json(trial["holder"])
    where = "-" if holder is None else f"job {holder.job}" if holder.job else holder.host
    value = f"{course[str(at)]:.6g}" if at else "-"
    rung = str(trial["rung"]) if trial["rung"] >= 0 else "-"
    used = f"{trial['node_s']:.0f}"
    return [str(trial["number"]), str(at), value, rung, used, where, trial["waits_for"]]


def trials_text(trials: list[dict[str, Any]]) -> str:
    rows = [["TRIAL", "STATE", "VALUE", "VALUES SEEN", "NODE-S", "PARAMETERS"]]
    for trial in trials:
        seen, used = str(len(trial["course"])), f"{trial['node_s']:.0f}"
        rows.append(
            [str(trial["number"]), trial["state"], _values(trial), seen, used, _params(trial)]
        )
    return "\n".join(table(rows))


def _values(trial: dict[str, Any]) -> str:
    return ", ".join(f"{value:.6g}" for value in trial["values"] or []) or "-"


def _params(trial: dict[str, Any]) -> str:
    return " ".join(
        f"{name}={value:.4g}" if isinstance(value, float) else f"{name}={value}"
        for name, value in trial["params"].items()
    )


def table(rows: list[list[str]]) -> list[str]:
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return ["  ".join(w.ljust(n) for w, n in zip(row, widths)).rstrip() for row in rows]
