# SPDX-License-Identifier: Apache-2.0
"""A run directory on a disk of its own, which can stand still and be full.

    disk = Disk(folder)     # needs root and loop devices; mounts it there
    disk.stand_still()      # who writes to it waits
    disk.go_on()
    disk.fill()
    disk.empty()
    disk.close()            # goes on, and is there no more

Its commands are bounded: a process that waits for the disk cannot be ended.
"""

import os
import subprocess

SIZE_MIB = 512
LIMIT_S = 20


def run(*words, check=True):
    return subprocess.run(
        list(map(str, words)),
        check=check,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        timeout=LIMIT_S,
    )


class Disk:
    def __init__(self, folder):
        self._folder = folder
        self._image = folder.with_suffix(".disk")
        self._filler = folder / "filler"
        with self._image.open("wb") as file:
            file.truncate(SIZE_MIB << 20)
        run("mkfs.ext4", "-q", "-F", "-m", "0", self._image)
        run("mount", "-o", "loop", self._image, folder)
        (folder / "lost+found").rmdir()

    def stand_still(self):
        run("fsfreeze", "--freeze", self._folder)

    def go_on(self):
        run("fsfreeze", "--unfreeze", self._folder, check=False)

    def fill(self):
        room = os.statvfs(self._folder)
        run("fallocate", "-l", room.f_bavail * room.f_frsize, self._filler, check=False)
        with self._filler.open("ab", buffering=0) as file:
            try:
                while file.write(b"0" * 4096):
                    pass
            except OSError:
                pass

    def empty(self):
        self._filler.unlink(missing_ok=True)

    def close(self):
        self.go_on()
        run("umount", "--lazy", self._folder, check=False)
        self._image.unlink(missing_ok=True)


def can_be_had():
    """Whether this machine has what a disk needs."""
    return os.geteuid() == 0 and os.path.exists("/dev/loop-control")
