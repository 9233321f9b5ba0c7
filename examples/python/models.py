# SPDX-License-Identifier: Apache-2.0
"""The networks of the examples, and the data they learn."""

from pathlib import Path
from typing import List, Tuple

import torch
from torch import Tensor, nn


class Shapes:
    """Images of 16 x 16 with noise, and in each a square, a cross, a frame or a
    line somewhere: ([1, 16, 16], 0 to 3).  Made when they are asked for."""

    def __init__(self, size: int, seed: int) -> None:
        self._size, self._seed = size, seed

    def __len__(self) -> int:
        return self._size

    def __getitem__(self, i: int) -> Tuple[Tensor, int]:
        draw = torch.Generator().manual_seed(self._seed * 1_000_003 + i)
        image = torch.randn(1, 16, 16, generator=draw) * 0.5
        top, left, kind = torch.randint(0, 4, (3,), generator=draw).tolist()
        part = image[0, 2 * top : 2 * top + 9, 2 * left : 2 * left + 9]
        if kind == 0:
            part += 1
        elif kind == 1:
            part[4], part[:, 4] = part[4] + 2, part[:, 4] + 2
        elif kind == 2:
            part[0], part[8], part[:, 0], part[:, 8] = (2, 2, 2, 2)
        else:
            part += torch.eye(9) * 2
        return image, kind


class Residual(nn.Module):
    """Two convolutions, added to their input.  GroupNorm, not BatchNorm: a
    member's part of the batch changes with the number of members."""

    def __init__(self, width_in: int, width: int, stride: int) -> None:
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(width_in, width, 3, stride, 1, bias=False),
            nn.GroupNorm(4, width),
            nn.ReLU(),
            nn.Conv2d(width, width, 3, 1, 1, bias=False),
            nn.GroupNorm(4, width),
        )
        self.skip = nn.Conv2d(width_in, width, 1, stride, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        return torch.relu(self.body(x) + self.skip(x))


def resnet(kinds: int = 4) -> nn.Module:
    """[n, 1, 16, 16] -> [n, kinds] scores."""
    return nn.Sequential(
        nn.Conv2d(1, 16, 3, 1, 1, bias=False),
        Residual(16, 16, 1),
        Residual(16, 32, 2),
        Residual(32, 64, 2),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(64, kinds),
    )


class Text:
    """Sample i: characters i k to i k + k, and those one further, as numbers."""

    def __init__(self, path: str, context: int) -> None:
        where = Path(path)
        files = [where] if where.is_file() else sorted(where.iterdir())
        text = "".join(
            f.read_text(errors="ignore") for f in files if not f.is_symlink()
        )
        if len(text) <= context:
            raise SystemExit(f"'{path}' has {len(text)} characters [give more text]")
        self.characters: List[str] = sorted(set(text))
        number = {c: i for i, c in enumerate(self.characters)}
        self._numbers = torch.tensor([number[c] for c in text])
        self._context = context

    def __len__(self) -> int:
        return (len(self._numbers) - 1) // self._context

    def __getitem__(self, i: int) -> Tuple[Tensor, Tensor]:
        at = i * self._context
        part = self._numbers[at : at + self._context + 1]
        return part[:-1], part[1:]


class CharLM(nn.Module):
    """A small transformer: [n, t] characters -> [n, t, vocabulary] scores of the
    character that follows each."""

    def __init__(self, vocabulary: int, context: int, width: int = 64) -> None:
        super().__init__()
        self.character = nn.Embedding(vocabulary, width)
        self.position = nn.Embedding(context, width)
        block = nn.TransformerEncoderLayer(
            width, 4, 4 * width, dropout=0.1, batch_first=True, norm_first=True
        )
        self.blocks = nn.TransformerEncoder(block, 2, enable_nested_tensor=False)
        self.scores = nn.Linear(width, vocabulary)
        future = torch.ones(context, context, dtype=torch.bool).triu(1)
        self.register_buffer("future", future, persistent=False)

    def forward(self, characters: Tensor) -> Tensor:
        t = characters.shape[1]
        x = self.character(characters) + self.position.weight[:t]
        return self.scores(self.blocks(x, mask=self.future[:t, :t]))
