# SPDX-License-Identifier: Apache-2.0
"""doc/python.md shows the true differences, and the examples run.

    python3 test/python/documentation.py --write     # brings the page up to date
"""

import difflib
import os
import re
import subprocess
import sys
import tempfile
import unittest

import support

PAGE = support.SOURCE / "doc" / "python.md"
EXAMPLES = support.SOURCE / "examples" / "python"
SHOWN = re.compile(r"(<!-- diff (\S+) (\S+) -->\n```diff\n)(.*?)(```)", re.S)


def difference(plain, malleable):
    sides = [(EXAMPLES / name).read_text().splitlines() for name in (plain, malleable)]
    lines = difflib.unified_diff(*sides, lineterm="", n=1)
    return "".join(line + "\n" for line in lines if not line.startswith(("---", "+++")))


def up_to_date(text):
    return SHOWN.sub(lambda m: m[1] + difference(m[2], m[3]) + m[5], text)


def run(program, *options):
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [sys.executable, EXAMPLES / program, *options],
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=60,
        )
        return done.returncode, done.stderr, os.listdir(folder)


class Documentation(unittest.TestCase):
    def test_differences(self):
        """the page shows what differs between the examples, line for line"""
        text = PAGE.read_text()
        self.assertEqual(len(SHOWN.findall(text)), 2)
        self.assertEqual(text, up_to_date(text), "run this file with --write")

    def test_small(self):
        """a handful of lines make a program malleable"""
        for _, plain, malleable, shown, _ in SHOWN.findall(PAGE.read_text()):
            with self.subTest(program=malleable):
                added = [line for line in shown.splitlines() if line.startswith("+")]
                self.assertLessEqual(len(added), 16)

    def test_names(self):
        """the page names every public name of the package"""
        import gleaner

        text = PAGE.read_text()
        for name in ("init", "DataLoader", "load", "core"):
            self.assertIn(f"gleaner.{name}", text)
        for name in vars(gleaner.Job):
            if not name.startswith("_"):
                self.assertIn(name, text)

    def test_resnet(self):
        """the residual networks run, as plain and as malleable programs"""
        for program in ("resnet.py", "resnet_malleable.py"):
            with self.subTest(program=program):
                options = ("--samples", "128", "--passes", "2", "--evaluate-every", "2")
                self.assertEqual(run(program, *options), (0, "", ["resnet.pt"]))

    def test_lora(self):
        """so does LoRA, which learns"""
        with tempfile.TemporaryDirectory() as folder:
            program = [sys.executable, EXAMPLES / "lora_malleable.py"]
            done = subprocess.run(program, cwd=folder, capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            # 0.85 after the first pass.
            self.assertLess(float(done.stdout.split()[1]), 0.45)
            self.assertEqual(os.listdir(folder), ["lora.pt"])

    def test_char_lm(self):
        """so do the language models"""
        for program in ("char_lm.py", "char_lm_malleable.py"):
            with self.subTest(program=program):
                options = ("--text", str(support.SOURCE / "LICENSE"), "--passes", "1")
                self.assertEqual(run(program, *options), (0, "", ["char_lm.pt"]))


if sys.argv[1:] == ["--write"]:
    PAGE.write_text(up_to_date(PAGE.read_text()))
else:
    support.main()
