# SPDX-License-Identifier: Apache-2.0
"""`pip install ./runtime/python` works, without a network."""

import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import support

TOOLS = ("pip", "setuptools", "wheel")


class Install(unittest.TestCase):
    @unittest.skipUnless(
        all(importlib.util.find_spec(tool) for tool in TOOLS),
        "needs python3-pip, python3-setuptools and python3-wheel",
    )
    def test_pip(self):
        """the package that pip installs offline trains"""
        with tempfile.TemporaryDirectory() as folder:
            # pip builds beside the sources, which may be read-only.
            source, target = Path(folder, "source"), Path(folder, "target")
            shutil.copytree(support.SOURCE / "runtime" / "python", source)
            subprocess.run(["chmod", "-R", "u+w", source], check=True)
            command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-index"]
            command += ["--no-build-isolation", "--no-deps", "--target", target, source]
            done = subprocess.run(command, capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            program = (
                "import gleaner, gleaner.core as c; print(gleaner.__file__); "
                "t = c.Training(4, 4); print(t.start())"
            )
            environment = dict(os.environ, PYTHONPATH=str(target))
            done = subprocess.run(
                [sys.executable, "-c", program],
                env=environment,
                cwd=folder,
                capture_output=True,
                text=True,
            )
            self.assertEqual(
                done.stdout.splitlines(), [f"{target}/gleaner/__init__.py", "0"]
            )


support.main()
