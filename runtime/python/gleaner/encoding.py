# SPDX-License-Identifier: Apache-2.0
"""How is what is no tensor written into the state?

As JSON, where numbers, text, tensors and collections of them suffice, so that
reading it runs no code; by pickle otherwise, which is only written and read where
the user said so.
"""

from __future__ import annotations

import base64
import io
import json
from collections import Counter, OrderedDict
from typing import Any

import torch
from torch import Tensor

_JSON, _PICKLE = b"J", b"P"
_MAPPINGS = {"dict": dict, "OrderedDict": OrderedDict, "Counter": Counter}
_SETS = {"set": set, "frozenset": frozenset}


class NotPlain(ValueError):
    """More than numbers, text, tensors and collections."""


def to_bytes(value: Any, pickles: bool = False) -> bytes:
    """Raises NotPlain for what only a pickle can hold, unless `pickles`."""
    try:
        return _JSON + json.dumps(_plain(value)).encode()
    except NotPlain:
        if not pickles:
            raise
        out = io.BytesIO()
        torch.save(value, out)
        return _PICKLE + out.getvalue()


def from_bytes(data: bytes, trust: bool) -> Any:
    """What to_bytes() was given.  Raises NotPlain for a pickle, unless trusted."""
    if data[:1] == _JSON:
        return _rebuilt(json.loads(data[1:]))
    if not trust:
        raise NotPlain("a Python object that only its program can read")
    return torch.load(io.BytesIO(data[1:]), weights_only=False)


def _plain(value: Any) -> Any:
    kind = type(value)
    if value is None or kind in (bool, int, float, str):
        return value
    if kind is list:
        return [_plain(item) for item in value]
    if kind in (tuple, torch.Size):
        return {"tuple": [_plain(item) for item in value]}
    if kind in _MAPPINGS.values():
        items = [[_plain(key), _plain(item)] for key, item in value.items()]
        return {kind.__name__: items}
    if kind in _SETS.values():
        return {kind.__name__: [_plain(item) for item in value]}
    if kind is bytes:
        return {"bytes": base64.b64encode(value).decode()}
    if kind is complex:
        return {"complex": [value.real, value.imag]}
    if kind is torch.dtype:
        return {"dtype": str(value).split(".")[1]}
    if kind is Tensor and not value.requires_grad and value.device.type == "cpu":
        flat = value.contiguous().reshape(-1).view(torch.uint8)
        data = base64.b64encode(flat.numpy().tobytes()).decode()
        return {"tensor": [_plain(value.dtype), list(value.shape), data]}
    raise NotPlain(kind.__name__)


def _dtype(name: str) -> torch.dtype:
    found = getattr(torch, name, None)
    if not isinstance(found, torch.dtype):
        raise ValueError(f"'{name}' is no type of PyTorch's")
    return found


def _rebuilt(value: Any) -> Any:
    if isinstance(value, list):
        return [_rebuilt(item) for item in value]
    if not isinstance(value, dict):
        return value
    ((kind, content),) = value.items()
    if kind in _MAPPINGS:
        return _MAPPINGS[kind]({_rebuilt(k): _rebuilt(v) for k, v in content})
    if kind == "tuple":
        return tuple(_rebuilt(item) for item in content)
    if kind in _SETS:
        return _SETS[kind](_rebuilt(item) for item in content)
    if kind == "bytes":
        return base64.b64decode(content)
    if kind == "complex":
        return complex(*content)
    if kind == "dtype":
        return _dtype(content)
    dtype, shape, data = content
    if not data:
        return torch.zeros(shape, dtype=_rebuilt(dtype))
    flat = torch.frombuffer(bytearray(base64.b64decode(data)), dtype=torch.uint8)
    return flat.view(_rebuilt(dtype)).view(shape)
