# SPDX-License-Identifier: Apache-2.0
"""The program of a member in the test of Hugging Face's Trainer: with --plain,
without Gleaner.

A small language model with texts of many lengths: a member's mean is over other
numbers of tokens than another's."""

import argparse
import os
import time
import warnings
from pathlib import Path

import torch
from framework_order import Batches, epochs_of
from torch.utils.data import DataLoader

warnings.filterwarnings("ignore")
os.environ["HF_HUB_OFFLINE"] = "1"
import transformers  # noqa: E402
from transformers import (  # noqa: E402
    EarlyStoppingCallback,
    GPT2Config,
    GPT2LMHeadModel,
    TrainingArguments,
)

SAMPLES, BATCH, LENGTH = 123, 8, 12  # the last batch of an epoch has 3


class Texts(torch.utils.data.Dataset):
    """Sample i: 4 to 12 tokens."""

    def __init__(self, n=SAMPLES, first=0):
        self._n, self._first = n, first

    def __len__(self):
        return self._n

    def __getitem__(self, i):
        random = torch.Generator().manual_seed(self._first + i)
        length = 4 + int(torch.randint(LENGTH - 3, (1,), generator=random))
        return torch.randint(32, (length,), generator=random).cumsum(0) % 32


def collate(samples):
    tokens = torch.zeros(len(samples), LENGTH, dtype=torch.long)
    labels = torch.full((len(samples), LENGTH), -100)
    for i, sample in enumerate(samples):
        tokens[i, : len(sample)] = labels[i, : len(sample)] = sample
    return {"input_ids": tokens, "labels": labels}


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
    torch.manual_seed(1)
    config = GPT2Config(
        **dict(vocab_size=32, n_positions=LENGTH, n_embd=16, n_layer=2, n_head=2),
        **dict(resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0),
    )
    model = GPT2LMHeadModel(config).double()
    if options.plain:

        class Trainer(transformers.Trainer):
            def get_train_dataloader(self):
                order = Batches(epochs_of(SAMPLES, BATCH, options.epochs))
                return DataLoader(Texts(), batch_sampler=order, collate_fn=collate)

    else:
        from gleaner.transformers import Trainer

    class Slowly(Trainer):
        def compute_loss(self, *arguments, **keywords):
            if self.model.training:
                late = self.state.global_step > 15
                held = os.path.exists(options.hold)
                time.sleep((1.5 if late else 0.3) if held else 0)
            return super().compute_loss(*arguments, **keywords)

    parts = 1 if options.plain else options.accumulate
    arguments = TrainingArguments(
        folder / "hf",
        num_train_epochs=options.epochs,
        max_steps=options.max_steps,
        per_device_train_batch_size=BATCH // parts,
        gradient_accumulation_steps=parts,
        learning_rate=3e-3,
        warmup_steps=5,
        max_grad_norm=0.5,
        logging_steps=1,
        eval_strategy="epoch",
        save_strategy="epoch",
        load_best_model_at_end=True,
        metric_for_best_model="eval_loss",
        report_to=[],
        disable_tqdm=True,
        use_cpu=True,
    )
    patience = options.patience
    callbacks = [EarlyStoppingCallback(patience, 100.0)] if patience else []
    trainer = Slowly(
        model,
        arguments,
        data_collator=collate,
        train_dataset=Texts(),
        eval_dataset=Texts(32, first=10**6),
        callbacks=callbacks,
    )
    trainer.train()
    if options.plain or trainer._job.finished:
        history = trainer.state.log_history
        found = {
            "weights": dict(model.state_dict()),
            "validated": [
                (h["epoch"], h["eval_loss"]) for h in history if "eval_loss" in h
            ],
            "losses": {h["step"]: h["loss"] for h in history if "loss" in h},
            "best": Path(trainer.state.best_model_checkpoint or "").name,
            "epoch": trainer.state.epoch,
            "zero": trainer.is_world_process_zero(),
        }
        torch.save(found, folder / f"final-{os.getpid()}")


if __name__ == "__main__":
    main()
