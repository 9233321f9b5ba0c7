# SPDX-License-Identifier: Apache-2.0
"""Hugging Face's Trainer teaches a small GPT-2 to write, on nodes that come and go.

One line differs from a program for one node: where Trainer comes from."""

import argparse
from pathlib import Path

import torch
from gleaner.transformers import Trainer
from transformers import GPT2Config, GPT2LMHeadModel, TrainingArguments

LENGTH = 32


class Text(torch.utils.data.Dataset):
    """Pieces of a text, a byte each token."""

    def __init__(self, path: Path) -> None:
        data = torch.tensor(list(path.read_bytes()))
        self._pieces = data[: len(data) // LENGTH * LENGTH].view(-1, LENGTH)

    def __len__(self) -> int:
        return len(self._pieces)

    def __getitem__(self, i: int) -> dict:
        return {"input_ids": self._pieces[i], "labels": self._pieces[i]}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--text", type=Path, default=Path(__file__))
    parser.add_argument("--epochs", type=int, default=3)
    options = parser.parse_args()
    torch.manual_seed(1)
    config = GPT2Config(
        vocab_size=256, n_positions=LENGTH, n_embd=32, n_layer=2, n_head=2
    )
    arguments = TrainingArguments(
        "gpt2",
        num_train_epochs=options.epochs,
        per_device_train_batch_size=8,
        gradient_accumulation_steps=2,  # 16 samples in a step, over all members
        learning_rate=3e-3,
        logging_steps=10,
        save_strategy="epoch",
        report_to=[],
    )
    trainer = Trainer(
        GPT2LMHeadModel(config), arguments, train_dataset=Text(options.text)
    )
    trainer.train()
    trainer.save_model("gpt2-final")  # by one member


if __name__ == "__main__":
    main()
