# SPDX-License-Identifier: Apache-2.0
"""The program of a member in the test of Accelerate: with --plain, without Gleaner.

What differs is where Accelerator comes from, and the order of the loader, which is
Gleaner's in both."""

import argparse
import os
import time
import warnings
from pathlib import Path

import torch
from framework_order import Batches, epochs_of
from torch import nn
from torch.utils.data import DataLoader

warnings.filterwarnings("ignore")

SAMPLES, BATCH, EPOCHS = 203, 16, 3  # the last batch of an epoch has 11


class Points:
    """Sample i: four numbers, and a function of them."""

    def __init__(self, n=SAMPLES, first=0):
        self._n, self._first = n, first

    def __len__(self):
        return self._n

    def __getitem__(self, i):
        random = torch.Generator().manual_seed(self._first + i)
        x = torch.randn(4, generator=random, dtype=torch.float64)
        return x, x.prod() + x.sum()


def network():
    torch.manual_seed(1)
    return nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 1)).double()


def loaders(options, parts):
    if options.plain:
        order = epochs_of(SAMPLES, BATCH, EPOCHS)
        train = DataLoader(Points(), batch_sampler=Batches(order))
    elif options.stateful:
        from torchdata.stateful_dataloader import StatefulDataLoader

        train = StatefulDataLoader(Points(), BATCH // parts, shuffle=True)
    else:
        train = DataLoader(Points(), BATCH // parts, shuffle=True)
    return train, DataLoader(Points(64, first=10**6), 32)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--plain", action="store_true")
    parser.add_argument("--accumulate", type=int, default=1)
    parser.add_argument("--stateful", action="store_true")
    parser.add_argument("--per-epoch", action="store_true", help="steps the schedule")
    parser.add_argument("--hold", required=True)
    options = parser.parse_args()
    torch.set_num_threads(1)
    parts = 1 if options.plain else options.accumulate
    if options.plain:
        from accelerate import Accelerator

        accelerator = Accelerator(cpu=True)
    else:
        from gleaner.accelerate import Accelerator

        every = "pass" if options.per_epoch else "step"
        accelerator = Accelerator(
            cpu=True,
            epochs=EPOCHS,
            scheduler_every=every,
            gradient_accumulation_steps=parts,
        )
    model = network()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    schedule = torch.optim.lr_scheduler.StepLR(
        optimizer, 1 if options.per_epoch else 10, 0.8
    )
    model, optimizer, train, validation, schedule = accelerator.prepare(
        model, optimizer, *loaders(options, parts), schedule
    )
    validated, steps = [], 0
    for epoch in range(EPOCHS):
        model.train()
        for x, y in train:
            late = steps > 15
            time.sleep((1.5 if late else 0.3) if os.path.exists(options.hold) else 0)
            with accelerator.accumulate(model):
                loss = nn.functional.mse_loss(model(x)[:, 0], y)
                accelerator.backward(loss)
                if accelerator.sync_gradients:
                    accelerator.clip_grad_norm_(model.parameters(), 1.0)
                optimizer.step()
                if not options.per_epoch:
                    schedule.step()
                optimizer.zero_grad()
            steps += accelerator.sync_gradients
        if options.per_epoch:
            schedule.step()
        model.eval()
        with torch.no_grad():
            losses = [nn.functional.mse_loss(model(x)[:, 0], y) for x, y in validation]
        validated.append((epoch, sum(map(float, losses)) / len(losses)))
    if options.plain or accelerator.job.finished:
        found = {
            "weights": dict(accelerator.unwrap_model(model).state_dict()),
            "validated": validated[-1:],  # a joiner has seen the last ones only
            "epoch": epoch,
            "zero": accelerator.is_main_process,
        }
        torch.save(found, Path(options.hold).parent / f"final-{os.getpid()}")


if __name__ == "__main__":
    main()
