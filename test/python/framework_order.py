# SPDX-License-Identifier: Apache-2.0
"""In which order does Gleaner deal out samples?  Given to a plain framework, it
must find the same numbers."""

import torch

import gleaner


class Numbers:
    """As many samples."""

    def __init__(self, n):
        self._n = n

    def __len__(self):
        return self._n

    def __getitem__(self, i):
        return float(i)


def epochs_of(samples, batch, epochs, seed=0):
    """Of each epoch its steps, of each step its samples."""
    model = torch.nn.Linear(1, 1)
    job = gleaner.init(model, torch.optim.SGD(model.parameters(), lr=0))
    found = [[] for _ in range(epochs)]
    loader = gleaner.DataLoader(Numbers(samples), batch, seed=seed)
    for x in job.steps(loader, epochs):
        found[job.pass_number].append(job.samples)
        job.backward(model(x.float()[:, None]).sum())
        job.step()
    return found


class Batches:
    """A batch_sampler: an epoch in each turn."""

    def __init__(self, epochs):
        self._epochs = epochs
        self._turn = 0

    def __len__(self):
        return len(self._epochs[0])

    def __iter__(self):
        turn, self._turn = self._turn, self._turn + 1
        return iter(self._epochs[turn])
