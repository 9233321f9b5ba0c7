# SPDX-License-Identifier: Apache-2.0
"""Which parameters does a trial get?  From 'space:', or from space.py."""

from __future__ import annotations

import runpy
import traceback
from typing import Any, Callable

from gleaner_campaign.refusal import Refusal
from gleaner_campaign.spec import Parameter, Spec

Suggest = Callable[[Any], Any]


def suggest_of(spec: Spec) -> Suggest:
    """What asks a trial of Optuna's for all its parameters."""
    if spec.space_py is not None:
        return _of_program(spec.space_py)
    return lambda trial: _of_table(trial, spec.parameters)


def _of_table(trial: Any, parameters: tuple[Parameter, ...]) -> None:
    values: dict[str, Any] = {}
    for p in parameters:
        if not all(values.get(name) in wanted for name, wanted in p.when):
            continue
        values[p.name] = _ask(trial, p)


def _ask(trial: Any, p: Parameter) -> Any:
    if p.type == "choice":
        return trial.suggest_categorical(p.name, p.choices)
    if p.type == "int":
        return trial.suggest_int(
            p.name, int(p.low), int(p.high), step=int(p.step or 1), log=p.log
        )
    return trial.suggest_float(p.name, p.low, p.high, step=p.step, log=p.log)


def _of_program(path: str) -> Suggest:
    try:
        found = runpy.run_path(path)
    except Exception as error:
        raise _failed(path, error) from error
    space = found.get("space")
    if not callable(space):
        raise Refusal(
            f"{path}:1: space: is no function [write 'def space(trial): …', with "
            "trial.suggest_float() and so on]"
        )

    def suggest(trial: Any) -> Any:
        try:
            return space(trial)
        except Exception as error:
            raise _failed(path, error) from error

    return suggest


def _failed(path: str, error: Exception) -> Refusal:
    """The line of the file where it went wrong."""
    lines = [
        frame.lineno
        for frame in traceback.extract_tb(error.__traceback__)
        if frame.filename == path
    ]
    line = lines[-1] if lines else getattr(error, "lineno", None) or 1
    return Refusal(f"{path}:{line}: space: {type(error).__name__}: {error} [correct it]")
