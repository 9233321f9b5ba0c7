# SPDX-License-Identifier: Apache-2.0
"""What does space.yaml ask for?"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Any, Optional

from gleaner_campaign.document import Section, load

SAMPLERS = ("tpe", "cmaes", "nsga2", "random", "evolution", "gp")
PRUNERS = ("none", "median", "asha", "hyperband")


@dataclass(frozen=True)
class Objective:
    key: str  # of job.log()
    direction: str  # minimize or maximize


@dataclass(frozen=True)
class Parameter:
    """One dimension.  Choices are set for type 'choice', bounds for the others."""

    name: str
    type: str  # float, int or choice
    low: float = 0
    high: float = 0
    step: Optional[float] = None
    log: bool = False
    choices: tuple[Any, ...] = ()
    when: tuple[tuple[str, tuple[Any, ...]], ...] = ()  # name: values it needs


@dataclass(frozen=True)
class Per:
    """Of what a value is reported: each pass, or each so many steps."""

    unit: str = "pass"
    steps: int = 0


@dataclass(frozen=True)
class Budget:
    trials: int
    node_hours: Optional[float] = None
    hours: Optional[float] = None


@dataclass(frozen=True)
class Method:
    """A sampler or pruner by name, with its options."""

    name: str
    options: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Spec:
    name: str
    objectives: tuple[Objective, ...]
    per: Per
    take: str  # last, best or mean: the trial's value, of all those of its course
    parameters: tuple[Parameter, ...]
    space_py: Optional[str]  # path; then there are no parameters
    sampler: Method
    pruner: Method
    budget: Budget
    storage: Optional[str]
    seed: int
    tries: int  # a trial whose program fails is begun so often


def read(file: str) -> Spec:
    """Raises Refusal, with file, line, key and remedy."""
    top = load(file)
    default = os.path.basename(os.path.dirname(os.path.abspath(file))) or "campaign"
    spec = Spec(
        name=top.maybe("name", top.text) or default,
        objectives=_objectives(top),
        per=top.maybe("per", lambda key: _per(top, key)) or Per(),
        take=top.maybe("take", lambda key: top.one_of(key, ("last", "best", "mean")))
        or "last",
        parameters=top.maybe("space", lambda key: _space(top.section(key))) or (),
        space_py=top.maybe("space_py", lambda key: _program(top, key)),
        sampler=top.maybe("sampler", lambda key: _sampler(top, key)) or Method("tpe"),
        pruner=top.maybe("pruner", lambda key: _pruner(top, key)) or Method("none"),
        budget=_budget(top.section("budget")),
        storage=top.maybe("storage", top.text),
        seed=top.maybe("seed", lambda key: top.whole(key, least=0)) or 0,
        tries=top.maybe("tries", lambda key: top.whole(key, least=1)) or 3,
    )
    top.end()
    if bool(spec.parameters) == bool(spec.space_py):
        raise top.wrong(
            "space",
            "is needed, or space_py, and not both",
            "name the parameters under 'space:', or a file with "
            "'def space(trial)' as 'space_py: FILE'",
        )
    if len(spec.objectives) > 1 and spec.pruner.name != "none":
        raise top.wrong(
            "pruner",
            "cannot compare trials by more than one objective",
            "leave it out, or name one objective",
        )
    return spec


def _objectives(top: Section) -> tuple[Objective, ...]:
    ways = ("minimize", "maximize")
    if "objective" in top and top.is_section("objective"):
        each = top.section("objective")
        found = tuple(Objective(key, each.one_of(key, ways)) for key in each.keys())
        if not found:
            raise top.wrong("objective", "is empty", "write 'objective: loss'")
        top.maybe("direction", lambda key: _refuse_direction(top, key))
        return found
    return (
        Objective(top.text("objective"), top.one_of("direction", ways, "minimize"))
        if "direction" in top
        else Objective(top.text("objective"), "minimize"),
    )


def _refuse_direction(top: Section, key: str) -> None:
    raise top.wrong(key, "stands beside a list of objectives", "remove it")


def _per(top: Section, key: str) -> Per:
    if top.is_section(key):
        each = top.section(key)
        steps = each.whole("steps", least=1)
        each.end()
        return Per("steps", steps)
    return {"pass": Per(), "step": Per("steps", 1)}[top.one_of(key, ("pass", "step"))]


def _program(top: Section, key: str) -> str:
    path = os.path.join(os.path.dirname(os.path.abspath(top.file)), top.text(key))
    if not os.path.isfile(path):
        raise top.wrong(key, f"names '{path}', which is no file", "correct the path")
    return path


def _space(space: Section) -> tuple[Parameter, ...]:
    found: dict[str, Parameter] = {}
    for name in space.keys():
        if not name.isidentifier():
            raise space.wrong(name, "cannot stand in {…}", "use letters, digits and _")
        found[name] = _parameter(space, name, found)
    return tuple(found.values())


def _parameter(
    space: Section, name: str, before: dict[str, Parameter]
) -> Parameter:
    each = space.section(name)
    when = each.maybe("when", lambda key: _when(each, key, before)) or ()
    if "choices" in each:
        parameter = Parameter(
            name, "choice", choices=tuple(each.items("choices")), when=when
        )
    else:
        kind = each.one_of("type", ("float", "int"), "float")
        read = each.number if kind == "float" else each.whole
        low, high = read("low"), read("high")
        log = each.flag("log", False) if "log" in each else False
        each.maybe("log", lambda key: None)
        each.maybe("type", lambda key: None)
        step = each.maybe("step", lambda key: each.number(key, above=0))
        if low > high:
            raise each.wrong("high", f"is below low ({high:g} < {low:g})", "swap them")
        if log and low <= 0:
            raise each.wrong("low", f"is {low:g} with log", "use a low above 0")
        if log and step:
            raise each.wrong("step", "does not go with log", "remove one of them")
        parameter = Parameter(name, kind, low, high, step, log, (), when)
    each.end()
    return parameter


def _when(
    each: Section, key: str, before: dict[str, Parameter]
) -> tuple[tuple[str, tuple[Any, ...]], ...]:
    conditions = each.section(key)
    found = []
    for name in conditions.keys():
        if name not in before or before[name].type != "choice":
            raise conditions.wrong(
                name, "is no parameter with choices above this one", "name one that is"
            )
        values = conditions.items_or_one(name)
        for value in values:
            if value not in before[name].choices:
                raise conditions.wrong(
                    name,
                    f"is '{value}'",
                    f"expected of {', '.join(map(str, before[name].choices))}",
                )
        found.append((name, tuple(values)))
    return tuple(found)


def _method(
    top: Section, key: str, names: tuple[str, ...], options: dict[str, tuple[str, ...]]
) -> Method:
    if not top.is_section(key):
        return Method(top.one_of(key, names))
    each = top.section(key)
    name = each.one_of("name", names)
    found = {}
    for option in options[name]:
        value = each.maybe(option, lambda k: each.number(k, above=0))
        if value is not None:
            found[option] = value
    each.end()
    return Method(name, found)


def _sampler(top: Section, key: str) -> Method:
    startup = ("startup_trials",)
    return _method(
        top,
        key,
        SAMPLERS,
        {
            "tpe": startup,
            "cmaes": startup,
            "gp": startup,
            "random": (),
            "nsga2": ("population",),
            "evolution": ("population", "tournament"),
        },
    )


def _pruner(top: Section, key: str) -> Method:
    return _method(
        top,
        key,
        PRUNERS,
        {
            "none": (),
            "median": ("startup_trials", "warmup"),
            "asha": ("min", "reduction"),
            "hyperband": ("min", "max", "reduction"),
        },
    )


def _budget(each: Section) -> Budget:
    budget = Budget(
        each.whole("trials", least=1),
        each.maybe("node_hours", lambda key: each.number(key, above=0)),
        each.maybe("hours", lambda key: each.number(key, above=0)),
    )
    each.end()
    return budget
