# SPDX-License-Identifier: Apache-2.0
"""Which sampler and pruner of Optuna's does a spec name?

A sampler is made for each trial, with random numbers that follow from the campaign's
seed and the trial's number: workers draw different ones, and a trial that is asked
again draws the same.
"""

from __future__ import annotations

import hashlib
import warnings
from typing import Any

import optuna

from gleaner_campaign.evolution import EvolutionSampler
from gleaner_campaign.refusal import Refusal
from gleaner_campaign.spec import Method, Spec


def seed_of(campaign_seed: int, number: int) -> int:
    """Of a trial: 31 bits, the same in each process."""
    text = f"{campaign_seed} {number}".encode()
    return int.from_bytes(hashlib.sha256(text).digest()[:4], "big") >> 1


def sampler_of(spec: Spec, number: int) -> Any:
    """For the trial with this number."""
    seed = seed_of(spec.seed, number)
    options = {name: int(value) for name, value in spec.sampler.options.items()}
    startup = options.get("startup_trials", 10)
    name = spec.sampler.name
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
        if name == "random":
            return optuna.samplers.RandomSampler(seed=seed)
        if name == "tpe":
            return optuna.samplers.TPESampler(
                seed=seed,
                n_startup_trials=startup,
                multivariate=True,
                group=True,
                constant_liar=True,
                warn_independent_sampling=False,
            )
        if name == "cmaes":
            return optuna.samplers.CmaEsSampler(
                seed=seed, n_startup_trials=startup, warn_independent_sampling=False
            )
        if name == "nsga2":
            return optuna.samplers.NSGAIISampler(
                seed=seed, population_size=options.get("population", 50)
            )
        if name == "evolution":
            return EvolutionSampler(
                options.get("population", 50), options.get("tournament", 10), seed
            )
        return optuna.samplers.GPSampler(seed=seed, n_startup_trials=startup)


def check(spec: Spec, file: str) -> None:
    """Refuse what this Optuna lacks."""
    if spec.sampler.name == "gp" and not hasattr(optuna.samplers, "GPSampler"):
        raise Refusal(
            f"{file}: sampler: gp is not in Optuna {optuna.__version__} [use tpe, or "
            "Optuna 3.6 or later]"
        )
    if spec.sampler.name == "cmaes":
        try:
            import cmaes  # noqa: F401
        except ImportError as error:
            raise Refusal(
                f"{file}: sampler: cmaes needs the package cmaes [apt-get install "
                "python3-cmaes, or use tpe]"
            ) from error
    if len(spec.objectives) > 1 and spec.sampler.name in ("cmaes", "evolution"):
        raise Refusal(
            f"{file}: sampler: {spec.sampler.name} takes one objective [use nsga2, tpe "
            "or random]"
        )


def pruner_of(method: Method) -> Any:
    options = method.options
    whole = {name: int(value) for name, value in options.items()}
    if method.name == "median":
        return optuna.pruners.MedianPruner(
            n_startup_trials=whole.get("startup_trials", 5),
            n_warmup_steps=whole.get("warmup", 0),
        )
    if method.name == "asha":
        return optuna.pruners.SuccessiveHalvingPruner(
            min_resource=whole.get("min", 1),
            reduction_factor=whole.get("reduction", 3),
        )
    if method.name == "hyperband":
        return optuna.pruners.HyperbandPruner(
            min_resource=whole.get("min", 1),
            max_resource=whole.get("max", "auto"),
            reduction_factor=whole.get("reduction", 3),
        )
    return optuna.pruners.NopPruner()
