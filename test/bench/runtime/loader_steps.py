# SPDX-License-Identifier: Apache-2.0
"""A training whose samples take long to load, for ever; says when each step ended.

    loader_steps.py --log=FILE     appends `END STEP WORLD REDUCE` to FILE.MEMBER

The workers of two members need three quarters of a step for its samples.
"""

import argparse
import os
import time

import gleaner
import torch

SAMPLE_S, BATCH, WORKERS, STEP_S = 0.02, 24, 2, 0.16

parser = argparse.ArgumentParser()
parser.add_argument("--log", required=True)
parser.add_argument("--unannounced", action="store_true", help="changes have no lead")
options = parser.parse_args()
if options.unannounced:
    gleaner.core.Training.loads_ahead = lambda *_: None


class Slow:
    def __len__(self):
        return 1000000

    def __getitem__(self, i):
        time.sleep(SAMPLE_S)
        return torch.tensor([float(i % 7)])


torch.set_num_threads(1)
model = torch.nn.Linear(1, 1)
job = gleaner.init(model, torch.optim.SGD(model.parameters(), lr=1e-3))
loader = gleaner.DataLoader(Slow(), BATCH, num_workers=WORKERS)
with open(f"{options.log}.{os.environ['GLEANER_MEMBER']}", "a", buffering=1) as log:
    for numbers in job.steps(loader, 1000):
        time.sleep(STEP_S)
        job.backward(model(numbers).square().mean())
        began = time.monotonic()
        if not job.step():
            continue  # another batch of it follows
        ended = time.monotonic()
        log.write(
            f"{ended:.6f} {job.step_number} {job.world_size} {ended - began:.6f}\n"
        )
