# SPDX-License-Identifier: Apache-2.0
"""The program of a member in the test of all_reduce(): it evaluates in each step."""

import argparse
import json
import os
import sys
import time

import torch
from torch import nn

import gleaner


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--hold")
    options = parser.parse_args()
    torch.manual_seed(1)
    model = nn.Linear(1, 1)
    job = gleaner.init(model, torch.optim.SGD(model.parameters(), lr=0.01))
    numbers = [torch.tensor(float(i)) for i in range(100)]
    mean = total = None
    for x in job.steps(gleaner.DataLoader(numbers, 20), passes=24):
        time.sleep(0.2 if os.path.exists(options.hold) else 0.02)
        job.backward(model(x[:, None] / 100).square().mean())
        members = job.world_size
        done = job.step()
        if done and mean is not None and mean.known and job.rank == 0:
            found = {"mean": mean["x"], "sum": total["x"], "n": mean.n}
            sys.stdout.write(json.dumps({**found, "members": members}) + "\n")
            sys.stdout.flush()
        with job.evaluate(numbers, 7) as batches:
            values = [float(x) for batch in batches for x in batch]
        if done and values:
            share = {"x": sum(values) / len(values)}
            mean = job.all_reduce(share, n=len(values))
            total = job.all_reduce({"x": sum(values)}, op="sum")


if __name__ == "__main__":
    main()
