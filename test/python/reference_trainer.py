# SPDX-License-Identifier: Apache-2.0
"""The program of a member in the reference test: one of its trainings."""

import argparse
import os
import time

import torch
from reference_cases import PROGRAMS, SAMPLES

import gleaner

SEED = 11


class Numbers:
    """Sample i is i."""

    def __len__(self):
        return SAMPLES

    def __getitem__(self, i):
        return i


def train(case, pause=lambda step: None):
    """Its losses by step, as far as this member knows them; None if it left."""
    losses = {}
    options = case.options(lambda: job.step_number)
    state = {"losses": losses, **options.pop("state", {})}
    job = gleaner.init(case.model, case.optimizer, state=state, **options)
    loader = gleaner.DataLoader(Numbers(), case.batch, seed=SEED)
    for samples in job.steps(loader, case.passes):
        pause(job.step_number)
        total = 0.0
        for part in case.parts(samples):
            loss = case.loss(part, job.step_number)
            job.backward(loss, n=len(part))
            total += loss.item() * len(part) / len(samples)
        mean = job.mean(total)
        if job.step():
            losses[str(job.step_number)] = float(mean)
    return losses if job.finished else None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("case", choices=PROGRAMS)
    parser.add_argument("--hold", help="while this file is there, steps take long")
    options = parser.parse_args()
    case = PROGRAMS[options.case]()

    def pause(step):
        held = os.path.exists(options.hold)
        late = step > case.steps() // 2
        time.sleep((0.5 if late else 0.1) if held else 0)

    losses = train(case, pause)
    if losses is not None:
        found = {"losses": losses, "tensors": dict(case.compared())}
        torch.save(found, f"{os.path.dirname(options.hold)}/final-{os.getpid()}")


if __name__ == "__main__":
    main()
