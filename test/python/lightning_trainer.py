# SPDX-License-Identifier: Apache-2.0
"""The program of a member in the test of Lightning: with --plain, without Gleaner.

What differs is the strategy; the loader's order is Gleaner's in both."""

import argparse
import os
import time
import warnings
from pathlib import Path

import torch
from framework_order import Batches, epochs_of
from torch import nn
from torch.utils.data import DataLoader

warnings.filterwarnings("ignore")
try:
    import torch.distributed._shard.sharded_tensor  # noqa: F401
except ValueError:
    # Debian 12's PyTorch cannot import it under its Python, and Lightning would.
    torch.distributed.is_available = lambda: False
import lightning.pytorch as pl  # noqa: E402
from lightning.pytorch.callbacks import (  # noqa: E402
    EarlyStopping,
    LearningRateMonitor,
    ModelCheckpoint,
)
from lightning.pytorch.loggers import CSVLogger  # noqa: E402

SAMPLES, BATCH = 203, 16  # the last batch of an epoch has 11


class Points:
    """Sample i: four numbers, and a function of them."""

    def __init__(self, n=SAMPLES, first=0):
        self._n, self._first = n, first

    def __len__(self):
        return self._n

    def __getitem__(self, i):
        random = torch.Generator().manual_seed(self._first + i)
        x = torch.randn(4, generator=random, dtype=torch.float64)
        return x, x.prod() + x.sum()


class Module(pl.LightningModule):
    """Notes each validation loss."""

    def __init__(self, hold):
        super().__init__()
        torch.manual_seed(1)
        self.net = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 1)).double()
        self.hold = hold
        self.validated = []

    def training_step(self, batch, batch_idx):
        late = self.global_step > 15
        time.sleep((1.5 if late else 0.3) if os.path.exists(self.hold) else 0)
        x, y = batch
        loss = nn.functional.mse_loss(self.net(x)[:, 0], y)
        self.log("loss", loss)
        return loss

    def validation_step(self, batch, batch_idx):
        x, y = batch
        self.log("val_loss", nn.functional.mse_loss(self.net(x)[:, 0], y))

    def on_validation_epoch_end(self):
        if not self.trainer.sanity_checking:
            found = self.trainer.callback_metrics["val_loss"].item()
            self.validated.append((self.trainer.current_epoch, found))

    def configure_optimizers(self):
        optimizer = torch.optim.AdamW(self.parameters(), lr=1e-2)
        schedule = torch.optim.lr_scheduler.StepLR(optimizer, 10, 0.8)
        return [optimizer], [{"scheduler": schedule, "interval": "step"}]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--plain", action="store_true")
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--accumulate", type=int, default=1)
    parser.add_argument("--max-steps", type=int, default=-1)
    parser.add_argument("--patience", type=int, default=0, help="of early stopping")
    parser.add_argument("--hold", required=True)
    options = parser.parse_args()
    torch.set_num_threads(1)
    folder = Path(options.hold).parent
    model = Module(options.hold)
    if options.plain:
        order = epochs_of(SAMPLES, BATCH, options.epochs)
        loader = DataLoader(Points(), batch_sampler=Batches(order))
    else:
        import gleaner.lightning  # noqa: F401 - it registers the strategy

        parts = options.accumulate
        loader = DataLoader(Points(), BATCH // parts, shuffle=True)
    best = ModelCheckpoint(folder / "best", monitor="val_loss", filename="{step}")
    callbacks = [best, LearningRateMonitor("step")]
    if options.patience:
        patience = {"patience": options.patience, "min_delta": 100.0}
        callbacks.append(EarlyStopping("val_loss", **patience))
    trainer = pl.Trainer(
        strategy="auto" if options.plain else "gleaner",
        accelerator="cpu",
        devices=1,
        max_epochs=options.epochs,
        max_steps=options.max_steps,
        accumulate_grad_batches=1 if options.plain else options.accumulate,
        gradient_clip_val=1.0,
        callbacks=callbacks,
        logger=CSVLogger(folder),
        log_every_n_steps=1,
        enable_progress_bar=False,
        enable_model_summary=False,
    )
    trainer.fit(model, loader, DataLoader(Points(64, first=10**6), 32))
    plain_or_finished = options.plain or trainer.strategy._job.finished
    if plain_or_finished:
        found = {
            "weights": dict(model.net.state_dict()),
            "validated": model.validated,
            "best": best.best_model_path and Path(best.best_model_path).name,
            "score": best.best_model_score,
            "epoch": trainer.current_epoch,
            "zero": trainer.is_global_zero,
        }
        torch.save(found, folder / f"final-{os.getpid()}")


if __name__ == "__main__":
    main()
