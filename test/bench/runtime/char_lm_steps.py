# SPDX-License-Identifier: Apache-2.0
"""The character model of examples/python, for ever; says when each step ended.

    char_lm_steps.py --log=FILE     appends `END STEP WORLD REDUCE` to FILE.MEMBER
"""

import argparse
import os
import time

import gleaner
import torch
from models import CharLM, Text
from torch.nn.functional import cross_entropy

parser = argparse.ArgumentParser()
parser.add_argument("--log", required=True)
options = parser.parse_args()

torch.set_num_threads(1)
torch.manual_seed(1)
text = Text("/usr/share/common-licenses", 64)
model = CharLM(len(text.characters), 64)
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
loader = gleaner.DataLoader(text, 32)
job = gleaner.init(model, optimizer, clip_norm=1.0)
with open(f"{options.log}.{os.environ['GLEANER_MEMBER']}", "a", buffering=1) as log:
    for characters, following in job.steps(loader, 1000000):
        scores = model(characters)
        loss = cross_entropy(scores.flatten(0, 1), following.flatten())
        job.backward(loss)
        began = time.monotonic()
        if not job.step():
            continue  # another batch of it follows
        ended = time.monotonic()
        log.write(f"{ended:.6f} {job.step_number} {job.world_size} {ended - began:.6f}\n")
