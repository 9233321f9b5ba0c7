# SPDX-License-Identifier: Apache-2.0
"""Poses as the slurmds of any number of nodes, in one process.

slurmctld reaches all its nodes at one address and port.  Each request is
answered with "done"; for a job that is to end, the word follows that the epilog
is over on all its nodes.  Nothing ever runs.  Nodes that never registered are
spoken to in the oldest protocol slurmctld knows, so this speaks that of Slurm
21.08, which is Slurm 22.05's oldest, and no other.

    posed_slurmds.py PORT SLURMCTLD_PORT MUNGE_SOCKET
"""

import asyncio
import ctypes
import struct
import sys
import time

VERSION = 36 << 8  # SLURM_21_08_PROTOCOL_VERSION
MUNGE_PLUGIN = 101
RESPONSE_SLURM_RC = 8001
MESSAGE_EPILOG_COMPLETE = 6012
END_JOB = {6009, 6011, 6013, 6016}  # time limit, terminate, abort, preempted


class Munge:
    """Credentials of the calling user, from one munged."""

    OPT_SOCKET = 8
    TRIES = 100  # slurmctld asks all nodes at once, and munged's queue gets full
    PAUSE_S = 0.02

    def __init__(self, socket):
        self.lib = ctypes.CDLL("libmunge.so.2")
        self.lib.munge_ctx_create.restype = ctypes.c_void_p
        self.lib.munge_strerror.restype = ctypes.c_char_p
        self.lib.munge_encode.argtypes = [
            ctypes.POINTER(ctypes.c_void_p), ctypes.c_void_p,
            ctypes.c_char_p, ctypes.c_int]
        self.context = ctypes.c_void_p(self.lib.munge_ctx_create())
        self.lib.munge_ctx_set(
            self.context, self.OPT_SOCKET, ctypes.c_char_p(socket.encode()))
        self.libc = ctypes.CDLL(None)

    def credential(self):
        text = ctypes.c_void_p()
        for _ in range(self.TRIES):
            code = self.lib.munge_encode(ctypes.byref(text), self.context, None, 0)
            if code == 0:
                break
            time.sleep(self.PAUSE_S)
        if code != 0:
            raise OSError(self.lib.munge_strerror(code).decode())
        value = ctypes.string_at(text)
        self.libc.free(text)
        return value


def packed(text):
    return struct.pack("!I", len(text) + 1) + text + b"\0"


def message(munge, kind, body):
    """A whole message, its length first."""
    header = struct.pack("!HHHHIHHH", VERSION, 0, 0, kind, len(body), 0, 0, 0)
    auth = struct.pack("!I", MUNGE_PLUGIN) + packed(munge.credential())
    whole = header + auth + body
    return struct.pack("!I", len(whole)) + whole


def job_to_end(body):
    """The job id in the body of a request to end a job, and its nodes."""
    gres, job = struct.unpack_from("!HI", body)
    if gres:
        raise ValueError("the job has GRES")
    at = 6 + 8 + 16  # the rest of the step id; het job, state, uid, gid
    (size,) = struct.unpack_from("!I", body, at)
    return job, body[at + 4:at + 4 + size].rstrip(b"\0").decode()


def node_names(ranges):
    """n[1-3,7] as a list; all names have one prefix."""
    if "[" not in ranges:
        return ranges.split(",")
    prefix, rest = ranges.split("[", 1)
    names = []
    for part in rest.rstrip("]").split(","):
        first, _, last = part.partition("-")
        names += [f"{prefix}{i}" for i in range(int(first), int(last or first) + 1)]
    return names


class PosedSlurmds:
    def __init__(self, slurmctld_port, munge):
        self.slurmctld_port = slurmctld_port
        self.munge = munge
        self.ended = set()
        self.tasks = set()

    async def serve(self, reader, writer):
        try:
            (size,) = struct.unpack("!I", await reader.readexactly(4))
            request = await reader.readexactly(size)
            version, _, _, kind, body_bytes = struct.unpack_from("!HHHHI", request)
            if version != VERSION:
                raise ValueError(f"slurmctld speaks protocol {version >> 8}, not "
                                 f"{VERSION >> 8}")
            writer.write(message(self.munge, RESPONSE_SLURM_RC, struct.pack("!I", 0)))
            await writer.drain()
            if kind in END_JOB:
                self.begin_end(*job_to_end(request[-body_bytes:]))
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    def begin_end(self, job, nodes):
        """The same request comes once for each of the nodes."""
        if job in self.ended:
            return
        self.ended.add(job)
        task = asyncio.create_task(self.end(job, node_names(nodes)))
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    async def end(self, job, nodes):
        for node in nodes:
            body = struct.pack("!II", job, 0) + packed(node.encode())
            reader, writer = await asyncio.open_connection(
                "127.0.0.1", self.slurmctld_port)
            writer.write(message(self.munge, MESSAGE_EPILOG_COMPLETE, body))
            await writer.drain()
            await reader.read()
            writer.close()


async def main(port, slurmctld_port, munge_socket):
    posed = PosedSlurmds(int(slurmctld_port), Munge(munge_socket))
    server = await asyncio.start_server(posed.serve, "127.0.0.1", int(port), backlog=4096)
    async with server:
        await server.serve_forever()


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__.strip())
    asyncio.run(main(*sys.argv[1:]))
