# SPDX-License-Identifier: Apache-2.0
"""The command line of `gleaner campaign`."""

from __future__ import annotations

import argparse
import json
import os
import shlex
import subprocess
import sys
import time
from typing import Any, NoReturn, Optional

from gleaner_campaign import exits
from gleaner_campaign.refusal import Refusal


WATCH_S = 2.0
CLEAR = "\033[H\033[J"  # of a terminal: home, and nothing below


class Parser(argparse.ArgumentParser):
    """Refuses as the rest of Gleaner does."""

    def error(self, message: str) -> NoReturn:
        raise Refusal(f"{message} [{self.prog} --help]")


def parser() -> argparse.ArgumentParser:
    top = Parser(prog="gleaner campaign", description="Searches on idle nodes.")
    add = top.add_subparsers(dest="command", required=True, parser_class=Parser)

    def command(name: str, what: str, json_too: bool = True) -> argparse.ArgumentParser:
        made = add.add_parser(name, help=what, description=what)
        made.add_argument("dir", metavar="DIR", help="directory of the campaign")
        if json_too:
            made.add_argument("--json", action="store_true", help="for programs")
        return made

    create = command("create", "Make a campaign from a spec")
    create.add_argument("--spec", required=True, metavar="FILE", help="space.yaml")

    run = command("run", "Run trials, one after the other", json_too=False)
    run.add_argument("--local", type=int, metavar="N", help="on this machine, N nodes")
    run.add_argument(
        "--run-options",
        default="",
        metavar="WORDS",
        help="further options of gleaner run, in one word",
    )
    run.add_argument(
        "--no-wait",
        action="store_true",
        help="end when others hold all trials that are left",
    )

    run.add_argument(
        "--no-weights", action="store_true", help="promoted trials weigh no more"
    )

    command("ask", "Take a trial, for a driver of your own")
    report = command("report", "Say a value of a trial's course")
    _trial(report)
    report.add_argument("--index", type=int, required=True, help="pass or interval")
    report.add_argument("--value", type=float, required=True)
    tell = command("tell", "Say how a trial ended")
    _trial(tell)
    tell.add_argument("--value", type=float, action="append", help="one an objective")
    tell.add_argument(
        "--state", choices=("complete", "pruned", "fail", "release"), default="complete"
    )
    stop = command("stop", "Have workers end, their trials kept")
    stop.add_argument("--undo", action="store_true", help="let workers go on")
    status = command("status", "How far is it?")
    status.add_argument(
        "--watch", action="store_true", help="again every 2 s, until it is over"
    )
    command("best", "The best trial")
    command("trials", "All trials")
    plot = command("plot", "One HTML file of what happened")
    plot.add_argument("--output", metavar="FILE", help="[DIR/campaign.html]")
    return top


def _trial(made: argparse.ArgumentParser) -> None:
    made.add_argument("--trial", type=int, required=True, metavar="N")
    made.add_argument("--token", help="what ask gave: refuse if another has it now")


def main(argv: list[str], here: str) -> int:
    """The exit status.  `here`: the folder of this program."""
    try:
        own, program = _split(argv)
        options = parser().parse_args(own)
        return _commands()[options.command](options, program, here)
    except Refusal as refusal:
        print(f"gleaner campaign: {refusal}", file=sys.stderr)
    except OSError as error:
        print(
            f"gleaner campaign: {error.filename or 'the file system'}: {error.strerror} "
            "[see to its owner, its place on disk and its mount]",
            file=sys.stderr,
        )
    return exits.REFUSED


def _split(argv: list[str]) -> tuple[list[str], list[str]]:
    at = argv.index("--") if "--" in argv else len(argv)
    return argv[:at], argv[at + 1 :]


def _commands() -> dict[str, Any]:
    return {
        "create": create,
        "run": run,
        "ask": ask,
        "report": report,
        "tell": tell,
        "stop": stop,
        "status": status,
        "best": best,
        "trials": trials,
        "plot": plot,
    }


def _open(options: argparse.Namespace) -> Any:
    from gleaner_campaign.campaign import Campaign

    return Campaign(options.dir)


def create(options: argparse.Namespace, program: list[str], here: str) -> int:
    from gleaner_campaign import methods, space, spec
    from gleaner_campaign.campaign import Campaign

    read = spec.read(options.spec)
    methods.check(read, options.spec)
    space.suggest_of(read)
    Campaign.create(options.dir, options.spec, read)
    _show(options, {"dir": os.path.abspath(options.dir)}, f"created {options.dir}")
    return exits.DONE


def run(options: argparse.Namespace, program: list[str], here: str) -> int:
    from gleaner_campaign.worker import Options, Worker, find_coordinator

    if not program:
        raise Refusal(
            "no program [gleaner campaign run DIR -- python3 train.py --lr={lr}]"
        )
    words = run_options(options.run_options)
    if options.local is not None:
        words.append(f"--local={options.local}")
    coordinator = find_coordinator(here)
    made = Options(coordinator, words, program, not options.no_wait)
    made.has_weight = not options.no_weights and knows_weight(coordinator)
    return Worker(_open(options), made).run()


def run_options(text: str) -> list[str]:
    """Those of `gleaner run`.  A trial keeps its whole log: the worker that takes it
    up after another reads all its values again."""
    words = shlex.split(text)
    if any(word.split("=")[0] == "--events-max" for word in words):
        raise Refusal(
            "--events-max (a trial's values are read from its whole events.jsonl) [leave it out]"
        )
    return ["--events-max=0", *words]


def knows_weight(coordinator: str) -> bool:
    try:
        told = subprocess.run(
            [coordinator, "--help"], capture_output=True, text=True, timeout=30, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return "--weight" in told.stdout


def ask(options: argparse.Namespace, program: list[str], here: str) -> int:
    from gleaner_campaign.campaign import Nothing
    from gleaner_campaign.holder import process

    taken = _open(options).take(process(os.getppid()), time.time())
    if isinstance(taken, Nothing):
        codes = {
            "done": exits.DONE,
            "budget": exits.BUDGET,
            "stopped": exits.STOPPED,
            "busy": exits.BUSY,
        }
        _show(options, {"nothing": taken.why}, f"nothing to run: {taken.why}")
        return codes[taken.why]
    print(json.dumps(taken.to_json()))
    return exits.DONE


def report(options: argparse.Namespace, program: list[str], here: str) -> int:
    prune = _open(options).report(
        options.trial, options.token, options.index, options.value
    )
    _show(options, {"prune": prune}, "prune" if prune else "go on")
    return exits.PRUNED if prune else exits.DONE


def tell(options: argparse.Namespace, program: list[str], here: str) -> int:
    from optuna.trial import TrialState

    campaign = _open(options)
    if options.state == "release":
        campaign.release(options.trial, options.token)
    else:
        state = TrialState[options.state.upper()]
        values: Optional[list[float]] = options.value
        if state == TrialState.COMPLETE and not values:
            raise Refusal("a trial that is complete has a value [--value NUMBER]")
        campaign.tell(
            options.trial,
            options.token,
            state,
            values if state == TrialState.COMPLETE else None,
        )
    _show(options, {"told": options.state}, f"trial {options.trial}: {options.state}")
    return exits.DONE


def stop(options: argparse.Namespace, program: list[str], here: str) -> int:
    _open(options).stop(not options.undo)
    text = "workers may go on" if options.undo else "workers end within seconds"
    _show(options, {"stopped": not options.undo}, text)
    return exits.DONE


def status(options: argparse.Namespace, program: list[str], here: str) -> int:
    from gleaner_campaign import views

    campaign = _open(options)
    while True:
        found = views.status_json(campaign, time.time())
        if options.watch and sys.stdout.isatty():
            print(CLEAR, end="")
        _show(options, found, views.status_text(found))
        if not options.watch or views.is_over(found):
            return exits.DONE
        sys.stdout.flush()
        try:
            time.sleep(WATCH_S)
        except KeyboardInterrupt:
            return exits.DONE


def best(options: argparse.Namespace, program: list[str], here: str) -> int:
    from gleaner_campaign import views

    campaign = _open(options)
    found = [views.trial_json(campaign, trial) for trial in views.best(campaign)]
    _show(options, found, views.trials_text(found))
    return exits.DONE


def trials(options: argparse.Namespace, program: list[str], here: str) -> int:
    from gleaner_campaign import views

    campaign = _open(options)
    found = [views.trial_json(campaign, trial) for trial in campaign.trials()]
    _show(options, found, views.trials_text(found))
    return exits.DONE


def plot(options: argparse.Namespace, program: list[str], here: str) -> int:
    from gleaner_campaign import plots

    campaign = _open(options)
    path = options.output or os.path.join(campaign.folder, "campaign.html")
    plots.write(campaign, path)
    _show(options, {"file": path}, path)
    return exits.DONE


def _show(options: argparse.Namespace, value: Any, text: str) -> None:
    print(json.dumps(value) if options.json else text)
