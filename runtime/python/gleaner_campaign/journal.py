# SPDX-License-Identifier: Apache-2.0
"""Where is what Optuna knows kept, and how do processes take turns there?

By default in a journal in the campaign's directory, on a file system that all
nodes share.  Optuna's own locks for it are files, which a dead process leaves
behind; here the kernel holds the lock (fcntl), on NFS, Lustre and GPFS as well,
and drops it with the process.  A snapshot bounds what a new process replays.
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
import tempfile
import time
import warnings
from contextlib import contextmanager
from typing import Any, Iterator, Optional

import optuna
from optuna.storages import JournalStorage

from gleaner_campaign.refusal import Refusal

try:  # Optuna 4
    from optuna.storages.journal import BaseJournalBackend as Backend
    from optuna.storages.journal._base import BaseJournalSnapshot as Snapshot
except ImportError:  # Optuna 3
    from optuna.storages._journal.base import BaseJournalLogStorage as Backend
    from optuna.storages._journal.base import BaseJournalLogSnapshot as Snapshot

LOCK_S = 120.0  # longer than any holder needs, NFS's recovery of locks included


class Lock:
    """A lock of the kernel on a file, taken and given back by one process."""

    def __init__(self, path: str, limit_s: float = LOCK_S) -> None:
        self._path = path
        self._limit_s = limit_s
        self._file = -1

    def acquire(self) -> bool:
        """Raises Refusal when it is not had within the limit."""
        file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        end = time.monotonic() + self._limit_s
        pause = 0.0005
        while not self._try(file):
            if time.monotonic() > end:
                os.close(file)
                raise Refusal(
                    f"{self._path}: locked for {self._limit_s:g} s "
                    "[see who has it open: fuser -v]"
                )
            time.sleep(pause)
            pause = min(pause * 2, 0.05)
        self._file = file
        return True

    def release(self) -> None:
        """Closing the file drops the lock."""
        file, self._file = self._file, -1
        os.close(file)

    @contextmanager
    def held(self) -> Iterator[None]:
        self.acquire()
        try:
            yield
        finally:
            self.release()

    def _try(self, file: int) -> bool:
        try:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        except OSError as error:
            if error.errno in (errno.EACCES, errno.EAGAIN, errno.EINTR):
                return False
            os.close(file)
            raise Refusal(
                f"{self._path}: cannot be locked ({error.strerror}) [put the "
                "campaign on a file system with locks (Lustre: mount -o flock), or "
                "name a database as 'storage: URL']"
            ) from error


class JournalFile(Backend, Snapshot):  # type: ignore[misc,valid-type]
    """Optuna's journal, a line of JSON each, with our lock and a snapshot.

    A line counts when its end is written: readers need no lock, and what a killed
    writer left is cut off by the next one.  Optuna's own file takes a line without
    its end for whole when it happens to be.  The snapshot is Optuna's pickle of its
    replay, named after Optuna's version: who may write it may also write space.py,
    so it is trusted as much."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._snapshot = f"{path}.snapshot-{optuna.__version__}"
        self._lock = Lock(path + ".lock")
        self._sync_each = True
        self._next = (0, 0)  # number of the next line to read, and where it begins
        if not os.path.exists(path):  # to look at one is allowed without writing
            with open(path, "ab"):
                pass

    def read_logs(self, log_number_from: int) -> Any:
        """Lines from this number on; other programs' versions of it agree."""
        number, offset = self._next if log_number_from >= self._next[0] else (0, 0)
        found = []
        with open(self._path, "rb") as file:
            file.seek(offset)
            for line in file:
                if not line.endswith(b"\n"):
                    break
                if number >= log_number_from:
                    found.append(json.loads(line))
                number, offset = number + 1, offset + len(line)
        self._next = (number, offset)
        return found

    def append_logs(self, logs: Any) -> None:
        """All of it is on disk when this returns."""
        text = "".join(json.dumps(log) + "\n" for log in logs).encode()
        with self._lock.held(), open(self._path, "r+b") as file:
            size = file.seek(0, os.SEEK_END)
            whole = _end_of_whole_lines(file, size)
            if whole < size:
                file.truncate(whole)
            file.seek(whole)
            file.write(text)
            file.flush()
            if self._sync_each:
                os.fsync(file.fileno())

    @contextmanager
    def synced_once(self) -> Iterator[None]:
        """One wait for the disk at the end, instead of one each time."""
        self._sync_each = False
        try:
            yield
        finally:
            self._sync_each = True
            with open(self._path, "rb") as file:
                os.fsync(file.fileno())

    def save_snapshot(self, snapshot: bytes) -> None:
        """At once or not at all; without it more is replayed, and no more."""
        try:
            handle, name = tempfile.mkstemp(dir=os.path.dirname(self._path) or ".")
            with os.fdopen(handle, "wb") as file:
                file.write(snapshot)
            os.replace(name, self._snapshot)
        except OSError:
            return

    def load_snapshot(self) -> Optional[bytes]:
        try:
            with open(self._snapshot, "rb") as file:
                return file.read()
        except OSError:
            return None


def _end_of_whole_lines(file: Any, size: int) -> int:
    """Where the last line that has its end has it."""
    block = 65536
    at = size
    while at > 0:
        begin = max(0, at - block)
        file.seek(begin)
        found = file.read(at - begin).rfind(b"\n")
        if found >= 0:
            return int(begin + found + 1)
        at = begin
    return 0


def storage_of(folder: str, url: Optional[str]) -> tuple[Optional[JournalFile], Any]:
    """Our file, if it is in one, and Optuna's storage of the campaign."""
    if url is None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
            file = JournalFile(os.path.join(folder, "journal.log"))
            return file, JournalStorage(file)
    try:
        return None, optuna.storages.get_storage(url)
    except Exception as error:  # whatever the database's driver raises
        raise Refusal(
            f"storage {url}: {error} [check the URL, and that its driver is there]"
        ) from error
