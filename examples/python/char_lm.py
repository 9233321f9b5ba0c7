# SPDX-License-Identifier: Apache-2.0
"""A small transformer learns to write text: an ordinary program."""

import argparse

import torch
from models import CharLM, Text
from torch.nn.functional import cross_entropy
from torch.utils.data import DataLoader


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
    loader = DataLoader(text, options.batch, shuffle=True)
    batches = (batch for _ in range(options.passes) for batch in loader)
    for step, (characters, following) in enumerate(batches, 1):
        scores = model(characters)
        loss = cross_entropy(scores.flatten(0, 1), following.flatten())
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        if step % options.report_every == 0:
            print(f"step {step} loss {loss:.3f}", flush=True)
    torch.save(model.state_dict(), "char_lm.pt")


main()
