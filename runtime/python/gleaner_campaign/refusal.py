# SPDX-License-Identifier: Apache-2.0
"""How a campaign says that it cannot do what it was asked."""

from __future__ import annotations


class Refusal(Exception):
    """A message for the user: problem (why) [remedy].  Ends the command with 2."""


def at(file: str, line: int, key: str, problem: str, remedy: str) -> Refusal:
    """A refusal of what stands in a file: FILE:LINE: KEY: problem [remedy]."""
    return Refusal(f"{file}:{line}: {key}: {problem} [{remedy}]")
