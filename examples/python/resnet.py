# SPDX-License-Identifier: Apache-2.0
"""A small residual network learns shapes in noise: an ordinary program."""

import argparse

import torch
from models import Shapes, resnet
from torch.nn.functional import cross_entropy
from torch.utils.data import DataLoader


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--samples", type=int, default=8192)
    parser.add_argument("--passes", type=int, default=10)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--evaluate-every", type=int, default=100, help="steps")
    return parser.parse_args()


@torch.no_grad()
def accuracy(model, batches):
    model.eval()
    right = [model(images).argmax(1) == labels for images, labels in batches]
    model.train()
    return torch.cat(right).float().mean().item() if right else 0.0


def main():
    options = arguments()
    torch.manual_seed(1)
    train_set, test_set = Shapes(options.samples, seed=1), Shapes(512, seed=2)
    model = resnet()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    steps = options.passes * -(-len(train_set) // options.batch)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, steps)
    loader = DataLoader(
        train_set, options.batch, shuffle=True, num_workers=options.workers
    )
    batches = (batch for _ in range(options.passes) for batch in loader)
    for step, (images, labels) in enumerate(batches, 1):
        loss = cross_entropy(model(images), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        scheduler.step()
        if step % options.evaluate_every == 0:
            found = accuracy(model, DataLoader(test_set, 128))
            print(f"step {step} loss {loss:.3f} accuracy {found:.3f}", flush=True)
    torch.save(model.state_dict(), "resnet.pt")


main()
