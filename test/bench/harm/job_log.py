# SPDX-License-Identifier: Apache-2.0
"""Which jobs does a log in the Standard Workload Format tell of?"""

from typing import NamedTuple

FIELDS = 18
SUBMIT, WAIT, RUN, NODES, NODES_WANTED, LIMIT = 1, 2, 3, 4, 7, 8


class LoggedJob(NamedTuple):
    """Times count from the beginning of the log's window."""

    submit_s: float
    start_s: float
    run_s: float
    limit_s: float  # what it asked for
    nodes: int

    @property
    def end_s(self):
        return self.start_s + self.run_s


class JobLog(NamedTuple):
    nodes: int  # of the machine
    length_s: float
    jobs: list  # in order of submission


def _job(line, window_start):
    words = line.split()
    if len(words) < FIELDS:
        raise ValueError(f"has {len(words)} fields, not {FIELDS}")
    field = [float(word) for word in words]
    nodes = int(field[NODES] if field[NODES] > 0 else field[NODES_WANTED])
    if field[RUN] <= 0 or nodes <= 0:
        return None  # it never ran
    submit_s = field[SUBMIT] - window_start
    limit_s = max(field[LIMIT], field[RUN])
    start_s = submit_s + max(field[WAIT], 0)
    return LoggedJob(submit_s, start_s, field[RUN], limit_s, nodes)


def read_job_log(lines, name="log"):
    """Raises ValueError, naming the line, for what cannot be read."""
    header = {"MaxNodes": 0, "WindowStart": 0, "WindowEnd": 0}
    jobs = []
    for number, line in enumerate(lines, 1):
        try:
            if line.startswith(";"):
                key, _, value = line[1:].partition(":")
                if key.strip() in header:
                    header[key.strip()] = int(value.split()[0])
            elif line.strip():
                job = _job(line, header["WindowStart"])
                jobs += [job] if job else []
        except (ValueError, IndexError) as why:
            raise ValueError(f"{name}, line {number}: {why}") from why
    if not jobs or header["MaxNodes"] <= 0:
        raise ValueError(f"{name}: has no jobs, or no line '; MaxNodes: N'")
    length_s = header["WindowEnd"] - header["WindowStart"]
    if length_s <= 0:
        length_s = max(job.submit_s for job in jobs)
    return JobLog(header["MaxNodes"], length_s, sorted(jobs))
