# SPDX-License-Identifier: Apache-2.0
"""Lightning's Trainer learns shapes in noise, on nodes that come and go.

Two lines differ from a program for one node: the import and the strategy."""

import argparse

import gleaner.lightning  # noqa: F401 - it registers the strategy
import lightning.pytorch as pl
import torch
from lightning.pytorch.callbacks import ModelCheckpoint
from torch import nn
from torch.nn.functional import cross_entropy
from torch.utils.data import DataLoader, TensorDataset


class Classifier(pl.LightningModule):
    def __init__(self) -> None:
        super().__init__()
        layers = [nn.Flatten(), nn.Linear(256, 64), nn.ReLU(), nn.Linear(64, 4)]
        self.net = nn.Sequential(*layers)

    def training_step(self, batch, _):
        images, labels = batch
        loss = cross_entropy(self.net(images), labels)
        self.log("loss", loss)
        return loss

    def validation_step(self, batch, _):
        images, labels = batch
        right = self.net(images).argmax(1) == labels
        self.log("accuracy", right.float().mean(), prog_bar=True)

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters(), lr=3e-3)


def shapes(n: int, seed: int) -> TensorDataset:
    """A bar in one of four places, in noise."""
    random = torch.Generator().manual_seed(seed)
    labels = torch.randint(4, (n,), generator=random)
    images = torch.randn(n, 16, 16, generator=random)
    for image, label in zip(images, labels):
        image[:, 4 * label : 4 * label + 2] += 1
    return TensorDataset(images, labels)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--samples", type=int, default=2048)
    parser.add_argument("--epochs", type=int, default=3)
    options = parser.parse_args()
    pl.seed_everything(1)
    trainer = pl.Trainer(
        strategy="gleaner",
        max_epochs=options.epochs,
        gradient_clip_val=1.0,
        callbacks=[ModelCheckpoint("best", monitor="accuracy", mode="max")],
        logger=False,
    )
    train = DataLoader(shapes(options.samples, 1), 64, shuffle=True)
    trainer.fit(Classifier(), train, DataLoader(shapes(256, 2), 128))
    if trainer.is_global_zero:
        trainer.save_checkpoint("classifier.ckpt")


if __name__ == "__main__":
    main()
