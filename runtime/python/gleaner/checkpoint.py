# SPDX-License-Identifier: Apache-2.0
"""What is in a checkpoint, as PyTorch objects?  Needs no libgleaner.

A checkpoint is a safetensors file: its length, a JSON header that says where
each tensor lies, the tensors; in the header, blobs (see encoding.py).
"""

from __future__ import annotations

import base64
import json
import math
import os
import struct
from typing import Any, Dict, Union

import torch
from torch import Tensor

from .encoding import NotPlain, from_bytes

_DTYPES = {
    "F32": torch.float32,
    "F64": torch.float64,
    "I64": torch.int64,
    "U8": torch.uint8,
    "F16": torch.float16,
    "BF16": torch.bfloat16,
}
_OWN = ("state:progress", "state:frozen")  #: blobs that no program asks for
_HEADER_BYTES_MAX = 256 << 20


def load(path: Union[str, "os.PathLike[str]"], trust: bool = False) -> Dict[str, Any]:
    """Read a checkpoint: plain dictionaries for load_state_dict().

    "model", "optimizer", and where the training had them "scheduler", "scaler",
    "ema" and "state" (by name); "step" and "samples_seen".  With `trust`, objects
    that are no plain data are read too, which may run any code."""
    header, tensors = _read(path)
    metadata = header.get("__metadata__", {})
    if metadata.get("gleaner") != "1":
        raise ValueError(f"'{path}' is not a checkpoint of Gleaner")
    state = json.loads(metadata["state"])
    blobs = {
        name: _unpack(path, name, base64.b64decode(data), trust)
        for name, data in state["blobs"].items()
    }
    if "layout" not in blobs:
        raise ValueError(f"'{path}' is of a program that did not use gleaner.init()")
    for name, (dtype, shape) in blobs["layout"]["tensors"].items():
        tensors[name] = tensors[name].view(dtype).view(shape)
    return _assemble(tensors, blobs, json.loads(state["session"]))


def _read(path: Any) -> "tuple[Dict[str, Any], Dict[str, Tensor]]":
    with open(path, "rb") as file:
        data = bytearray(file.read())
    try:
        (length,) = struct.unpack_from("<Q", data)
        if length > min(_HEADER_BYTES_MAX, len(data) - 8):
            raise ValueError("the header is longer than the file")
        header = json.loads(bytes(data[8 : 8 + length]))
        tensors = {
            name: _tensor(data, 8 + length, entry)
            for name, entry in header.items()
            if name != "__metadata__"
        }
    except (ValueError, KeyError, TypeError, struct.error) as why:
        raise ValueError(f"'{path}' is no safetensors file: {why}") from why
    return header, tensors


def _tensor(data: bytearray, start: int, entry: Dict[str, Any]) -> Tensor:
    dtype, shape = _DTYPES[entry["dtype"]], entry["shape"]
    first, last = entry["data_offsets"]
    count = math.prod(shape)
    size = count * torch.empty(0, dtype=dtype).element_size()
    if last - first != size or first < 0 or start + last > len(data):
        raise ValueError("a tensor is longer than the file")
    if count == 0:
        return torch.zeros(shape, dtype=dtype)
    flat = torch.frombuffer(data, dtype=dtype, count=count, offset=start + first)
    return flat.view(shape).clone()


def _unpack(path: Any, name: str, data: bytes, trust: bool) -> Any:
    try:
        return from_bytes(data, trust)
    except NotPlain as why:
        raise ValueError(
            f"blob '{name}' of '{path}' is {why} (reading it may run any code) "
            "[gleaner.load(path, trust=True), if you trust the file]"
        ) from why


def _assemble(
    tensors: Dict[str, Tensor], blobs: Dict[str, Any], session: Dict[str, Any]
) -> Dict[str, Any]:
    model: Dict[str, Tensor] = {}
    rooms: Dict[str, Dict[str, Tensor]] = {}
    ema: Dict[str, Tensor] = {}
    for name, tensor in tensors.items():
        if name.startswith("optimizer:"):
            _, parameter, entry = name.split(":", 2)
            rooms.setdefault(parameter, {})[entry] = tensor
        elif name.startswith("ema:"):
            ema[name[len("ema:") :]] = tensor
        elif not name.startswith("gleaner:"):
            model[name] = tensor
    for alias, name in blobs["layout"]["same"].items():
        model[alias] = model[name]
    found: Dict[str, Any] = {"model": model}
    found["optimizer"] = _optimizer(blobs["optimizer"], rooms)
    if ema:
        found["ema"] = ema
    users: Dict[str, Any] = {}
    for name, value in blobs.items():
        if name.startswith("state:user:"):
            users[name[len("state:user:") :]] = value
        elif name.startswith("state:") and name not in _OWN:
            found[name[len("state:") :]] = value
    if users:
        found["state"] = users
    found["step"] = session["step"]
    found["samples_seen"] = session["sampler"]["samples_seen"]
    return found


def _optimizer(saved: Dict[str, Any], rooms: Dict[str, Dict[str, Tensor]]) -> Any:
    """The form of torch.optim.Optimizer.state_dict()."""
    state: Dict[int, Dict[str, Any]] = {}
    groups = []
    number = 0
    for values, names in zip(saved["groups"], saved["order"]):
        groups.append({**values, "params": list(range(number, number + len(names)))})
        for name in names:
            entries = saved["entries"].get(name)
            if entries:
                state[number] = {
                    entry: rooms[name][entry] if plain is None else plain[0]
                    for entry, plain in entries.items()
                }
            number += 1
    return {"state": state, "param_groups": groups}
