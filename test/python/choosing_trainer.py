# SPDX-License-Identifier: Apache-2.0
"""The program of a member in the tests of samplers and streams: it counts.

weight[i] becomes the number of times that sample i was used, in steps that count."""

import argparse
import json
import os
import random
import sys
import time

import torch
from torch import nn
from torch.utils.data import DataLoader, IterableDataset, WeightedRandomSampler

import gleaner

N, BATCH, SEED, PASSES = 96, 8, 5, 8


class Numbers:
    """Sample i is i."""

    def __len__(self):
        return N

    def __getitem__(self, i):
        return i


class Buckets:
    """Batches of like length, which is i // 32; shuffled within and among buckets."""

    batch_size = BATCH

    def __iter__(self):
        batches = []
        for bucket in range(0, N, 32):
            samples = random.sample(range(bucket, bucket + 32), 32)
            batches += [samples[i : i + BATCH] for i in range(0, 32, BATCH)]
        random.shuffle(batches)
        return iter(batches)


class Shuffled(IterableDataset):
    """A stream with a shuffle buffer, as data on tapes have it."""

    read = 0

    def __iter__(self):
        buffer = []
        for i in range(N):
            Shuffled.read += 1
            buffer.append(i)
            if len(buffer) == 16:
                yield buffer.pop(random.randrange(16))
        yield from buffer


class Sharded(IterableDataset):
    """The first N numbers as n streams: shard k of n has those with i % n == k."""

    read = 0

    def __init__(self, n=1, k=0):
        self.n, self.k = n, k

    def shard(self, n, k):
        return Sharded(n, k)

    def __iter__(self):
        for i in range(self.k, N, self.n):
            Sharded.read += 1
            yield i


def weighted():
    weights = [1.0 + i % 7 for i in range(N)]
    return WeightedRandomSampler(weights, N, replacement=True)


LOADERS = {
    "weighted": lambda **o: gleaner.DataLoader(
        Numbers(), BATCH, sampler=weighted(), seed=SEED, **o
    ),
    "sequential": lambda **o: gleaner.DataLoader(
        Numbers(), BATCH, sampler=range(N), seed=SEED, **o
    ),
    "buckets": lambda **o: gleaner.DataLoader(
        Numbers(), batch_sampler=Buckets(), seed=SEED, **o
    ),
    "torch": lambda **o: DataLoader(Numbers(), batch_sampler=Buckets(), **o),
    "stream": lambda **o: gleaner.DataLoader(
        Shuffled(), BATCH, samples=N, seed=SEED, **o
    ),
    "shards": lambda **o: gleaner.DataLoader(
        Sharded(), BATCH, samples=N, shards=4, seed=SEED, **o
    ),
}


class Counter(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(N, dtype=torch.float64))

    def forward(self, samples):
        return -self.weight[samples]


def train(loader, passes=PASSES, each=lambda job, samples: None):
    model = Counter()
    job = gleaner.init(model, torch.optim.SGD(model.parameters(), lr=float(BATCH)))
    for samples in job.steps(loader, passes=passes):
        each(job, samples.tolist())
        job.backward(model(samples).mean())
        job.step()
    return [round(x, 6) for x in model.weight.tolist()], job.finished


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("loader")
    parser.add_argument("--hold")
    parser.add_argument("--workers", type=int, default=0)
    options = parser.parse_args()

    def each(job, samples):
        assert options.loader in ("stream", "shards") or job.samples == samples
        say(step=job.step_number, samples=samples)
        time.sleep(0.2 if os.path.exists(options.hold) else 0.02)

    make = LOADERS[options.loader]
    loader = make(num_workers=options.workers) if options.workers else make()
    counts, finished = train(loader, each=each)
    say(counts=counts, finished=finished, read=Shuffled.read + Sharded.read)


def say(**what):
    sys.stdout.write(json.dumps(what) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
