# SPDX-License-Identifier: Apache-2.0
"""How much of a network does plane tcp use, and how soon is it connected?

Nodes are network namespaces, each with a link to a switch (a bridge), which is
shaped by tc; two switches are joined by another such link.  Needs root.
"""

import json
import os
import shutil
import statistics
import subprocess

PROGRAM = "test/bench/runtime/plane_bench"
LIMIT_S = 280
MEMBERS_CONNECTED = 512


def command(*words, check=True):
    subprocess.run(words, check=check, stdout=subprocess.DEVNULL)


class Switches:
    """Two bridges with `nodes` namespaces each; sN is where node N is."""

    def __init__(self, nodes, link_mbit=None, trunk_mbit=None):
        self.name = f"gs{os.getpid() % 60000}"
        self.nodes = nodes
        try:
            for switch in range(2):
                bridge = f"{self.name}b{switch}"
                command("ip", "link", "add", bridge, "type", "bridge")
                command("ip", "link", "set", bridge, "up")
            trunk = (f"{self.name}t0", f"{self.name}t1")
            command("ip", "link", "add", trunk[0], "type", "veth", "peer", trunk[1])
            for switch, end in enumerate(trunk):
                bridge = f"{self.name}b{switch}"
                command("ip", "link", "set", end, "master", bridge, "up")
                self._shape((), end, trunk_mbit)
            for node in range(2 * nodes):
                self._add(node, f"{self.name}b{node // nodes}", link_mbit)
        except BaseException:
            self.close()
            raise

    @staticmethod
    def _shape(where, link, mbit):
        if mbit:
            words = f"qdisc add dev {link} root tbf rate {mbit}mbit burst 256kb"
            command("tc", *where, *words.split(), "latency", "50ms")

    def _add(self, node, bridge, mbit):
        inside, link = self.namespace(node), f"{self.name}v{node}"
        command("ip", "netns", "add", inside)
        veth = f"link add {link} type veth peer eth0 netns {inside}"
        command("ip", *veth.split())
        command("ip", "link", "set", link, "master", bridge, "up")
        address = f"address add {self.address(node)}/24 dev eth0"
        command("ip", "-n", inside, *address.split())
        command("ip", "-n", inside, "link", "set", "eth0", "up")
        command("ip", "-n", inside, "link", "set", "lo", "up")
        self._shape((), link, mbit)
        self._shape(("-n", inside), "eth0", mbit)

    def namespace(self, node):
        return f"{self.name}-{node}"

    @staticmethod
    def address(node):
        return f"10.213.7.{node + 1}"

    def inside(self, node, *words):
        return ["ip", "netns", "exec", self.namespace(node), *map(str, words)]

    def close(self):
        for node in range(2 * self.nodes):
            command("ip", "netns", "del", self.namespace(node), check=False)
        for link in ("t0", "b0", "b1"):
            command("ip", "link", "del", self.name + link, check=False)


def outputs(commands):
    """What each printed; all run at once."""
    processes = [
        subprocess.Popen(words, stdout=subprocess.PIPE, text=True) for words in commands
    ]
    try:
        texts = [process.communicate(timeout=LIMIT_S)[0] for process in processes]
        if any(process.returncode for process in processes):
            raise RuntimeError("plane_bench failed")
        return texts
    finally:
        for process in processes:
            process.kill()
            process.wait()


def sums(setting, switches, nodes, names, calls, sizes):
    """Of these nodes, in the order of ranks: a row for each size.  `names`: of a
    node, its name and its switch, as members are told."""
    program, directory = setting.built(PROGRAM), setting.work_dir("network")
    commands = []
    for rank, node in enumerate(nodes):
        name, switch = names(rank, node)
        words = ["sum", rank, len(nodes), directory, switches.address(node)]
        words += [name, switch, calls, *sizes]
        commands.append(switches.inside(node, program, *words))
    try:
        return [json.loads(line) for line in outputs(commands)[0].splitlines()]
    finally:
        shutil.rmtree(directory, ignore_errors=True)


def stream(setting, switches, size):
    """Bytes per second of one connection."""
    program, directory = setting.built(PROGRAM), setting.work_dir("network")
    try:
        texts = outputs(
            switches.inside(node, program, "stream", node, directory, address, size)
            for node, address in enumerate(map(switches.address, (0, 1)))
        )
        return json.loads(texts[1])["bytes_per_s"]
    finally:
        shutil.rmtree(directory, ignore_errors=True)


def ring_order(setting, rows, calls):
    """Ranks alternate between two switches; members know where they are, or not."""
    per_switch = 2 if setting.quick else 4
    trunk_mbit = 400
    switches = Switches(per_switch, trunk_mbit=trunk_mbit)
    sizes = [1 << 20] if setting.quick else [4 << 20, 16 << 20]
    ranks = [s * per_switch + i for i in range(per_switch) for s in range(2)]
    try:
        found = {}
        for order in ("sorted", "alternating"):

            def names(rank, node):
                switch = f"s{node // per_switch}" if order == "sorted" else ""
                return f"n{rank:02}", switch

            for row in sums(setting, switches, ranks, names, calls, sizes):
                found.setdefault(row["bytes"], {})[order + "_ms"] = row["ms"]
        for size, times in found.items():
            row = {"part": "network", "kind": "order", "members": len(ranks)}
            rows.append({**row, "bytes": size, "trunk_mbit": trunk_mbit, **times})
    finally:
        switches.close()


def link_use(setting, rows, calls):
    """All nodes at one switch; what of their links a sum uses."""
    sizes = [4 << 20] if setting.quick else [16 << 20, 64 << 20]
    streams = 1 if setting.quick else 3
    for mbit in (1000,) if setting.quick else (1000, 10000):
        for members in (2, 4):
            switches = Switches(members, link_mbit=mbit)
            try:
                size = mbit * 1000000 // 8
                rate = statistics.median(
                    stream(setting, switches, size) for _ in range(streams)
                )
                nodes = range(members)
                found = sums(
                    setting, switches, nodes, lambda r, n: (f"n{r}", ""), calls, sizes
                )
            finally:
                switches.close()
            for row in found:
                moved = 2 * (members - 1) / members * row["bytes"]
                row.update(part="network", kind="link", mbit=mbit)
                row.update(stream_bytes_per_s=rate, floor_ms=moved / rate * 1e3)
                rows.append(row)


def connecting(setting, rows):
    members = 32 if setting.quick else MEMBERS_CONNECTED
    times = 1 if setting.quick else 10
    words = [setting.built(PROGRAM), "connect", str(members), str(times)]
    found = [json.loads(line) for line in outputs([words])[0].splitlines()]
    rows.append(
        {
            "part": "network",
            "kind": "connect",
            "members": members,
            "connect_s": [row["connect_s"] for row in found],
            "descriptors": found[0]["descriptors"],
        }
    )


def run(setting, rows):
    calls = 2 if setting.quick else 10
    connecting(setting, rows)
    print("network: connecting done", flush=True)
    if os.geteuid() != 0 or not shutil.which("tc"):
        print("network: no root or no tc: links are left out", flush=True)
        return
    ring_order(setting, rows, calls)
    print("network: order of a ring done", flush=True)
    link_use(setting, rows, calls)
    print("network: links done", flush=True)
