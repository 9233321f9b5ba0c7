# SPDX-License-Identifier: Apache-2.0
"""How is one trial run?  As `gleaner run` with the trial's directory.

The directory is locked as long as any process of the run lives on this host: the
lock's descriptor is inherited.  When we die, the kernel asks the run to end with a
checkpoint (PR_SET_PDEATHSIG), so nothing trains for nobody.
"""

from __future__ import annotations

import ctypes
import fcntl
import json
import os
import re
import signal
import subprocess
from typing import Any, Callable, Iterator, Optional

from gleaner_campaign.campaign import Taken
from gleaner_campaign.refusal import Refusal

WORD = re.compile(r"\{([A-Za-z_][A-Za-z_0-9]*)\}")
PR_SET_PDEATHSIG = 1


def filled_in(argv: list[str], values: dict[str, Any]) -> list[str]:
    """Each {name} replaced by its value.  A word that names a parameter which this
    trial does not have (it depends on others) is left out."""
    found = []
    for word in argv:
        if all(name in values for name in WORD.findall(word)):
            found.append(WORD.sub(lambda m: str(values[m.group(1)]), word))
    return found


def check_names(argv: list[str], known: set[str]) -> None:
    """Refuse a {name} that no trial can have."""
    for at, word in enumerate(argv, 1):
        for name in WORD.findall(word):
            if name not in known:
                raise Refusal(
                    f"argument {at}: '{word}': {{{name}}} is no parameter "
                    f"[known: {', '.join(sorted(known))}]"
                )


class EventsTail:
    """The whole lines of a growing events.jsonl, each once, over all its runs."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._offset = 0

    def read(self) -> Iterator[dict[str, Any]]:
        try:
            with open(self._path, "rb") as file:
                file.seek(self._offset)
                for line in file:
                    if not line.endswith(b"\n"):
                        return
                    self._offset += len(line)
                    event = _event_of(line)
                    if event is not None:
                        yield event
        except FileNotFoundError:
            return


def _event_of(line: bytes) -> Optional[dict[str, Any]]:
    """None for a line that a killed writer began."""
    try:
        event = json.loads(line)
    except ValueError:
        return None
    return event if isinstance(event, dict) else None


def lock_folder(folder: str) -> Optional[int]:
    """A descriptor that holds the directory; None while a process of an earlier run
    of this trial still does."""
    os.makedirs(folder, exist_ok=True)
    file = os.open(os.path.join(folder, "lock"), os.O_RDWR | os.O_CREAT, 0o644)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(file)
        return None
    return file


class Training:
    """A `gleaner run` in progress."""

    def __init__(
        self, program: str, taken: Taken, options: list[str], argv: list[str], lock: int
    ) -> None:
        folder = taken.folder
        values = {**taken.params, "number": taken.number, "dir": folder}
        values["seed"] = taken.seed
        command = [program, "--dir", folder, *options]
        if os.path.exists(os.path.join(folder, "checkpoints", "latest.json")):
            command.append("--resume")
        self.events = EventsTail(os.path.join(folder, "events.jsonl"))
        environment = {**os.environ, "GLEANER_TRIAL": json.dumps(taken.to_json())}
        with open(os.path.join(folder, "output.log"), "ab") as output:
            self._process = subprocess.Popen(
                [*command, "--", *filled_in(argv, values)],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                env=environment,
                pass_fds=(lock,),
                preexec_fn=_end_with(os.getpid()),
            )
        os.close(lock)

    def code(self) -> Optional[int]:
        """As a shell says it; None while it runs."""
        code = self._process.poll()
        return code if code is None or code >= 0 else 128 - code

    def ask_to_end(self, with_checkpoint: bool) -> None:
        number = signal.SIGTERM if with_checkpoint else signal.SIGUSR2
        if self._process.poll() is None:
            self._process.send_signal(number)

    def wait(self, seconds: float) -> Optional[int]:
        """Its code, or None when it is not over by then."""
        try:
            self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return None
        return self.code()

    def kill(self) -> None:
        """And reap it."""
        self._process.kill()
        self._process.wait()


def _end_with(parent: int) -> Callable[[], None]:
    libc = ctypes.CDLL(None, use_errno=True)

    def set_signal() -> None:
        libc.prctl(PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
        if os.getppid() != parent:  # it died before the call
            os._exit(1)

    return set_signal
