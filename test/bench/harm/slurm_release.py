# SPDX-License-Identifier: Apache-2.0
"""Which release of Slurm is it?"""

import re
import subprocess


def slurm_release():
    """The release of the slurmctld in PATH: (26, 5)."""
    said = subprocess.run(
        ["slurmctld", "-V"], stdout=subprocess.PIPE, text=True, check=True
    ).stdout
    found = re.search(r"(\d+)\.(\d+)", said)
    if not found:
        raise RuntimeError(f"slurmctld -V says no release: '{said.strip()}'")
    return int(found[1]), int(found[2])
