# SPDX-License-Identifier: Apache-2.0
"""As whom are jobs submitted?  An ordinary user, who is there only meanwhile."""

import grp
import os
import pwd
import subprocess


class OrdinaryUser:
    """A context manager.  `process` are the arguments of subprocess.Popen that
    make a command this user's."""

    def __init__(self):
        self.name = f"gleaner-harm-{os.getpid()}"

    def __enter__(self):
        subprocess.run(
            ["useradd", "--system", "--no-create-home", "--shell=/bin/bash", self.name],
            check=True,
        )
        entry = pwd.getpwnam(self.name)
        self.uid, self.gid = entry.pw_uid, entry.pw_gid
        groups = [g.gr_gid for g in grp.getgrall() if self.name in g.gr_mem]
        self.process = {
            "user": self.uid,
            "group": self.gid,
            "extra_groups": [self.gid, *groups],
        }
        return self

    def __exit__(self, *_):
        subprocess.run(["userdel", self.name], check=False)
