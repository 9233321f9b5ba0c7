# SPDX-License-Identifier: Apache-2.0
"""One trial: a network of the trial's architecture learns shapes in noise.

Nothing in here knows of the search but the parameters of its trial, which are in the
environment, and job.log(), which says how well they do.
"""

import argparse
import json
import os
import sys

import gleaner
import torch
from torch import nn
from torch.nn.functional import cross_entropy

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "python"))
from models import Shapes  # noqa: E402

KINDS = 4


def network(params):
    """Layers of convolutions, each with the width and activation of the trial."""
    layers, channels = [], 1
    activation = {"relu": nn.ReLU, "tanh": nn.Tanh}[params["activation"]]
    for _ in range(params["depth"]):
        layers += [nn.Conv2d(channels, params["width"], 3, 2, 1), activation()]
        channels = params["width"]
    return nn.Sequential(
        *layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(channels, KINDS)
    )


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--samples", type=int, default=4096)
    parser.add_argument("--passes", type=int, default=9)
    options = parser.parse_args()
    trial = json.loads(os.environ["GLEANER_TRIAL"])
    torch.manual_seed(trial["seed"])
    model = network(trial["params"])
    optimizer = torch.optim.Adam(model.parameters(), lr=trial["params"]["lr"])
    job = gleaner.init(model, optimizer)
    loader = gleaner.DataLoader(Shapes(options.samples, seed=1), batch_size=64)
    for images, labels in job.steps(loader, options.passes):
        loss = cross_entropy(model(images), labels)
        job.backward(loss)
        job.step()
        job.log({"loss": loss})


main()
