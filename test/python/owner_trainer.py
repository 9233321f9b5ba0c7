# SPDX-License-Identifier: Apache-2.0
"""The program of a member in the test of on_owner(): the owner opens a file, and
writes a line for each step."""

import argparse
import os
import time
from pathlib import Path

import torch

import gleaner


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--hold")
    options = parser.parse_args()
    torch.manual_seed(1)
    model = torch.nn.Linear(1, 1)
    job = gleaner.init(model, torch.optim.SGD(model.parameters(), lr=0.01))
    files = []

    def own(is_owner):
        if is_owner:
            files.append((Path(options.hold).parent / "lines").open("a"))
        else:
            files.pop().close()

    job.on_owner(own)
    data = [torch.ones(1)] * 90
    for x in job.steps(gleaner.DataLoader(data, 6), passes=24):
        time.sleep(0.2 if os.path.exists(options.hold) else 0.03)
        job.backward(model(x).square().mean())
        if job.step() and files:
            files[0].write(f"{job.step_number} {os.getpid()}\n")
            files[0].flush()


if __name__ == "__main__":
    main()
