# SPDX-License-Identifier: Apache-2.0
"""A trained network learns another task by LoRA, on nodes that come and go.

Its own weights are frozen; only small matrices beside them are trained, reduced
and sent to joiners' optimizers."""

import argparse

import gleaner
import torch
from torch import nn
from torch.nn.functional import mse_loss


class LoRA(nn.Module):
    """A linear layer that stays as it is, and a product of two thin matrices."""

    def __init__(self, base: nn.Linear, rank: int) -> None:
        super().__init__()
        self.base = base.requires_grad_(False)
        self.down = nn.Parameter(torch.randn(rank, base.in_features) / 8)
        self.up = nn.Parameter(torch.zeros(base.out_features, rank))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.base(x) + x @ self.down.T @ self.up.T


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rank", type=int, default=4)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--passes", type=int, default=20)
    parser.add_argument("--samples", type=int, default=512)
    options = parser.parse_args()
    torch.manual_seed(1)
    layers = [nn.Linear(16, 64), nn.Linear(64, 16)]
    target = nn.Sequential(nn.Linear(16, 4), nn.Linear(4, 16)).requires_grad_(False)
    inputs = torch.randn(options.samples, 16)
    data = torch.utils.data.TensorDataset(inputs, inputs + target(inputs))
    first, second = (LoRA(layer, options.rank) for layer in layers)
    model = nn.Sequential(first, nn.Tanh(), second)
    trained = [p for p in model.parameters() if p.requires_grad]
    optimizer = torch.optim.AdamW(trained, lr=1e-2)
    loader = gleaner.DataLoader(data, options.batch)
    job = gleaner.init(model, optimizer)
    for x, y in job.steps(loader, options.passes):
        loss = mse_loss(model(x), y)
        job.backward(loss)
        job.step()
        job.log({"loss": loss})
    if job.finished and job.rank == 0:
        print(f"loss {mse_loss(model(inputs), data.tensors[1]):.3f}")
        adapters = {k: v for k, v in model.state_dict().items() if "base" not in k}
        torch.save(adapters, "lora.pt")


if __name__ == "__main__":
    main()
