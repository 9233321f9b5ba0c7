# SPDX-License-Identifier: Apache-2.0
"""The program of a member whose joiners follow, or must not.

Prints at its end a hash of all that training has made.
"""

import argparse
import hashlib
import os
import sys
import time

import torch
from torch import nn
from torch.optim import SGD, Adam, AdamW, lr_scheduler
from torch.optim.swa_utils import AveragedModel
from trainer import SAMPLES, Points

import gleaner

BATCH, PASSES = 16, 4
STEPS = SAMPLES * PASSES // BATCH


def network(norm=False):
    torch.manual_seed(1)
    layers = [nn.BatchNorm1d(32)] if norm else []
    return nn.Sequential(nn.Linear(8, 32), *layers, nn.Tanh(), nn.Linear(32, 1))


def plain():
    """SGD alone"""
    model = network()
    return {"model": model, "optimizer": SGD(model.parameters(), 0.01)}


def sgd():
    """SGD with momentum, clipping and OneCycleLR"""
    model = network()
    optimizer = SGD(model.parameters(), 0.01, momentum=0.9, nesterov=True)
    schedule = lr_scheduler.OneCycleLR(optimizer, 0.02, STEPS)
    return {
        **{"model": model, "optimizer": optimizer},
        **{"scheduler": schedule, "clip_norm": 1.0},
    }


def adamw():
    """AdamW with clipping, a warmup of the program's and an average"""
    model, warmup, decay = network(), 30, 0.95
    optimizer = AdamW(model.parameters(), 0.01)
    schedule = lr_scheduler.LambdaLR(optimizer, lambda n: min(1.0, (n + 1) / warmup))
    ema = AveragedModel(model, avg_fn=lambda a, p, n: decay * a + (1 - decay) * p)
    return {
        **{"model": model, "optimizer": optimizer, "scheduler": schedule},
        **{"clip_norm": 0.5, "ema": ema},
    }


def foreach():
    """Adam in its foreach form, schedules in sequence"""
    model = network()
    optimizer = Adam(model.parameters(), 0.01, foreach=True, amsgrad=True)
    parts = [
        lr_scheduler.LinearLR(optimizer, total_iters=20),
        lr_scheduler.CosineAnnealingLR(optimizer, STEPS),
    ]
    schedule = lr_scheduler.SequentialLR(optimizer, parts, [20])
    return {"model": model, "optimizer": optimizer, "scheduler": schedule}


def scaler():
    """PyTorch's GradScaler, a schedule by passes, a frozen layer"""
    model = network()
    model[0].bias.requires_grad_(False)
    optimizer = AdamW(model.parameters(), 0.01)
    if hasattr(torch.amp, "GradScaler"):
        scaler = torch.amp.GradScaler("cpu", growth_interval=7)
    else:
        scaler = torch.cuda.amp.GradScaler(enabled=False)
    return {
        **{"model": model, "optimizer": optimizer, "scaler": scaler},
        **{"scheduler": lr_scheduler.StepLR(optimizer, 1, 0.8)},
        **{"scheduler_every": "pass"},
    }


def norm():
    """BatchNorm, whose statistics an average keeps too"""
    model = network(norm=True)
    return {
        **{"model": model, "optimizer": AdamW(model.parameters(), 0.01)},
        **{"ema": AveragedModel(model, use_buffers=True), "batch_norm": "share"},
    }


def own():
    """an update of the program's own"""
    model = network()
    optimizer = SGD(model.parameters(), 0.01)
    return {"model": model, "optimizer": optimizer, "update": optimizer.step}


def by_hand():
    """SGD with momentum, whose rate the loop sets"""
    model = network()
    return {"model": model, "optimizer": SGD(model.parameters(), 0.01, momentum=0.9)}


PROGRAMS = {f.__name__: f for f in (plain, sgd, adamw, foreach, scaler, norm)}
COPIED = {f.__name__: f for f in (own, by_hand)}


def digest_of(made):
    """Of parameters, buffers, moments, average, schedule and scaler."""
    tensors = [*made["model"].state_dict().values()]
    for parameter in made["model"].parameters():
        entries = made["optimizer"].state.get(parameter, {})
        tensors += [v for _, v in sorted(entries.items()) if torch.is_tensor(v)]
    if "ema" in made:
        tensors += made["ema"].state_dict().values()
    digest = hashlib.sha256()
    for tensor in tensors:
        digest.update(tensor.detach().numpy().tobytes())
    rates = [group["lr"] for group in made["optimizer"].param_groups]
    digest.update(repr(rates).encode())
    if "scaler" in made:
        digest.update(repr(sorted(made["scaler"].state_dict().items())).encode())
    return digest.hexdigest()[:16]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program", choices=[*PROGRAMS, *COPIED])
    parser.add_argument("--hold", help="while this file is there, steps take 100 ms")
    options = parser.parse_args()
    made = {**PROGRAMS, **COPIED}[options.program]()
    job = gleaner.init(**made)
    loader = gleaner.DataLoader(Points(), BATCH, seed=7)
    for x, y in job.steps(loader, PASSES):
        time.sleep(0.1 if os.path.exists(options.hold) else 0.01)
        if options.program == "by_hand":
            made["optimizer"].param_groups[0]["lr"] = 0.01 / job.step_number
        job.backward(nn.functional.mse_loss(made["model"](x)[:, 0], y))
        job.step()
    # One write: members share the file.
    word = "done" if job.finished else "left"
    sys.stdout.write(f"{word} {digest_of(made)}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
