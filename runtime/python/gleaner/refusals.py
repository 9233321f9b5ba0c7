# SPDX-License-Identifier: Apache-2.0
"""What can Gleaner not train?  Said at once, with the reason and a remedy.

Other packages' classes are known by name, so that none of them is imported.
"""

from __future__ import annotations

from typing import Any, Iterable, NoReturn, Optional

import torch
from torch.nn import Module
from torch.optim import Optimizer
from torch.utils.data import IterableDataset

from . import core
from .device import DEVICES
from .gradients import DTYPES


class Unsupported(TypeError):
    """Gleaner cannot train this; the message says why and what to do."""


def _refuse(what: str, why: str, remedy: str) -> NoReturn:
    raise Unsupported(f"{what} ({why}) [{remedy}]")


def _is(thing: Any, *class_names: str) -> bool:
    return any(base.__name__ in class_names for base in type(thing).__mro__)


def check_model(model: Any, batch_norm: Optional[str] = None) -> None:
    if _is(model, "Trainer", "Fabric", "Accelerator"):
        _refuse(
            f"cannot train a {type(model).__name__}",
            "it owns the training loop, and so does Gleaner",
            "gleaner.lightning, gleaner.transformers and gleaner.accelerate keep it; or "
            "pass the torch.nn.Module and write the loop with job.steps()",
        )
    if not isinstance(model, Module):
        _refuse(
            f"cannot train a {type(model).__name__}",
            "it is no torch.nn.Module",
            "pass the model itself",
        )
    for name, module in model.named_modules():
        _check_module(module)
        if is_batch_norm(module):
            _check_batch_norm(name, module, batch_norm)
    trained = [p for p in model.parameters() if p.requires_grad]
    if not trained:
        _refuse("nothing to train", "no parameter requires a gradient", "unfreeze some")
    _check_devices(model)
    for name, parameter in model.named_parameters():
        _check_parameter(name, parameter)


def _check_module(module: Module) -> None:
    if _is(module, "FullyShardedDataParallel", "FSDPModule"):
        _refuse(
            "cannot train an FSDP model",
            "its parameters are spread over processes; Gleaner wants them whole "
            "on every member",
            "pass the model before it is wrapped, if it fits one member",
        )
    if _is(module, "DistributedDataParallel", "DataParallel", "DeepSpeedEngine"):
        _refuse(
            f"cannot train a {type(module).__name__}",
            "it reduces gradients itself, among processes that may not change",
            "pass the model that it wraps",
        )
    if _is(module, "Embedding", "EmbeddingBag") and getattr(module, "sparse", False):
        _refuse(
            "cannot train an embedding with sparse gradients",
            "Gleaner reduces dense ones",
            "use sparse=False",
        )
    if getattr(module, "max_norm", None) is not None:
        _refuse(
            f"cannot train an {type(module).__name__} with max_norm",
            "it changes rows in the forward pass, those of a member's samples only",
            "use max_norm=None, and shorten rows in gleaner.init(update=...)",
        )


def is_norm(module: Module) -> bool:
    """Whether it may keep running statistics."""
    return _is(module, "_NormBase")


def is_batch_norm(module: Module) -> bool:
    """Whether it normalises over a batch."""
    return _is(module, "_BatchNorm")


def _check_batch_norm(name: str, module: Module, wanted: Optional[str]) -> None:
    if wanted not in (None, "share"):
        raise ValueError(f"batch_norm is '{wanted}' [use 'share', or leave it out]")
    if _is(module, "SyncBatchNorm"):
        _refuse(
            f"cannot train '{name}', a SyncBatchNorm",
            "it computes with a group of processes, which may not change",
            "use BatchNorm in deterministic mode or with "
            "gleaner.init(batch_norm='share'), or GroupNorm",
        )
    if module.training and wanted is None and not core.deterministic():
        refuse_batch_norm(name, module)


def refuse_batch_norm(name: str, module: Module) -> NoReturn:
    """Its results would depend on the number of members."""
    _refuse(
        f"cannot train '{name}', a {type(module).__name__}",
        "it normalises over a member's share of the batch, whose size changes when "
        "members come and go",
        "gleaner.init(batch_norm='share'), if that may be; or deterministic mode, "
        "where shares are fixed; or GroupNorm or LayerNorm",
    )


def _check_devices(model: Module) -> None:
    devices = sorted({str(p.device) for p in model.parameters()})
    if len(devices) > 1:
        _refuse(
            f"cannot train parameters on several devices: {', '.join(devices)}",
            "a member has one",
            "use one device, and more members",
        )
    if devices[0].split(":")[0] not in DEVICES:
        _refuse(
            f"cannot train parameters on {devices[0]}",
            "Gleaner knows memory of the CPU and of GPUs that CUDA reaches",
            "move the model to one of these",
        )


def _check_parameter(name: str, parameter: torch.Tensor) -> None:
    if _is(parameter, "DTensor", "ShardedTensor", "FlatParameter"):
        _refuse(
            f"cannot train '{name}', a {type(parameter).__name__}",
            "Gleaner wants parameters whole on every member",
            "use plain parameters",
        )
    if parameter.layout != torch.strided or not parameter.is_contiguous():
        _refuse(
            f"cannot train '{name}'",
            "its memory is not contiguous",
            "model.to(memory_format=torch.contiguous_format); batches may be "
            "channels_last, and convolutions then compute in that format",
        )
    if parameter.requires_grad and parameter.dtype not in DTYPES:
        _refuse(
            f"cannot train '{name}' in {str(parameter.dtype).split('.')[1]}",
            "gradients are added up as real floating point numbers",
            "keep parameters in float32 and compute under torch.autocast",
        )


def check_optimizer(optimizer: Any, model: Module) -> None:
    if _is(optimizer, "ZeroRedundancyOptimizer", "DeepSpeedZeroOptimizer"):
        _refuse(
            "cannot use a ZeRO optimizer",
            "its state is spread over processes; Gleaner wants it whole on every "
            "member",
            "use the plain optimizer",
        )
    if _is(optimizer, "AcceleratedOptimizer"):
        _refuse(
            "cannot use an AcceleratedOptimizer",
            "Accelerate owns the step, and so does Gleaner",
            "use the optimizer that it wraps, or Accelerator of gleaner.accelerate",
        )
    if not isinstance(optimizer, Optimizer):
        _refuse(
            f"cannot use a {type(optimizer).__name__} as optimizer",
            "it is no torch.optim.Optimizer",
            "pass one; several networks share one through parameter groups",
        )
    if _is(optimizer, "SparseAdam"):
        _refuse("cannot use SparseAdam", "Gleaner reduces dense gradients", "use Adam")
    if _is(optimizer, "LBFGS"):
        _refuse(
            "cannot use LBFGS",
            "it wants several gradients for each step",
            "use an optimizer whose step() needs no closure",
        )
    _check_ownership(optimizer, model)


def _check_ownership(optimizer: Optimizer, model: Module) -> None:
    known = {id(p) for p in model.parameters()}
    for group in optimizer.param_groups:
        for parameter in group["params"]:
            if id(parameter) not in known:
                _refuse(
                    "cannot use an optimizer of other parameters",
                    f"one of shape {tuple(parameter.shape)} is not the model's",
                    "make the optimizer from model.parameters(), after the model "
                    "has its final form",
                )


def is_stream(dataset: Any) -> bool:
    """Whether it has no samples by number."""
    return isinstance(dataset, IterableDataset) or not hasattr(dataset, "__getitem__")


def check_dataset(dataset: Any) -> None:
    """Of an evaluation."""
    if is_stream(dataset):
        _refuse(
            f"cannot load from a {type(dataset).__name__}",
            "Gleaner deals out samples by number",
            "use a dataset with __len__() and __getitem__()",
        )


#: Options of PyTorch's loader that Gleaner has no use for, and why.
_OPTIONS = {
    "shuffle": (
        "samples are shuffled anyway, in an order that depends on the seed only",
        "leave it out; sampler=range(len(dataset)) keeps the order of the data set",
    ),
    "generator": ("the order depends on the seed only", "use seed="),
    "timeout": ("a member that waits for long is replaced", "leave it out"),
    "multiprocessing_context": ("workers are forked", "leave it out"),
}


def check_loader(
    dataset: Any,
    refused_options: Iterable[str],
    sampler: Any,
    batch_sampler: Any,
    num_workers: int,
    batch_size: int,
    samples: int,
    shards: int,
) -> None:
    for option in refused_options:
        why = ("gleaner.DataLoader does not know it", "leave it out")
        _refuse(f"cannot take the option '{option}'", *_OPTIONS.get(option, why))
    if sampler is not None and batch_sampler is not None:
        _refuse(
            "cannot take a sampler and a batch_sampler",
            "both choose the samples",
            "give one of them",
        )
    if batch_sampler is None and batch_size < 1:
        _refuse("cannot load without batch_size", "a step needs one", "batch_size=64")
    if is_stream(dataset):
        _check_stream(dataset, sampler or batch_sampler, num_workers, samples)
        _check_shards(dataset, shards, batch_size)


def _check_stream(dataset: Any, sampler: Any, num_workers: int, samples: int) -> None:
    name = type(dataset).__name__
    if not hasattr(dataset, "__iter__"):
        _refuse(
            f"cannot load from a {name}",
            "it has neither __getitem__() nor __iter__()",
            "use a dataset with __len__() and __getitem__()",
        )
    if samples < 1:
        _refuse(
            f"cannot load from a {name} without samples=",
            "Gleaner deals out samples by number, each once per pass, and a stream "
            "does not say how many it has",
            "samples=N, if it yields the same N samples each time; or a dataset with "
            "__len__() and __getitem__()",
        )
    if sampler is not None:
        _refuse(
            f"cannot choose samples of a {name}",
            "a stream has them in its own order",
            "leave the sampler out",
        )
    if num_workers > 0:
        _refuse(
            f"cannot load from a {name} with num_workers",
            "a stream is read in order, by one process",
            "num_workers=0; or a dataset with __len__() and __getitem__()",
        )


def _check_shards(dataset: Any, shards: int, batch_size: int) -> None:
    if shards == 1:
        return
    name = type(dataset).__name__
    if not callable(getattr(dataset, "shard", None)):
        _refuse(
            f"cannot cut a {name} into shards",
            "it has no shard(n, i)",
            "let it have one, or leave shards out: each member then reads all",
        )
    if shards < 1 or batch_size % shards != 0:
        _refuse(
            f"cannot cut steps of {batch_size} samples into {shards} shards",
            "each shard has as many of every step",
            "a number of shards that divides batch_size",
        )
