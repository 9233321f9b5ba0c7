# SPDX-License-Identifier: Apache-2.0
"""What does a planned resize cost a training in PyTorch?  As resize.py."""

import itertools
import sys

from resize import gleaner_cycle


def program(setting):
    return [sys.executable, setting.source("test/bench/runtime/pytorch_steps.py")]


def run(setting, rows):
    ways = [False, True] if setting.follow else [False]
    for plane, state_mib, follow in itertools.product(
        setting.planes, setting.states_mib, ways
    ):
        gleaner_cycle(
            setting, plane, state_mib, [2, 3], rows, follow, "PyTorch", program
        )
        how = "followed" if follow else "copied"
        print(f"pytorch: {plane}, {state_mib} MiB {how}", flush=True)
