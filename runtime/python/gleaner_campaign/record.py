# SPDX-License-Identifier: Apache-2.0
"""What stands in a campaign's directory, beside Optuna's journal?

campaign.json is the spec as it was read, with all defaults; it is written last, so a
directory with it is a whole campaign.  The user's files are kept beside it as they
were.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from dataclasses import asdict, replace
from typing import Any

from gleaner_campaign import spec as specs
from gleaner_campaign.refusal import Refusal
from gleaner_campaign.spec import Spec

NAME = "campaign.json"


def prepare(folder: str, spec_file: str, spec: Spec) -> None:
    """All but the record itself.  Refuses a directory that has a campaign."""
    if os.path.exists(os.path.join(folder, NAME)):
        raise Refusal(
            f"{folder}: has a campaign [gleaner campaign run {folder}, or name another "
            "directory]"
        )
    try:
        os.makedirs(os.path.join(folder, "trials"), exist_ok=True)
        shutil.copy(spec_file, os.path.join(folder, "space.yaml"))
        if spec.space_py is not None:
            shutil.copy(spec.space_py, os.path.join(folder, "space.py"))
    except OSError as error:
        raise Refusal(
            f"{error.filename}: {error.strerror} [name a directory that you may write]"
        ) from error


def finish(folder: str, spec: Spec) -> None:
    """From now on it is a campaign."""
    if spec.space_py is not None:
        spec = replace(spec, space_py="space.py")
    write(os.path.join(folder, NAME), json.dumps(asdict(spec), indent=1) + "\n")


def read(folder: str) -> Spec:
    path = os.path.join(folder, NAME)
    try:
        with open(path, encoding="utf-8") as file:
            found = json.load(file)
        spec = _spec_of(found)
    except OSError as error:
        raise Refusal(
            f"{path}: {error.strerror} [gleaner campaign create {folder} --spec FILE]"
        ) from error
    except (ValueError, TypeError, KeyError) as error:
        raise Refusal(f"{path}: not readable: {error} [create it again]") from error
    if spec.space_py is not None:
        spec = replace(spec, space_py=os.path.join(folder, spec.space_py))
    return spec


def write(path: str, text: str) -> None:
    """All of it or nothing, whenever we die."""
    handle, name = tempfile.mkstemp(dir=os.path.dirname(path) or ".")
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    os.chmod(name, 0o644)
    os.replace(name, path)


def _spec_of(found: dict[str, Any]) -> Spec:
    def parameter(p: dict[str, Any]) -> specs.Parameter:
        when = tuple((name, tuple(values)) for name, values in p["when"])
        return specs.Parameter(**{**p, "choices": tuple(p["choices"]), "when": when})

    return Spec(
        **{
            **found,
            "objectives": tuple(specs.Objective(**o) for o in found["objectives"]),
            "per": specs.Per(**found["per"]),
            "parameters": tuple(parameter(p) for p in found["parameters"]),
            "sampler": specs.Method(**found["sampler"]),
            "pruner": specs.Method(**found["pruner"]),
            "budget": specs.Budget(**found["budget"]),
        }
    )
