# SPDX-License-Identifier: Apache-2.0
"""The same trainings for torchrun: what its workers run.

As its users do, rank 0 writes a checkpoint every ten steps, here to memory
(/dev/shm), and after a restart all begin with it.  Appends `END STEP WORLD
REDUCE` to FILE.PID.

    torchrun_worker.py --log=FILE --checkpoint=FILE (--char-lm |
        --gradient-kib=N --state-kib=N) --timeout=S
"""

import argparse
import os
import time
from datetime import timedelta

import torch
import torch.distributed as dist

CHECKPOINT_STEPS = 10
COMPUTE_S = 0.02


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--log", required=True)
    parser.add_argument("--checkpoint", required=True)
    parser.add_argument("--gradient-kib", type=int, default=1024)
    parser.add_argument("--state-kib", type=int, default=40960)
    parser.add_argument("--char-lm", action="store_true")
    parser.add_argument("--timeout", type=float, default=60)
    return parser.parse_args()


class Synthetic:
    """As step_program.c."""

    def __init__(self, options):
        self.state = {"all": torch.zeros(options.state_kib * 256)}
        self.gradient = torch.ones(options.gradient_kib * 256)

    def load(self, state):
        self.state["all"].copy_(state["all"])

    def tensors(self):
        return [self.state["all"]]

    def step(self):
        time.sleep(COMPUTE_S)
        began = time.monotonic()
        dist.all_reduce(self.gradient)
        self.gradient.div_(dist.get_world_size())
        reduced = time.monotonic() - began
        n = self.gradient.numel()
        self.state["all"][:n].add_(self.gradient, alpha=-1e-3)
        return reduced


class CharacterModel:
    """As char_lm_steps.py, with DistributedDataParallel."""

    def __init__(self, _options):
        from models import CharLM, Text

        torch.manual_seed(1)
        self.text = Text("/usr/share/common-licenses", 64)
        self.model = CharLM(len(self.text.characters), 64)
        # Gloo does not broadcast bool, and the mask is the same everywhere.
        parallel = torch.nn.parallel.DistributedDataParallel
        parallel._set_params_and_buffers_to_ignore_for_model(self.model, ["future"])
        self.parallel = parallel(self.model)
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=3e-3)
        rank, world = dist.get_rank(), dist.get_world_size()
        self.mine = range(32 * rank // world, 32 * (rank + 1) // world)
        self.at = 0

    @property
    def state(self):
        return {
            "model": self.model.state_dict(),
            "optimizer": self.optimizer.state_dict(),
        }

    def load(self, state):
        self.model.load_state_dict(state["model"])
        self.optimizer.load_state_dict(state["optimizer"])

    def tensors(self):
        return list(self.model.parameters())

    def step(self):
        samples = [self.text[(self.at + i) % len(self.text)] for i in self.mine]
        self.at += 32
        characters, following = (torch.stack(x) for x in zip(*samples))
        scores = self.parallel(characters)
        loss = torch.nn.functional.cross_entropy(
            scores.flatten(0, 1), following.flatten()
        )
        self.optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimizer.step()
        return 0.0  # it is reduced while backward runs


def main():
    options = arguments()
    torch.set_num_threads(1)
    log = open(f"{options.log}.{os.getpid()}", "a", buffering=1)
    dist.init_process_group("gloo", timeout=timedelta(seconds=options.timeout))
    rank, world = dist.get_rank(), dist.get_world_size()
    training = (CharacterModel if options.char_lm else Synthetic)(options)
    step = 0
    if rank == 0 and os.path.exists(options.checkpoint):
        step, state = torch.load(options.checkpoint, weights_only=False)
        training.load(state)
    begun = torch.tensor([step])
    dist.broadcast(begun, 0)
    step = int(begun)
    with torch.no_grad():
        for tensor in training.tensors():
            dist.broadcast(tensor, 0)
    while True:
        try:
            reduced = training.step()
        except RuntimeError:  # a peer is gone: torchrun starts all again
            os._exit(13)
        step += 1
        log.write(f"{time.monotonic():.6f} {step} {world} {reduced:.6f}\n")
        if rank == 0 and step % CHECKPOINT_STEPS == 0:
            torch.save((step, training.state), options.checkpoint + ".new")
            os.replace(options.checkpoint + ".new", options.checkpoint)


main()
