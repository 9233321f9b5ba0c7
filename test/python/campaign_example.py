# SPDX-License-Identifier: Apache-2.0
"""The example of a search does what its first lines say."""

import os
import subprocess
import unittest
from pathlib import Path

import support
from campaign import PYTHON, Case, missing

GLEANER = support.BUILD / "src" / "cli" / "gleaner"
TRY = support.SOURCE / "examples" / "campaign" / "try"
try:
    import plotly  # noqa: F401
except ImportError:
    missing.append("python3-plotly")


@unittest.skipIf(missing, f"missing: {', '.join(missing)}")
class Example(Case):
    def test_quick(self):
        """examples/campaign/try --quick ends with the best trial and a picture"""
        environment = {**os.environ, "GLEANER": str(GLEANER), "PYTHON": PYTHON}
        done = subprocess.run(
            ["sh", TRY, "--quick", self.dir],
            env=environment,
            capture_output=True,
            text=True,
            timeout=400,
        )
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        page = Path(done.stdout.splitlines()[-1])
        self.assertIn("Best value so far", page.read_text())
        trials = self.trials()
        self.assertEqual([t["state"] for t in trials], ["complete"] * 3)
        self.assertEqual([len(t["course"]) for t in trials], [3] * 3)


if __name__ == "__main__":
    support.main()
