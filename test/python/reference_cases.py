# SPDX-License-Identifier: Apache-2.0
"""Trainings as people write them, small, in float64.

Each says what its network, loss and update are in plain PyTorch, and what a program
gives gleaner.init() in their place.
"""

import torch
from torch import nn
from torch.nn.functional import cross_entropy, mse_loss
from torch.optim.swa_utils import AveragedModel
from torch.utils.checkpoint import checkpoint

SAMPLES = 160
_draw = torch.Generator().manual_seed(5)
X = torch.randn(SAMPLES, 8, generator=_draw, dtype=torch.float64)
Y = torch.tanh(X[:, 0] * X[:, 1] + X[:, 2])
KIND = (X.sum(1) > 0).long() + (X[:, 0] > 0).long()
TOKENS = (X * 3).long() % 7


class Case:
    """A multilayer perceptron."""

    batch, passes, shards = 16, 5, 0
    nodes = 0  # to begin with; 0: one or two
    #: How far it may be from the plain loop, relative to a tensor's largest number.
    within = 1e-12

    def __init__(self):
        torch.manual_seed(1)
        self.model = self.network().double()
        self.optimizer = self.make_optimizer()

    def network(self):
        return nn.Sequential(nn.Linear(8, 16), nn.Tanh(), nn.Linear(16, 1))

    def make_optimizer(self):
        return torch.optim.SGD(self.model.parameters(), lr=0.02, momentum=0.9)

    def steps(self):
        return self.passes * -(-SAMPLES // self.batch)

    def parts(self, samples):
        return [samples]

    def loss(self, samples, step):
        return mse_loss(self.model(X[samples])[:, 0], Y[samples])

    def update(self, step):
        """Of the plain loop, after backward."""
        self.optimizer.step()

    def options(self, step):
        """Of gleaner.init(), instead; step() is the number of the step."""
        return {}

    def compared(self):
        return self.model.state_dict()


class Residual(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv1d(2, 2, 3, padding=1, bias=False), nn.BatchNorm1d(2), nn.ReLU()
        )

    def forward(self, x):
        return x + self.body(x)


class ResNet(Case):
    """A residual network with batch normalisation, by shards."""

    shards = 4

    def network(self):
        return nn.Sequential(
            Residual(), Residual(), nn.Flatten(), nn.BatchNorm1d(8), nn.Linear(8, 3)
        )

    def loss(self, samples, step):
        return cross_entropy(self.model(X[samples].view(-1, 2, 4)), KIND[samples])


class ByShare(ResNet):
    """The same by members' shares: only members are equal."""

    shards, within = 0, 10.0

    def options(self, step):
        return {"batch_norm": "share"}


class Transformer(Case):
    """Activation checkpointing, one layer in two segments, clipping."""

    class Network(nn.Module):
        def __init__(self):
            super().__init__()
            self.embedding = nn.Embedding(7, 8)
            self.layer = nn.TransformerEncoderLayer(8, 2, 16, 0.0, batch_first=True)
            self.head = nn.Linear(8, 7)

        def forward(self, tokens):
            x = self.embedding(tokens)
            for _ in range(2):
                x = checkpoint(self.layer, x, use_reentrant=True)
            return self.head(x)

    def network(self):
        return self.Network()

    def make_optimizer(self):
        return torch.optim.AdamW(self.model.parameters(), lr=0.003, eps=1e-4)

    def loss(self, samples, step):
        scores = self.model(TOKENS[samples][:, :-1])
        return cross_entropy(scores.flatten(0, 1), TOKENS[samples][:, 1:].flatten())

    def update(self, step):
        nn.utils.clip_grad_norm_(self.model.parameters(), 0.5)
        self.optimizer.step()

    def options(self, step):
        return {"clip_norm": 0.5}


class Gan(Case):
    """Two networks and two optimizers, in turn."""

    def network(self):
        return nn.ModuleDict(
            {
                "generator": nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 4)),
                "critic": nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1)),
            }
        )

    def make_optimizer(self):
        def adam(part):
            return torch.optim.Adam(self.model[part].parameters(), lr=0.002, eps=1e-4)

        self.critics = adam("critic")
        return adam("generator")

    def loss(self, samples, step):
        made = self.model["generator"](X[samples, :4])
        if step % 2:
            return mse_loss(self.model["critic"](made), torch.ones_like(made[:, :1]))
        real, fake = self.model["critic"](X[samples, 4:]), made.detach()
        return ((real - 1) ** 2 + self.model["critic"](fake) ** 2).mean()

    def update(self, step):
        (self.optimizer if step % 2 else self.critics).step()

    def options(self, step):
        return {
            "update": lambda: self.update(step()),
            "state": {"critics": self.critics},
        }


class Lstm(Case):
    """A recurrent network."""

    class Network(nn.Module):
        def __init__(self):
            super().__init__()
            self.embedding = nn.Embedding(7, 6)
            self.lstm = nn.LSTM(6, 8, batch_first=True)
            self.head = nn.Linear(8, 7)

        def forward(self, tokens):
            return self.head(self.lstm(self.embedding(tokens))[0])

    def network(self):
        return self.Network()

    def make_optimizer(self):
        return torch.optim.RMSprop(self.model.parameters(), lr=0.001, eps=1e-4)

    loss, update, options = Transformer.loss, Transformer.update, Transformer.options


class Lora(Case):
    """Adapters of low rank beside frozen weights."""

    class Adapted(nn.Module):
        def __init__(self):
            super().__init__()
            self.base = nn.Linear(8, 8).requires_grad_(False)
            self.down = nn.Parameter(torch.randn(2, 8) * 0.1)
            self.up = nn.Parameter(torch.zeros(8, 2))

        def forward(self, x):
            return self.base(x) + x @ self.down.t() @ self.up.t()

    def network(self):
        head = nn.Linear(8, 1).requires_grad_(False)
        return nn.Sequential(self.Adapted(), nn.Tanh(), self.Adapted(), head)

    def make_optimizer(self):
        trained = [p for p in self.model.parameters() if p.requires_grad]
        return torch.optim.AdamW(trained, lr=0.003, eps=1e-4)


class Mixture(Case):
    """Experts, of which the samples of a step use some."""

    batch, passes = 4, 2

    class Network(nn.Module):
        def __init__(self):
            super().__init__()
            self.experts = nn.ModuleList(nn.Linear(8, 1) for _ in range(4))

        def forward(self, x):
            chosen = (x[:, 3] > 0).long() + 2 * (x[:, 4] > 0.8).long()
            out = x.new_zeros(len(x), 1)
            for i, expert in enumerate(self.experts):
                if (chosen == i).any():
                    out = out.index_add(0, *self.part(x, chosen == i, expert))
            return out

        def part(self, x, mine, expert):
            return mine.nonzero()[:, 0], expert(x[mine])

    def network(self):
        return self.Network()

    def make_optimizer(self):
        parameters = self.model.parameters()
        return torch.optim.AdamW(parameters, lr=0.003, weight_decay=0.1, eps=1e-4)


class Ema(Case):
    """An average of the weights."""

    def make_optimizer(self):
        self.average = AveragedModel(self.model)
        return super().make_optimizer()

    def update(self, step):
        self.optimizer.step()
        self.average.update_parameters(self.model)

    def options(self, step):
        return {"ema": self.average}

    def compared(self):
        return {**self.model.state_dict(), **self.average.state_dict(prefix="ema.")}


class OneCycle(Case):
    """A schedule of exactly as many steps."""

    def make_optimizer(self):
        optimizer = super().make_optimizer()
        self.schedule = torch.optim.lr_scheduler.OneCycleLR(
            optimizer, 0.05, self.steps()
        )
        return optimizer

    def update(self, step):
        self.optimizer.step()
        self.schedule.step()

    def options(self, step):
        return {"scheduler": self.schedule}


class Scaler:
    """As PyTorch's GradScaler, which 1.13 has for CUDA only: it makes its scale in
    the first call of scale()."""

    def __init__(self):
        self.factor, self.made, self.bad = 2.0**12, None, False

    def scale(self, loss):
        self.made = self.factor if self.made is None else self.made
        return loss * self.made

    def unscale_(self, optimizer):
        assert self.made is not None, "scale() was not called"
        gradients = [p.grad for g in optimizer.param_groups for p in g["params"]]
        for gradient in gradients:
            gradient.div_(self.made)
        self.bad = not all(bool(g.isfinite().all()) for g in gradients)

    def step(self, optimizer):
        if not self.bad:
            optimizer.step()

    def update(self):
        if self.bad:
            self.made /= 2

    def state_dict(self):
        return {"factor": self.factor if self.made is None else self.made}

    def load_state_dict(self, saved):
        self.factor = saved["factor"]


class Amp(Case):
    """A scaler that skips two steps; some members have no samples."""

    batch, passes, nodes = 2, 1, 3

    def make_optimizer(self):
        self.scaler = Scaler()
        return super().make_optimizer()

    def loss(self, samples, step):
        loss = super().loss(samples, step)
        return loss * float("inf") if step in (7, 31) else loss

    def update(self, step):
        self.scaler.scale(torch.zeros(1))
        for parameter in self.model.parameters():
            parameter.grad.mul_(self.scaler.made)
        self.scaler.unscale_(self.optimizer)
        self.scaler.step(self.optimizer)
        self.scaler.update()

    def options(self, step):
        return {"scaler": self.scaler}


class Accumulation(Case):
    """A batch in parts."""

    def parts(self, samples):
        return samples.split(3)


class Dropout(Case):
    """Random numbers in the forward pass, by shards."""

    shards = 4

    def network(self):
        return nn.Sequential(
            nn.Linear(8, 16), nn.Tanh(), nn.Dropout(0.3), nn.Linear(16, 1)
        )


class Drifting(Case):
    """A buffer that depends on the samples of a member: refused."""

    class Network(nn.Module):
        def __init__(self):
            super().__init__()
            self.linear = nn.Linear(8, 1)
            self.register_buffer("seen", torch.zeros(8))

        def forward(self, x):
            self.seen += x.sum(0)
            return self.linear(x)

    def network(self):
        return self.Network()


CASES = {
    "mlp": Case,
    "resnet": ResNet,
    "byshare": ByShare,
    "transformer": Transformer,
    "gan": Gan,
    "lstm": Lstm,
    "lora": Lora,
    "mixture": Mixture,
    "ema": Ema,
    "onecycle": OneCycle,
    "amp": Amp,
    "accumulation": Accumulation,
    "dropout": Dropout,
}
PROGRAMS = {**CASES, "drifting": Drifting}
