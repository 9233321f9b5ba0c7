# SPDX-License-Identifier: Apache-2.0
"""On which clusters, and with what settings, are logs replayed?"""

from typing import NamedTuple

KTH, THETA_GPU = "kth_sp2_2w_A.swf", "thetagpu_2w_A.swf"

# A second of the replay is minutes of the log.  What Slurm and Gleaner wait for
# by default is compressed with it, as far as they allow: bf_interval is 30 s by
# default and whole seconds; gleaner.yaml(5) wants arrival_hold_s above it.
SLURM = [
    "SchedulerParameters=bf_interval=1,bf_continue,bf_window=1440,bf_resolution=1",
]
GLEANER = [
    "arrival_hold_s=2",
    "hole_s_min=2",
    "leases_per_hour_max=36000",
    # What the trainings here cost, whose program starts at once.
    "start_cost_s=0.3",
    "expand_cost_s=0.2",
    "shrink_cost_s=0.1",
]
EPILOG_S = 2


class Row(NamedTuple):
    name: str
    title: str
    log: str = KTH
    kinds: tuple = ("light:24,cpus=4,weight=1", "heavy:8,cpus=4,weight=10")
    cluster: tuple = ()  # options of minicluster, with Gleaner and without
    gleaner: tuple = ()  # keys of gleaner.yaml
    epilog: str = ""  # the body of a script
    whole: tuple = ("--exclusive",)  # how a job asks for whole nodes
    part: tuple = ()  # ... and for a part of one
    part_share: float = 0.0
    units: int = 1  # GPUs of a node that jobs may have one by one
    training: tuple = ()  # what a training asks of each node
    baseline: str = ""  # the row whose runs without Gleaner are this one's too
    repeats: int = 1  # runs without Gleaner
    needs_key: str = ""  # of gleaner.yaml, without which there is no such row
    by_default: bool = True

    @property
    def nodes(self):
        return sum(int(kind.split(",")[0].split(":")[1]) for kind in self.kinds)

    @property
    def members(self):
        """That train when everything is lent."""
        return self.nodes * (self.units if "lease=parts" in self.gleaner else 1)


GPU_NODES = dict(
    log=THETA_GPU,
    # Two GPUs each, not eight: every GPU that is lent is a process here.
    kinds=("gpus:32,cpus=4,gpu:a100=2",),
    cluster=(
        *("--slurm", "SelectTypeParameters=CR_Core_Memory"),
        *("--slurm", "DefMemPerCPU=1000"),
        *("--slurm", f"{SLURM[0]},preempt_reorder_count=2"),
    ),
    whole=("--exclusive", "--gres=gpu:a100:2"),
    part=("--ntasks=1", "--cpus-per-task=2", "--gres=gpu:a100:1"),
    part_share=0.5,
    units=2,
)

ROWS = [
    Row(
        "small",
        "nodes of two Weights; does all of it still work?",
        log=THETA_GPU,
        kinds=("light:6,cpus=4,weight=1", "heavy:2,cpus=4,weight=10"),
        by_default=False,
    ),
    Row("plain", "nodes of two Weights", repeats=2),
    Row(
        "epilog",
        f"nodes with an Epilog of {EPILOG_S} s, but not for leases",
        epilog=f'[ "$SLURM_JOB_PARTITION" = lease ] || sleep {EPILOG_S}',
        gleaner=(f"release_lead_s={EPILOG_S}",),
    ),
    Row(
        "epilog_on_leases",
        f"nodes with an Epilog of {EPILOG_S} s, for leases too",
        epilog=f"sleep {EPILOG_S}",
        gleaner=(f"release_lead_s={2 + EPILOG_S}",),
        baseline="epilog",
    ),
    Row("accounting", "nodes, with slurmdbd and limits", cluster=("--accounting",)),
    Row("gpus", "nodes of 2 GPUs", **GPU_NODES, training=("--gres=gpu:a100:2",)),
    Row(
        "parts",
        "nodes of 2 GPUs, lent in parts",
        **GPU_NODES,
        training=("--gres=gpu:a100:1",),
        gleaner=("lease=parts", "parts_per_node_max=2"),
        baseline="gpus",
        needs_key="lease",
    ),
]


def node_weights(row):
    """{node: Weight}, in Slurm's order of nodes."""
    weights, number = {}, 1
    for kind in row.kinds:
        head, *keys = kind.split(",")
        given = dict(key.split("=", 1) for key in keys)
        for number in range(number, number + int(head.split(":")[1])):
            weights[f"n{number}"] = int(given.get("weight", 1))
        number += 1
    return weights
