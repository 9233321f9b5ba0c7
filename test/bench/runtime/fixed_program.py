# SPDX-License-Identifier: Apache-2.0
"""One of two processes that train a model with Gleaner and with
DistributedDataParallel in turns: same threads, batch, data and optimizer.

A turn is STEPS steps of one and then as many of the other.  What a step is, in
both: load the batch, forward, backward with the reduction, clip, update.

    fixed_program.py --model=char_lm|wide --turns=N --rendezvous=FILE --out=FILE
"""

import argparse
import json
import time

import gleaner
import torch
import torch.distributed as dist
from models import CharLM, Text
from torch.nn.functional import cross_entropy, mse_loss
from torch.utils.data import DataLoader, Dataset

STEPS = 10
WARM_UP_TURNS = 2


class Vectors(Dataset):
    """Sample i: a vector, and what to make of it."""

    def __init__(self, width):
        draw = torch.Generator().manual_seed(1)
        self._all = torch.randn(4096, width, generator=draw)

    def __len__(self):
        return len(self._all)

    def __getitem__(self, i):
        return self._all[i], -self._all[i]


class Repeated(Dataset):
    """As many samples as the turns need."""

    def __init__(self, data, size):
        self._data, self._size = data, size

    def __len__(self):
        return self._size

    def __getitem__(self, i):
        return self._data[i % len(self._data)]


def character_model():
    torch.manual_seed(1)
    text = Text("/usr/share/common-licenses", 64)
    model = CharLM(len(text.characters), 64)

    def loss(scores, following):
        return cross_entropy(scores.flatten(0, 1), following.flatten())

    return model, text, loss, 32


def wide_model():
    """10 MiB of gradients, little to compute."""
    torch.manual_seed(1)
    width, layers = 512, 10
    parts = []
    for _ in range(layers):
        parts += [torch.nn.Linear(width, width), torch.nn.ReLU()]
    return torch.nn.Sequential(*parts[:-1]), Vectors(width), mse_loss, 16


MODELS = {"char_lm": character_model, "wide": wide_model}


class Share(torch.utils.data.Sampler):
    """Batch after batch, this rank's part of it."""

    def __init__(self, size, batch, rank, world):
        self._size, self._batch = size, batch
        self._first, self._last = batch * rank // world, batch * (rank + 1) // world

    def __iter__(self):
        draw = torch.Generator().manual_seed(1)
        order = torch.randperm(self._size, generator=draw).tolist()
        for at in range(0, self._size, self._batch):
            yield order[at + self._first : at + self._last]


class Parallel:
    """The training with DistributedDataParallel."""

    def __init__(self, kind, steps, rank, world):
        self._model, data, self._loss, batch = MODELS[kind]()
        data = Repeated(data, steps * batch)
        wrap = torch.nn.parallel.DistributedDataParallel
        # Gloo does not broadcast bool, and the mask is the same everywhere.
        wrap._set_params_and_buffers_to_ignore_for_model(self._model, ["future"])
        self._parallel = wrap(self._model)
        self._optimizer = torch.optim.AdamW(self._model.parameters(), lr=1e-3)
        sampler = Share(len(data), batch, rank, world)
        self._batches = iter(DataLoader(data, batch_sampler=sampler))

    def step(self):
        given, expected = next(self._batches)
        loss = self._loss(self._parallel(given), expected)
        self._optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self._model.parameters(), 1.0)
        self._optimizer.step()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", choices=sorted(MODELS), required=True)
    parser.add_argument("--turns", type=int, required=True)
    parser.add_argument("--rendezvous", required=True)
    parser.add_argument("--out", required=True)
    options = parser.parse_args()
    torch.set_num_threads(1)
    model, data, loss_of, batch = MODELS[options.model]()
    steps = (options.turns + WARM_UP_TURNS) * STEPS
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    job = gleaner.init(model, optimizer, clip_norm=1.0)
    loader = gleaner.DataLoader(Repeated(data, steps * batch), batch)
    parallel = None
    ours_ms, theirs_ms = [], []
    for given, expected in job.steps(loader):
        if parallel is None:
            parallel = make_parallel(options, steps, job)
            began = time.monotonic()
        job.backward(loss_of(model(given), expected))
        job.step()
        if job.step_number % STEPS:
            continue
        dist.barrier()
        between = time.monotonic()
        for _ in range(STEPS):
            parallel.step()
        dist.barrier()
        ours_ms.append(1e3 * (between - began) / STEPS)
        began = time.monotonic()
        theirs_ms.append(1e3 * (began - between) / STEPS)
    if job.rank == 0:
        with open(options.out, "w") as file:
            found = {
                "steps_per_turn": STEPS,
                "step_ms": ours_ms[WARM_UP_TURNS:],
                "ddp_step_ms": theirs_ms[WARM_UP_TURNS:],
            }
            json.dump(found, file)


def make_parallel(options, steps, job):
    dist.init_process_group(
        "gloo",
        init_method="file://" + options.rendezvous,
        rank=job.rank,
        world_size=job.world_size,
    )
    parallel = Parallel(options.model, steps, job.rank, job.world_size)
    dist.barrier()
    return parallel


main()
