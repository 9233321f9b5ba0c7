# SPDX-License-Identifier: Apache-2.0
"""What a defect is: one change of one file that would hurt a user."""

from typing import NamedTuple


class Defect(NamedTuple):
    """`right`, which stands once in `file`, gives way to `wrong`."""

    name: str  # what is wrong then, as a user would say it
    file: str
    right: str
    wrong: str
    test: str  # the test case, or the file of Python tests, that must notice
    program: str = ""  # the unit tests it is in; none for Python


def defects_in(program):
    """A Defect with these unit tests."""
    return lambda name, file, right, wrong, test: Defect(
        name, file, right, wrong, test, program
    )
