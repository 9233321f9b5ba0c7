# SPDX-License-Identifier: Apache-2.0
"""With what does a command of `gleaner campaign` exit?  See gleaner-campaign(1)."""

DONE = 0  # all trials are told; or the command did what it was asked
REFUSED = 2  # nothing was done, and standard error says why
BUDGET = 3  # time or node-hours are spent
STOPPED = 4  # gleaner campaign stop
PRUNED = 5  # of report: the trial is to end
BUSY = 6  # of ask: others hold all trials that are left
