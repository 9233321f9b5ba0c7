# SPDX-License-Identifier: Apache-2.0
"""A loop of Accelerate's learns shapes in noise, on nodes that come and go.

Two lines differ from a program for one node: where Accelerator comes from, and the
number of epochs that it is told."""

import argparse

import torch
from gleaner.accelerate import Accelerator
from models import Shapes, resnet
from torch.nn.functional import cross_entropy
from torch.utils.data import DataLoader


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--samples", type=int, default=2048)
    options = parser.parse_args()
    torch.manual_seed(1)
    accelerator = Accelerator(epochs=options.epochs)
    model = resnet()
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    loader = DataLoader(Shapes(options.samples, seed=1), batch_size=64, shuffle=True)
    steps = options.epochs * len(loader)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, steps)
    model, optimizer, loader, schedule = accelerator.prepare(
        model, optimizer, loader, schedule
    )
    for epoch in range(options.epochs):
        for images, labels in loader:
            optimizer.zero_grad()
            loss = cross_entropy(model(images), labels)
            accelerator.backward(loss)
            accelerator.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            accelerator.job.log({"loss": loss})
        accelerator.print(f"epoch {epoch} loss {loss:.3f}", flush=True)
    accelerator.save(accelerator.unwrap_model(model).state_dict(), "accelerated.pt")


if __name__ == "__main__":
    main()
