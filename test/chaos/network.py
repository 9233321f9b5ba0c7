# SPDX-License-Identifier: Apache-2.0
"""Nodes as network namespaces: each has one link to a bridge, and links fail.

    nodes = Network()            # needs root
    nodes.add("l1")              # before an agent is started on it
    nodes.drop("l1")             # nothing passes any more
    nodes.restore("l1")
    nodes.part("l1", "l2")       # only between these two
    nodes.mend("l1", "l2")
    nodes.slow("l1", "4mbit")    # it passes, late
    nodes.lose("l1", 3)          # of a hundred packets so many are lost
    nodes.close()
"""

import os
import subprocess


def run(*words, check=True):
    return subprocess.run(
        words, check=check, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )


class Network:
    def __init__(self):
        number = os.getpid() % 60000
        self._name = f"gl{number}"
        self._subnet = f"10.{100 + number // 256 % 100}.{number % 256}"
        self._count = 1
        self._nodes = {}  # name -> our end of its link
        self._addresses = {}
        self.address = f"{self._subnet}.1"
        run("ip", "link", "add", self._name, "type", "bridge")
        run("ip", "address", "add", f"{self.address}/24", "dev", self._name)
        run("ip", "link", "set", self._name, "up")

    def namespace(self, node):
        return f"{self._name}-{node}"

    def add(self, node):
        self._count += 1
        inside, link = self.namespace(node), f"{self._name}v{self._count}"
        run("ip", "netns", "add", inside)
        self._nodes[node] = link
        run("ip", "link", "add", link, "type", "veth", "peer", "eth0", "netns", inside)
        run("ip", "link", "set", link, "master", self._name, "up")
        self._addresses[node] = f"{self._subnet}.{self._count}"
        for words in (
            ("address", "add", f"{self._addresses[node]}/24", "dev", "eth0"),
            ("link", "set", "eth0", "up"),
            ("link", "set", "lo", "up"),
        ):
            run("ip", "-n", inside, *words)

    def drop(self, node):
        """The bridge forwards nothing of this link: no reset, no carrier lost."""
        run("bridge", "link", "set", "dev", self._nodes[node], "state", "0")

    def part(self, one, other):
        """Each sends what is for the other to a card that nobody has."""
        nobody = ("lladdr", "02:00:00:00:00:01", "dev", "eth0", "nud", "permanent")
        for here, there in ((one, other), (other, one)):
            to = self._addresses[there]
            run("ip", "-n", self.namespace(here), "neigh", "replace", to, *nobody)

    def mend(self, one, other):
        for here, there in ((one, other), (other, one)):
            words = ("neigh", "del", self._addresses[there], "dev", "eth0")
            run("ip", "-n", self.namespace(here), *words, check=False)

    def slow(self, node, rate):
        """To the node this rate, in a queue of up to 0.4 s."""
        shape = ("tbf", "rate", rate, "burst", "16kb", "latency", "400ms")
        run("tc", "qdisc", "replace", "dev", self._nodes[node], "root", *shape)

    def lose(self, node, percent):
        """Of what comes to the node."""
        inside = ("ip", "netns", "exec", self.namespace(node), "nft")
        hook = "{ type filter hook input priority 0 ; }"
        run(*inside, "add", "table", "inet", "lossy")
        run(*inside, "add", "chain", "inet", "lossy", "in", hook)
        rule = ("numgen", "random", "mod", "100", "<", str(percent), "drop")
        run(*inside, "add", "rule", "inet", "lossy", "in", *rule)

    def restore(self, node):
        link = self._nodes[node]
        run("bridge", "link", "set", "dev", link, "state", "3", check=False)
        run("tc", "qdisc", "del", "dev", link, "root", check=False)
        words = ("ip", "netns", "exec", self.namespace(node), "nft")
        run(*words, "delete", "table", "inet", "lossy", check=False)

    def clear(self):
        """No nodes any more."""
        for node, link in self._nodes.items():
            run("ip", "link", "del", link, check=False)
            run("ip", "netns", "del", self.namespace(node), check=False)
        self._nodes, self._count = {}, 1

    def close(self):
        self.clear()
        run("ip", "link", "del", self._name, check=False)
