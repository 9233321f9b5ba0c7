# SPDX-License-Identifier: Apache-2.0
"""A small problem, trained by Gleaner and by a plain loop, to be compared."""

import torch
from torch import nn

import gleaner

SAMPLES, BATCH, SEED = 200, 16, 3


class Points:
    """Sample i: (eight numbers, what is to be learned of them)."""

    def __len__(self):
        return SAMPLES

    def __getitem__(self, i):
        x = torch.randn(8, generator=torch.Generator().manual_seed(i))
        return x, x.prod() + x.sum()


def network():
    """Always the same one."""
    torch.manual_seed(1)
    return nn.Sequential(nn.Linear(8, 16), nn.Tanh(), nn.Linear(16, 1))


def loss_of(model, batch):
    x, y = batch
    return nn.functional.mse_loss(model(x)[:, 0], y)


def order(passes=1):
    """The samples of each step, as Gleaner deals them out to one member."""
    model = nn.Linear(1, 1)
    job = gleaner.init(model, torch.optim.SGD(model.parameters(), lr=0))
    loader = gleaner.DataLoader(Points(), batch_size=BATCH, seed=SEED)
    steps = []
    for x, _ in job.steps(loader, passes=passes):
        steps.append(job.samples)
        job.backward(model(x[:, :1]).sum())
        job.step()
    return steps


def collated(samples):
    points = Points()
    xs, ys = zip(*(points[i] for i in samples))
    return torch.stack(xs), torch.stack(ys)


def train_plainly(model, optimizer, after_backward=None, after_step=None, passes=1):
    """The loop of a textbook, on the same samples; the losses."""
    losses = []
    for samples in order(passes):
        optimizer.zero_grad()
        loss = loss_of(model, collated(samples))
        loss.backward()
        if after_backward:
            after_backward()
        optimizer.step()
        if after_step:
            after_step()
        losses.append(loss.item())
    return losses


def train(model, optimizer, passes=1, loader=None, **options):
    """The malleable loop; the losses."""
    job = gleaner.init(model, optimizer, **options)
    loader = loader or gleaner.DataLoader(Points(), batch_size=BATCH, seed=SEED)
    losses = []
    for batch in job.steps(loader, passes=passes):
        loss = loss_of(model, batch)
        job.backward(loss)
        job.step()
        losses.append(loss.item())
    return losses


def values(model):
    """All its numbers, to be compared bit by bit."""
    return [tensor.tolist() for tensor in model.state_dict().values()]
