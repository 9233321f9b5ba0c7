# SPDX-License-Identifier: Apache-2.0
"""A small transformer learns to write text, on nodes that come and go."""

import argparse

import gleaner
import torch
from models import CharLM, Text
from torch.nn.functional import cross_entropy


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--text", default="/usr/share/common-licenses")
    parser.add_argument("--passes", type=int, default=10)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--context", type=int, default=64, help="characters")
    parser.add_argument("--report-every", type=int, default=50, help="steps")
    return parser.parse_args()


def main():
    options = arguments()
    torch.manual_seed(1)
    text = Text(options.text, options.context)
    model = CharLM(len(text.characters), options.context)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    loader = gleaner.DataLoader(text, options.batch)
    job = gleaner.init(model, optimizer, clip_norm=1.0)
    for characters, following in job.steps(loader, options.passes):
        scores = model(characters)
        loss = cross_entropy(scores.flatten(0, 1), following.flatten())
        job.backward(loss)
        job.step()
        job.log({"loss": loss})
        if job.rank == 0 and job.step_number % options.report_every == 0:
            print(f"step {job.step_number} loss {loss:.3f}", flush=True)
    if job.finished and job.rank == 0:
        torch.save(model.state_dict(), "char_lm.pt")


main()
