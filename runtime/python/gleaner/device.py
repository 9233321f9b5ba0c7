# SPDX-License-Identifier: Apache-2.0
"""Where does a tensor lie, and how is memory of Gleaner's one there?

Beside this file nothing knows of CUDA.
"""

from __future__ import annotations

from typing import Any, Dict

import torch
from torch import Tensor

HOST = -1
DEVICES = ("cpu", "cuda")  #: that Gleaner knows, by PyTorch's names


def number_of(tensor: Tensor) -> int:
    """Of its GPU, as CUDA counts the visible ones; or HOST."""
    return HOST if tensor.device.type == "cpu" else int(tensor.device.index)


class _Bytes:
    """What PyTorch takes for an array in memory of a GPU, which stays ours."""

    def __init__(self, address: int, count: int) -> None:
        self.__cuda_array_interface__: Dict[str, Any] = {
            "data": (address, False),
            "shape": (count,),
            "typestr": "|u1",
            "version": 2,
        }


def tensor_at(address: int, like: Tensor) -> Tensor:
    """A tensor of that type and shape over memory of the GPU `like` lies on."""
    count = like.numel() * like.element_size()
    memory = torch.as_tensor(_Bytes(address, count), device=like.device)
    return memory.view(like.dtype).view(like.shape)


def stream_of(number: int) -> int:
    """The stream on which this thread queues work on that GPU (cudaStream_t)."""
    stream: int = torch.cuda.current_stream(number).cuda_stream
    return stream


def name_of(number: int) -> str:
    """What two members' GPUs must have in common to compute the same bits."""
    name: str = torch.cuda.get_device_name(number)
    return f"{name}, CUDA {torch.version.cuda}"


def give_back_memory() -> None:
    """What PyTorch keeps of GPUs for later tensors."""
    if torch.cuda.is_initialized():
        torch.cuda.empty_cache()


def usual() -> str:
    """The device of a member: the first GPU that it sees, or the CPU."""
    return "cuda:0" if torch.cuda.is_available() else "cpu"


def has_gpu() -> bool:
    """Whether this process sees a GPU."""
    return torch.cuda.is_available()
