# SPDX-License-Identifier: Apache-2.0
"""Where do the tests of this benchmark find what they test, and how do they tell?"""

import os
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE), os.path.join(HERE, "../../python")]

from support import main  # noqa: E402, F401
