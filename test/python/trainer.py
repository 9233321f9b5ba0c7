# SPDX-License-Identifier: Apache-2.0
"""The program that the tests train with several members.

It fits a small network, logs each step's loss, and prints at its end how many
updates its state has seen and a hash of parameters, their average and the
optimizer's moments.
"""

import argparse
import hashlib
import os
import sys
import time

import torch
from torch import nn

import gleaner
from gleaner import core, device

SAMPLES = 960
BATCH = 16


class Points:
    """Sample i: eight numbers, and a function of them to be learned.  Each load
    is a line of the file `loads`."""

    def __init__(self, sample_ms=0.0, loads=None):
        self.sample_ms = sample_ms
        self.loads = loads
        self.member = os.getpid()

    def __len__(self):
        return SAMPLES

    def __getitem__(self, i):
        if self.sample_ms:
            time.sleep(self.sample_ms / 1000)
        self.note(i)
        x = torch.randn(8, generator=torch.Generator().manual_seed(i))
        return x, x.prod() + x.sum()

    def note(self, number):
        if self.loads:
            with open(self.loads, "a") as file:
                file.write(f"{time.monotonic()} {self.member} {number}\n")


def objects(dropout=0.0, norm=False):
    """Model, optimizer, scheduler, average; always the same."""
    torch.manual_seed(1)
    model = nn.Sequential(
        nn.Linear(8, 32),
        *([nn.BatchNorm1d(32)] if norm else []),
        nn.Tanh(),
        nn.Dropout(dropout),
        nn.Linear(32, 1),
    )
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 50, 0.7)
    average = torch.optim.swa_utils.AveragedModel(model)
    return model, optimizer, scheduler, average


def move(model, where):
    """The tensors are on a GPU, or Gleaner takes them for a GPU's."""
    if where == "cuda":
        # Members that share a GPU claim hosts of their own; see test/gpu.
        os.environ["NCCL_HOSTID"] = "member-" + os.environ.get("GLEANER_MEMBER", "0")
        model.to("cuda")
    elif where == "double":
        plain = device.number_of
        device.number_of = lambda t: 0 if t.dim() else plain(t)
        device.stream_of = lambda _: int(os.environ["GLEANER_TEST_STREAM"])
        device.name_of = lambda _: "the double of a GPU"
        device.tensor_at = lambda address, like: torch.frombuffer(
            core.memory_at(address, like.numel() * like.element_size()),
            dtype=like.dtype,
        ).view(like.shape)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--passes", type=int, default=2)
    parser.add_argument("--step-ms", type=float, default=0)
    parser.add_argument("--hold", help="while this file is there, steps take 300 ms")
    parser.add_argument("--linger", help="while this file is there, so does a joiner")
    parser.add_argument("--norm", action="store_true", help="over each share")
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--sample-ms", type=float, default=0)
    parser.add_argument("--loads", help="file that tells of each load")
    parser.add_argument("--evaluate-at", type=int, default=0, help="step")
    parser.add_argument("--dropout", type=float, default=0)
    parser.add_argument("--stop-at", type=int, default=0, help="rank 0, in this step")
    parser.add_argument("--memory", type=int, default=SAMPLES, help="samples")
    parser.add_argument("--device", choices=["cpu", "cuda", "double"], default="cpu")
    options = parser.parse_args()

    model, optimizer, scheduler, average = objects(options.dropout, options.norm)
    move(model, options.device)
    move(average, options.device)
    counted = {"updates": 0}
    job = gleaner.init(
        model,
        optimizer,
        scheduler,
        clip_norm=5.0,
        ema=average,
        state={"counted": counted},
        batch_norm="share" if options.norm else None,
    )
    points = Points(options.sample_ms, options.loads)
    loader = gleaner.DataLoader(
        points, batch_size=BATCH, seed=7, num_workers=options.workers
    )
    stays = bool(options.linger)
    for x, y in job.steps(loader, passes=options.passes):
        while stays and job.step_number > 1 and os.path.exists(options.linger):
            time.sleep(0.02)
        stays = False
        points.note(-job.step_number)
        held = options.hold and os.path.exists(options.hold)
        time.sleep(0.3 if held else options.step_ms / 1000)
        if options.device == "cuda":
            x, y = x.cuda(), y.cuda()
        if job.rank == 0 and job.step_number == options.stop_at:
            job.stop()
        done = False
        with job.part():
            if len(x) > options.memory:
                raise RuntimeError("CUDA out of memory")
            loss = nn.functional.mse_loss(model(x)[:, 0], y)
            mean = job.mean(loss)
            job.backward(loss)
            done = job.step()
            job.log({"loss": loss, "members": job.world_size})
        if done:
            counted["updates"] += 1
            job.log({"reduced_loss": float(mean)})
        if job.step_number == options.evaluate_at and job.rank == 0:
            with job.evaluate(Points()) as batches:
                sum(nn.functional.mse_loss(model(x)[:, 0], y) for x, y in batches)
                time.sleep(3)
    digest = hashlib.sha256()
    moments = [
        moment
        for parameter in model.parameters()
        for _, moment in sorted(optimizer.state[parameter].items())
    ]
    averages = [*average.parameters(), *model.buffers()]
    for tensor in [*model.parameters(), *averages, *moments]:
        digest.update(tensor.detach().cpu().numpy().tobytes())
    # One write: members share the file, and print() writes the end of a line
    # by itself when output is not buffered.
    sys.stdout.write(
        f"{'done' if job.finished else 'left'} updates={counted['updates']} "
        f"rate={scheduler.get_last_lr()[0]:.9f} hash={digest.hexdigest()[:16]}\n"
    )
    sys.stdout.flush()


if __name__ == "__main__":
    main()
