# SPDX-License-Identifier: Apache-2.0
"""`make wheel` makes a package that needs glibc alone, and trains where it is
installed."""

import importlib.util
import os
import re
import subprocess
import sys
import tempfile
import unittest
import venv
import zipfile
from pathlib import Path

import cffi
import ply
import pycparser
import support
import torch

TOOLS = ("pip", "setuptools", "wheel")
#: glibc's.
ALLOWED = r"lib(c|m|dl|pthread|rt)\.so\.\d|ld-linux.*\.so\.\d"

ALONE = """
import gleaner.core as c, sys
assert "torch" not in sys.modules
t = c.Training(4, 4); print(t.start(), t.step()[1].samples)
maps = open("/proc/self/maps").read()
print(sorted({l.split("/")[-1] for l in maps.splitlines() if "gleaner" in l}))
print(any(lib in maps for lib in ("libcrypto", "libstdc++", "libgloo", "hiredis")))
"""
WITH_TORCH = """
import torch, gleaner
model = torch.nn.Linear(1, 1)
job = gleaner.init(model, torch.optim.Adam(model.parameters()))
for x in job.steps(gleaner.DataLoader([torch.ones(1)] * 8, 2), passes=2):
    job.backward(model(x).square().mean())
    job.step()
print(gleaner.__file__, job.finished, job.step_number)
"""


def run(*command, **environment):
    done = subprocess.run(
        list(map(str, command)),
        env=dict(PATH=os.environ["PATH"], **environment),
        capture_output=True,
        text=True,
        cwd="/",
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.splitlines()


@unittest.skipUnless(
    all(importlib.util.find_spec(tool) for tool in TOOLS),
    "needs python3-pip, python3-setuptools and python3-wheel",
)
class Wheel(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.here = Path(cls.folder.name)
        make = support.SOURCE / "packaging" / "wheel"
        cls.wheel = Path(run(make, support.BUILD, cls.here, PYTHON=sys.executable)[-1])
        venv.create(cls.here / "venv", with_pip=True)
        cls.python = cls.here / "venv" / "bin" / "python"
        run(cls.python, *"-m pip install --quiet --no-index --no-deps".split(), cls.wheel)
        # What pip would fetch: cffi with what it needs, and nothing else of this system's packages.
        cls.needed = cls.here / "needed"
        cls.needed.mkdir()
        backend = importlib.util.find_spec("_cffi_backend").origin
        packages = [Path(package.__file__).parent for package in (cffi, pycparser, ply)]
        for path in (*packages, Path(backend)):
            (cls.needed / path.name).symlink_to(path)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_name(self):
        """one file for any Python, which says how new glibc must be"""
        name = r"gleaner-[0-9.]+-py3-none-manylinux_2_\d+_\w+\.whl"
        self.assertRegex(self.wheel.name, name)

    def test_needs(self):
        """its library needs glibc alone"""
        with zipfile.ZipFile(self.wheel) as files:
            library = files.extract("gleaner/libgleaner.so.0", self.here / "unpacked")
        found = re.findall(r"NEEDED.*\[(.*)\]", "\n".join(run("readelf", "-d", library)))
        self.assertIn("libc.so.6", found)
        for name in found:
            self.assertRegex(name, f"^({ALLOWED})$")

    def test_without_pytorch(self):
        """in a clean environment gleaner.core trains, without PyTorch"""
        out = run(self.python, "-c", ALONE, PYTHONPATH=str(self.needed))
        self.assertRegex(out[0], r"^0 \((\d, ){3}\d\)$")
        self.assertEqual(out[1:], ["['libgleaner.so.0']", "False"])

    def test_with_pytorch(self):
        """beside PyTorch, which has a libstdc++ of its own, a training runs"""
        path = Path(torch.__file__).parents[1]
        out = run(self.python, "-c", WITH_TORCH, PYTHONPATH=str(path))
        place = f"{self.here}/venv/lib/"
        self.assertTrue(out[-1].startswith(place), out)
        self.assertTrue(out[-1].endswith(" True 8"), out)


support.main()
