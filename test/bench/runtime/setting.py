# SPDX-License-Identifier: Apache-2.0
"""Where a benchmark finds what it runs, and how much it shall do."""

import os
import tempfile


class Setting:
    def __init__(self, options):
        self.reps = options.reps
        self.peers = options.peers
        self.planes = options.planes.split()
        self.quick = options.quick
        self.follow = options.follow
        self.states_mib = [int(s) for s in options.states.split()]
        self.peer_states_mib = [int(s) for s in options.peer_states.split()]
        self.build = os.path.abspath(options.build)
        self._source = os.path.abspath(options.source)
        self._work = os.path.join(os.path.abspath(options.out), "work")

    def built(self, path):
        found = os.path.join(self.build, path)
        if not os.path.exists(found):
            raise SystemExit(f"bench-runtime: '{found}' is not built [make it]")
        return found

    def has(self, path):
        return os.path.exists(os.path.join(self.build, path))

    def source(self, path):
        return os.path.join(self._source, path)

    def work_dir(self, kind):
        """A new directory, which the caller removes."""
        os.makedirs(self._work, exist_ok=True)
        return tempfile.mkdtemp(prefix=kind + "-", dir=self._work)

    def environment(self):
        """One thread each, in both systems, and nobody's settings of before."""
        kept = {
            k: v
            for k, v in os.environ.items()
            if not k.startswith(("GLEANER_", "SLURM_", "OMPI_", "TORCHELASTIC_"))
        }
        kept.update(
            OMP_NUM_THREADS="1",
            OPENBLAS_NUM_THREADS="1",
            GLOO_SOCKET_IFNAME="lo",
            PYTHONUNBUFFERED="1",
            PYTHONDONTWRITEBYTECODE="1",
            PYTHONPATH=os.pathsep.join(
                [self.source("runtime/python"), self.source("examples/python")]
            ),
            GLEANER_LIBRARY=os.path.join(self.build, "runtime/.libs/libgleaner.so"),
        )
        return kept

    def clean_up(self):
        try:
            os.rmdir(self._work)
        except OSError:
            pass
