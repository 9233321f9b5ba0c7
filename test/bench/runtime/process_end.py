# SPDX-License-Identifier: Apache-2.0
"""How does a benchmark end what it has started, and say why it failed?"""

import subprocess


def end_process(process, limit_s):
    process.terminate()
    try:
        process.wait(limit_s)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def show_last_lines(path, failure):
    """Of what it said, when something else failed than the user's patience."""
    if failure is None or failure is KeyboardInterrupt:
        return
    with open(path) as said:
        print("".join(said.readlines()[-8:]), flush=True)
