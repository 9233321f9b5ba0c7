# SPDX-License-Identifier: Apache-2.0
"""How long does state take to several joiners, where each node has a link of its own?

Nodes are network namespaces whose links are shaped.  One connection takes one whole
state over a link in *stream*: a copy to a joiner can hardly be faster.  Whether more
joiners take longer shows whether any member sends more than one state.  Needs root.
"""

import os
import shutil
import time

from gleaner_training import GleanerTraining
from network import Switches, command, stream

LINK_MBIT = 200
HEAD = 250  # host number of the coordinator


def in_namespaces(setting, switches, program):
    """A command that runs `program` in a namespace of the member's own."""
    prefix = f"/run/netns/{switches.name}-"
    number = f"$((GLEANER_MEMBER % {2 * switches.nodes}))"
    return ["sh", "-c", f'exec nsenter --net={prefix}{number} "$@"', "in-namespace", *program]


def copied(setting, switches, joiners, state_mib, gradient_kib):
    """How long the only member waited for the switch to all, which have the state then."""
    program = [
        setting.built("test/bench/runtime/step_program"),
        f"--gradient-kib={gradient_kib}",
        f"--state-kib={state_mib * 1024}",
    ]
    address = ("--address", f"10.213.7.{HEAD}")
    with GleanerTraining(
        setting,
        1,
        in_namespaces(setting, switches, program),
        failure_timeout_s=60,
        options=address,
    ) as training:
        training.wait_for_size(1, 6)
        ordered = time.monotonic()
        training.add_nodes(joiners)
        limit_s = 60 + 10 * state_mib * 8.4 / LINK_MBIT
        training.wait_for_size(1 + joiners, 3, after_s=ordered, limit_s=limit_s)
        logs = training.logs.members.values()
        stayer = next(log for log in logs if log[0].end < ordered)
        worlds = [step.world for step in stayer if step.end > ordered]
        return {
            "stall_s": max(b.end - a.end for a, b in zip(stayer, stayer[1:])),
            # Members that came later than others are let in by a change of their own.
            "changes": sum(a != b for a, b in zip(worlds, worlds[1:])),
        }


def run(setting, rows):
    if os.geteuid() != 0 or not shutil.which("tc"):
        print("joiners: no root or no tc: left out", flush=True)
        return
    state_mib, gradient_kib = (8, 64) if setting.quick else (400, 64)
    state = state_mib << 20
    switches = Switches(4, link_mbit=LINK_MBIT)
    try:
        bridge = f"{switches.name}b0"
        command("ip", "address", "add", f"10.213.7.{HEAD}/24", "dev", bridge)
        stream_s = state / stream(setting, switches, min(state, 100 << 20))
        for joiners in (1, 2) if setting.quick else (1, 3, 7):
            row = {
                "part": "joiners",
                "system": "gleaner",
                "joiners": joiners,
                "state_mib": state_mib,
                "link_mbit": LINK_MBIT,
                "stream_s": stream_s,
                "repetitions": [],
            }
            for _ in range(min(setting.reps, 3)):
                row["repetitions"].append(
                    copied(setting, switches, joiners, state_mib, gradient_kib)
                )
            rows.append(row)
            print(f"joiners: {joiners} done", flush=True)
    finally:
        switches.close()
