# SPDX-License-Identifier: Apache-2.0
"""As step_program.c, in PyTorch: AdamW with clipping and a schedule.

    pytorch_steps.py --log=FILE --gradient-kib=N --state-kib=N
                                 appends `END STEP WORLD REDUCE` to FILE.MEMBER

The rest of the state is a frozen parameter, as the base of a LoRA.
"""

import argparse
import os
import time

import gleaner
import torch

STEP_S, BATCH = 0.02, 32

parser = argparse.ArgumentParser()
parser.add_argument("--log", required=True)
parser.add_argument("--gradient-kib", type=int, default=1024)
parser.add_argument("--state-kib", type=int, default=40960)
options = parser.parse_args()


class Ones:
    def __len__(self):
        return 1000000

    def __getitem__(self, _):
        return torch.ones(1)


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        trained = options.gradient_kib * 256
        rest = options.state_kib * 256 - 3 * trained  # it has two moments
        self.weight = torch.nn.Parameter(torch.zeros(trained))
        self.frozen = torch.nn.Parameter(torch.ones(rest), requires_grad=False)

    def forward(self, x):
        return x.mean() * self.weight.mean() + self.frozen[0]


torch.set_num_threads(1)
model = Model()
optimizer = torch.optim.AdamW([model.weight], lr=1e-3)
schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 100000)
job = gleaner.init(model, optimizer, schedule, clip_norm=1.0)
loader = gleaner.DataLoader(Ones(), BATCH)
with open(f"{options.log}.{os.environ['GLEANER_MEMBER']}", "a", buffering=1) as log:
    for x in job.steps(loader, 1000):
        time.sleep(STEP_S)
        job.backward(model(x))
        began = time.monotonic()
        if not job.step():
            continue  # another batch of it follows
        ended = time.monotonic()
        log.write(
            f"{ended:.6f} {job.step_number} {job.world_size} {ended - began:.6f}\n"
        )
