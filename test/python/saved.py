# SPDX-License-Identifier: Apache-2.0
"""What is saved comes back the same, and reading it runs nothing."""

import functools
import json
import struct
import tempfile
import unittest
from collections import Counter, OrderedDict
from pathlib import Path

import support
import torch

import gleaner
from gleaner.encoding import NotPlain, from_bytes, to_bytes
from gleaner.state import State

VALUES = [
    None,
    True,
    -(2**70),
    0.1 + 0.2,
    float("inf"),
    "ä\0\n",
    [1, [2.5, ()]],
    (1, "two"),
    {"a": {3: None}, (1, 2): "tuple"},
    Counter({30: 1, 60: 2}),
    OrderedDict([("b", 1), ("a", 2)]),
    torch.Size([2, 3]),
    torch.bfloat16,
    {"seen": {1, 2}, "kept": frozenset({"a"})},
    b"bytes\0",
    1.5 - 2j,
]
TENSORS = [
    torch.tensor(1.5),
    torch.zeros(0, 3),
    torch.arange(6, dtype=torch.float64).view(2, 3).t(),
    torch.tensor([True, False]),
    torch.tensor([1.25, -2], dtype=torch.bfloat16),
]
FILES = [
    ("nothing", b"", "no safetensors file"),
    ("a short header", struct.pack("<Q", 1000) + b"{}", "longer than the file"),
    ("no JSON", struct.pack("<Q", 2) + b"[[", "no safetensors file"),
    ("somebody else's", struct.pack("<Q", 2) + b"{}", "not a checkpoint of Gleaner"),
]


SCHEDULES = [
    ("OneCycleLR", lambda o: torch.optim.lr_scheduler.OneCycleLR(o, 0.2, 13)),
    ("CosineAnnealingLR", lambda o: torch.optim.lr_scheduler.CosineAnnealingLR(o, 9)),
    ("MultiStepLR", lambda o: torch.optim.lr_scheduler.MultiStepLR(o, [3, 6])),
    ("LambdaLR", lambda o: torch.optim.lr_scheduler.LambdaLR(o, lambda n: 1 / (n + 1))),
]
RAN = []


def run(what):
    RAN.append(what)
    return {"n": 1}


class Runs:
    """Runs code when it is unpickled."""

    def __reduce__(self):
        return run, ("code",)


class Kept:
    def __init__(self, loaded):
        self.loaded = loaded

    def state_dict(self):
        return {"n": 1}

    def load_state_dict(self, saved):
        self.loaded.append(saved)


class Blobs:
    """Stands for core.Training; keeps what is registered."""

    def __init__(self):
        self.found = {}

    def tensor(self, *_):
        pass

    def blob(self, name, save, load):
        self.found[name] = save, load


def model_and_optimizer():
    model = torch.nn.Linear(2, 1)
    return model, torch.optim.SGD(model.parameters(), lr=0.1)


def optimizer_of():
    return model_and_optimizer()[1]


def checkpoint(folder, tensor=None, **metadata):
    header = {"__metadata__": {"gleaner": "1", **metadata}}
    if tensor:
        header["w"] = tensor
    text = json.dumps(header).encode()
    path = Path(folder, "x.safetensors")
    path.write_bytes(struct.pack("<Q", len(text)) + text + bytes(8))
    return path


class Saved(unittest.TestCase):
    def test_values(self):
        """plain values come back equal and of the same type, as plain JSON"""
        for value in VALUES:
            with self.subTest(value=value):
                found = from_bytes(to_bytes(value), trust=False)
                self.assertEqual(found, value)
                if not isinstance(value, torch.Size):
                    self.assertIs(type(found), type(value))

    def test_tensors(self):
        """tensors come back bit by bit"""
        for value in TENSORS:
            with self.subTest(dtype=value.dtype, shape=value.shape):
                found = from_bytes(to_bytes({"t": value}), trust=False)["t"]
                self.assertEqual(found.dtype, value.dtype)
                self.assertTrue(torch.equal(found, value))

    def test_objects(self):
        """other objects come back only where the file is trusted"""
        with self.assertRaises(NotPlain):
            to_bytes(functools.partial(int, "7"))
        data = to_bytes(functools.partial(int, "7"), pickles=True)
        with self.assertRaises(NotPlain):
            from_bytes(data, trust=False)
        self.assertEqual(from_bytes(data, trust=True)(), 7)

    def test_schedules(self):
        """schedules of PyTorch are saved whole, and loaded without pickles"""
        for name, make in SCHEDULES:
            with self.subTest(schedule=name):
                model, optimizer = model_and_optimizer()
                scheduler, blobs = make(optimizer), Blobs()
                for _ in range(3):
                    optimizer.step()
                    scheduler.step()
                State(model, optimizer, None, {"s": scheduler}).register(blobs)
                save, _ = blobs.found["state:s"]
                other = make(optimizer_of())
                other.load_state_dict(from_bytes(save(), trust=False))
                self.assertEqual(other.get_last_lr(), scheduler.get_last_lr())
                self.assertEqual(other.last_epoch, 3)

    def test_names(self):
        """nothing but types of tensors is found by its name"""
        with self.assertRaisesRegex(ValueError, "no type"):
            from_bytes(b'J{"dtype": "load"}', trust=False)

    def test_peer(self):
        """what a peer or a checkpoint sends is not unpickled without the word for it"""
        ran = []
        data = to_bytes(Runs(), pickles=True)
        for pickles in (False, True):
            state = State(*model_and_optimizer(), None, {"mine": Kept(ran)}, pickles)
            blobs = Blobs()
            state.register(blobs)
            _, load = blobs.found["state:mine"]
            if pickles:
                load(data)
            else:
                with self.assertRaisesRegex(gleaner.Unsupported, "pickles=True"):
                    load(data)
            self.assertEqual(RAN, ["code"] if pickles else [])
        RAN.clear()

    def test_refused(self):
        """what only a pickle can carry is refused at once, by name and remedy"""
        model, optimizer = model_and_optimizer()
        odd = {"rule": functools.partial(int, "7")}
        with self.assertRaisesRegex(
            gleaner.Unsupported, "'user:mine'.*partial.*pickles=True"
        ):
            gleaner.init(model, optimizer, state={"mine": odd})
        gleaner.init(model, optimizer, state={"mine": odd}, pickles=True)

    def test_files(self):
        """files that are no checkpoints are told by name"""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "x.safetensors")
            for name, content, words in FILES:
                with self.subTest(file=name):
                    path.write_bytes(content)
                    with self.assertRaisesRegex(ValueError, words) as refused:
                        gleaner.load(path)
                    self.assertIn(str(path), str(refused.exception))

    def test_tensor_outside(self):
        """a tensor that does not fit its file is told"""
        with tempfile.TemporaryDirectory() as folder:
            for offsets in ([0, 16], [-4, 4], [8, 16]):
                with self.subTest(offsets=offsets):
                    tensor = {"dtype": "F64", "shape": [1], "data_offsets": offsets}
                    with self.assertRaisesRegex(ValueError, "longer than the file"):
                        gleaner.load(checkpoint(folder, tensor))

    def test_other_program(self):
        """a checkpoint of a C program is told apart"""
        with tempfile.TemporaryDirectory() as folder:
            state = json.dumps({"schema": "s", "session": "{}", "blobs": {}})
            with self.assertRaisesRegex(ValueError, "did not use gleaner.init"):
                gleaner.load(checkpoint(folder, state=state))


support.main()
