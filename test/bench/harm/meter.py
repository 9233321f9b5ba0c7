# SPDX-License-Identifier: Apache-2.0
"""How much processor time do daemons take, and how busy is the machine?"""

import os
import threading

TICKS_PER_S = os.sysconf("SC_CLK_TCK")
SAMPLE_S = 1


def process_cpu_s(stat):
    """Of the text of /proc/PID/stat, threads that have ended included."""
    words = stat.rpartition(")")[2].split()
    return (int(words[11]) + int(words[12])) / TICKS_PER_S


def cpu_s(pid):
    with open(f"/proc/{pid}/stat") as file:
        return process_cpu_s(file.read())


def machine_times(stat):
    """Busy and all processor time, of the text of /proc/stat, in seconds."""
    ticks = [int(word) for word in stat.splitlines()[0].split()[1:9]]
    idle = ticks[3] + ticks[4]
    return (sum(ticks) - idle) / TICKS_PER_S, sum(ticks) / TICKS_PER_S


def prefer(pid, nice):
    """All threads of a process: those that it starts later follow."""
    for thread in os.listdir(f"/proc/{pid}/task"):
        os.setpriority(os.PRIO_PROCESS, int(thread), nice)


class MachineMeter:
    """Samples while it is entered; `busy` are shares of all processors."""

    def __init__(self):
        self.busy, self.load = [], []
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._sample)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._stop.set()
        self._thread.join()

    def _read(self):
        with open("/proc/stat") as file:
            return machine_times(file.read())

    def _sample(self):
        before = self._read()
        while not self._stop.wait(SAMPLE_S):
            now = self._read()
            span_s = max(now[1] - before[1], 1e-9)
            self.busy.append(round((now[0] - before[0]) / span_s, 3))
            self.load.append(os.getloadavg()[0])
            before = now


