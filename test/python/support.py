# SPDX-License-Identifier: Apache-2.0
"""What the tests of the Python package share; `main()` prints TAP.

Import it before gleaner: it says where the package and libgleaner are built.
"""

import os
import sys
import unittest
from pathlib import Path

SOURCE = Path(os.environ.get("top_srcdir", ".")).resolve()
BUILD = Path(os.environ.get("top_builddir", ".")).resolve()

sys.dont_write_bytecode = True
os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
sys.path.insert(0, str(SOURCE / "runtime" / "python"))
os.environ["PYTHONPATH"] = str(SOURCE / "runtime" / "python")
os.environ["GLEANER_LIBRARY"] = str(BUILD / "runtime" / ".libs" / "libgleaner.so.0")
# One thread each: the machines that run tests are small.
os.environ["OMP_NUM_THREADS"] = "1"
for variable in ("COORDINATOR", "SECRET_FD", "SECRET_FILE", "MEMBER", "NODE"):
    os.environ.pop("GLEANER_" + variable, None)


class _Tap(unittest.TestResult):
    """A line for each test: its docstring says the rule."""

    def _line(self, result, test, comment=""):
        rule = (test.shortDescription() or str(test)).replace("#", "no.")
        print(f"{result} {self.testsRun} - {rule}{comment}", flush=True)

    def _broken(self, test, error):
        self._line("not ok", test)
        text = self._exc_info_to_string(error, test)
        print("\n".join("# " + line for line in text.splitlines()), flush=True)

    def addSuccess(self, test):
        self._line("ok", test)

    def addSkip(self, test, reason):
        self._line("ok", test, f" # SKIP {reason}")

    def addError(self, test, error):
        super().addError(test, error)
        self._broken(test, error)

    def addFailure(self, test, error):
        super().addFailure(test, error)
        self._broken(test, error)

    def addSubTest(self, test, subtest, error):
        super().addSubTest(test, subtest, error)
        if error is not None:
            self._broken(subtest, error)


def main():
    """Run the tests of the calling file; TAP on standard output."""
    suite = unittest.defaultTestLoader.loadTestsFromModule(sys.modules["__main__"])
    print(f"1..{suite.countTestCases()}", flush=True)
    result = _Tap()
    suite.run(result)
    sys.exit(0 if result.wasSuccessful() else 1)
