# SPDX-License-Identifier: Apache-2.0
"""What the search of this example tries: a rate and an architecture."""


def space(trial):
    trial.suggest_float("lr", 1e-4, 1e-1, log=True)
    trial.suggest_int("depth", 1, 3)
    trial.suggest_int("width", 4, 16, step=4)
    trial.suggest_categorical("activation", ["relu", "tanh"])
