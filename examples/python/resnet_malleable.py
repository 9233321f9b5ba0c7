# SPDX-License-Identifier: Apache-2.0
"""A small residual network learns shapes in noise, on nodes that come and go."""

import argparse

import gleaner
import torch
from models import Shapes, resnet
from torch.nn.functional import cross_entropy


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
    loader = gleaner.DataLoader(train_set, options.batch, num_workers=options.workers)
    job = gleaner.init(model, optimizer, scheduler)
    for images, labels in job.steps(loader, options.passes):
        loss = cross_entropy(model(images), labels)
        job.backward(loss)
        job.step()
        job.log({"loss": loss})
        if job.step_number % options.evaluate_every == 0:
            with job.evaluate(test_set, 128) as batches:
                job.log({"accuracy": accuracy(model, batches)}, n=batches.n)
    if job.finished and job.rank == 0:
        torch.save(model.state_dict(), "resnet.pt")


main()
