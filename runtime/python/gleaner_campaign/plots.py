# SPDX-License-Identifier: Apache-2.0
"""What does a campaign look like?  One HTML file that needs no network."""

from __future__ import annotations

import datetime
import html
import os
from typing import Any, Callable

from optuna.trial import TrialState

from gleaner_campaign import record, views
from gleaner_campaign.campaign import Campaign
from gleaner_campaign.refusal import Refusal
from gleaner_campaign.rungs import rung_of
from gleaner_campaign.training import EventsTail

PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title>
<style>body {{ font: 16px sans-serif; margin: 2em auto; max-width: 1100px }}
h2 {{ font-size: 1.1em; margin: 2em 0 0 }} pre {{ overflow: auto }}</style>
</head><body><h1>{title}</h1><pre>{status}</pre>
{figures}
</body></html>
"""


def write(campaign: Campaign, path: str) -> None:
    """Refuses where plotly is missing, or where the file cannot be written."""
    try:
        import plotly  # noqa: F401
    except ImportError as error:
        raise Refusal(
            "plotly is missing (it draws) [apt-get install python3-plotly]"
        ) from error
    shown = views.status_json(campaign, datetime.datetime.now().timestamp())
    parts = []
    for title, draw in figures(campaign):
        parts.append(f"<h2>{html.escape(title)}</h2>{_part(draw, not parts)}")
    text = PAGE.format(
        title=html.escape(campaign.spec.name),
        status=html.escape(views.status_text(shown)),
        figures="\n".join(parts),
    )
    try:
        record.write(path, text)
    except OSError as error:
        raise Refusal(f"{path}: {error.strerror} [--output FILE]") from error


def _part(draw: Callable[[], Any], first: bool) -> str:
    """plotly's script comes with the first figure."""
    try:
        figure = draw()
    except (ValueError, RuntimeError, ImportError) as error:
        return f"<p>Not drawn: {html.escape(str(error))}</p>" + (_script() if first else "")
    return str(figure.to_html(full_html=False, include_plotlyjs=first))


def _script() -> str:
    import plotly.offline

    return f"<script>{plotly.offline.get_plotlyjs()}</script>"


def figures(campaign: Campaign) -> list[tuple[str, Callable[[], Any]]]:
    import optuna.visualization as draw

    study = campaign.study
    single = len(campaign.spec.objectives) == 1
    found: list[tuple[str, Callable[[], Any]]] = [
        ("Trials over nodes", lambda: timeline(campaign))
    ]
    if single:
        found += [
            ("Best value so far", lambda: draw.plot_optimization_history(study)),
            ("Courses", lambda: draw.plot_intermediate_values(study)),
            ("What matters", lambda: draw.plot_param_importances(study)),
            ("Value over each parameter", lambda: draw.plot_slice(study)),
            ("All parameters", lambda: draw.plot_parallel_coordinate(study)),
        ]
    elif len(campaign.spec.objectives) <= 3:
        found.append(("What none beats", lambda: draw.plot_pareto_front(study)))
    return found


COLOURS = ("#9ecae1", "#6baed6", "#3182bd", "#08519c", "#08306b")


def timeline(campaign: Campaign) -> Any:
    """A line a trial, a bar for each time it had a node; darker on higher rungs."""
    import plotly.graph_objects as graph

    figure = graph.Figure()
    for trial in campaign.trials():
        reached = max(trial.intermediate_values, default=0)
        rung = max(0, rung_of(campaign.spec.pruner, reached))
        spans = node_spans(os.path.join(campaign.folder_of(trial.number), "events.jsonl"))
        if not spans:
            continue
        figure.add_bar(
            orientation="h",
            y=[trial.number] * len(spans),
            base=[_time(begin) for _, begin, _ in spans],
            x=[(end - begin) * 1000 for _, begin, end in spans],
            marker_color=COLOURS[min(rung, len(COLOURS) - 1)],
            opacity=0.5 if trial.state == TrialState.PRUNED else 1,
            text=[node for node, _, _ in spans],
            name=f"trial {trial.number}: {trial.state.name.lower()}, rung {rung}",
        )
    figure.update_layout(
        barmode="overlay",
        showlegend=False,
        xaxis={"type": "date", "title": "time"},
        yaxis={"title": "trial", "autorange": "reversed"},
    )
    return figure


def _time(seconds: float) -> str:
    return datetime.datetime.fromtimestamp(seconds).isoformat()


def node_spans(path: str) -> list[tuple[str, float, float]]:
    """(node, from, to) of each time a node was there; what was not said to have ended
    did with the last event of its run."""
    joined: dict[str, float] = {}
    spans: list[tuple[str, float, float]] = []
    last = 0.0

    def close_all() -> None:
        spans.extend((node, begin, last) for node, begin in joined.items())
        joined.clear()

    for event in EventsTail(path).read():
        kind, node = event.get("event"), str(event.get("node"))
        if kind == "start":
            close_all()
        last = float(event.get("t", last))
        if kind == "node_joined":
            joined[node] = last
        elif kind == "node_left" and node in joined:
            spans.append((node, joined.pop(node), last))
    close_all()
    return spans
