# SPDX-License-Identifier: Apache-2.0
"""The program that chaos trains with PROGRAM=python.

As test/runtime/trainer it adds up the numbers of all samples.  Beside that it trains
as people do: BatchNorm, autocast to bfloat16, momentum, an average, loader workers,
and with 3,000,000 parameters several buckets.  SIGUSR1: it computes for ever.
"""

import argparse
import hashlib
import signal
import sys
import time

import torch
from torch import nn

import gleaner

WIDTH, WORKERS = 16, 1


class Numbers:
    """Sample i: i + 1, some numbers, and a function of them to be learned."""

    def __init__(self, count):
        self._count = count

    def __len__(self):
        return self._count

    def __getitem__(self, i):
        x = torch.randn(WIDTH, generator=torch.Generator().manual_seed(i))
        return float(i + 1), x, x.prod() + x.sum()


class Model(nn.Module):
    def __init__(self, params):
        super().__init__()
        hidden = max(WIDTH, params // (WIDTH + 4))
        self.first = nn.Linear(WIDTH, hidden)
        self.norm = nn.BatchNorm1d(hidden)
        self.last = nn.Linear(hidden, 1)
        self.total = nn.Parameter(torch.zeros((), dtype=torch.float64))

    def forward(self, x):
        return self.last(torch.tanh(self.norm(self.first(x))))[:, 0]


def hang(*_):
    while True:
        pass


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--samples", type=int, required=True)
    parser.add_argument("--batch", type=int, required=True)
    parser.add_argument("--passes", type=int, required=True)
    parser.add_argument("--step-ms", type=float, default=0)
    parser.add_argument("--params", type=int, default=20000)
    return parser.parse_args()


def main():
    options = arguments()
    torch.set_num_threads(1)
    torch.manual_seed(1)
    model = Model(options.params)
    learned = [p for p in model.parameters() if p is not model.total]
    optimizer = torch.optim.SGD(
        [
            {"params": learned, "lr": 1e-3, "momentum": 0.9},
            # The gradient is a mean, the rate makes it a sum again.
            {"params": [model.total], "lr": options.batch},
        ],
        lr=1,
    )
    average = torch.optim.swa_utils.AveragedModel(model)
    job = gleaner.init(model, optimizer, ema=average, batch_norm="share")
    numbers = Numbers(options.samples)
    loader = gleaner.DataLoader(numbers, options.batch, seed=7, num_workers=WORKERS)
    signal.signal(signal.SIGUSR1, hang)
    for number, x, y in job.steps(loader, options.passes):
        time.sleep(options.step_ms / 1000)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            loss = nn.functional.mse_loss(model(x).float(), y)
        # In float64: number's mean is a whole number of parts of the batch.
        job.backward(loss + model.total * number.double().mean())
        job.step()
    digest = hashlib.sha256()
    for tensor in [*model.state_dict().values(), *average.state_dict().values()]:
        digest.update(tensor.detach().numpy().tobytes())
    if job.finished:  # one write: members share the file
        total = -model.total.item()
        sys.stdout.write(f"done weight={total:.1f} hash={digest.hexdigest()[:16]}\n")


if __name__ == "__main__":
    main()
