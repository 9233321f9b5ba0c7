# SPDX-License-Identifier: Apache-2.0
"""torchrun; with PyTorch 1.13 on Python 3.11, where its own reading of
--redirects fails (`Std.from_str("0")` is None)."""

from torch.distributed.elastic.multiprocessing.api import Std
from torch.distributed.run import main

if Std.from_str("0") is None:
    Std.from_str = classmethod(lambda cls, value: Std.NONE)
main()
