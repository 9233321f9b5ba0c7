# SPDX-License-Identifier: Apache-2.0
"""A minicluster whose slurmctld has thousands of nodes more than there are."""

import hashlib
import hmac
import os
import secrets
import signal
import subprocess
import sys
import time

NOBODY = 65534  # who trains: Gleaner refuses root
BIG = "big"  # the partition of rigid jobs
URGENT = "urgent"  # whose jobs come before all others
LEASE = "biglease"


def fail(text):
    raise SystemExit(f"bench-slurmctld: {text}")


class Cluster:
    """c1, c2, … are posed (posed_slurmds.py); head and n1 are real."""

    def __init__(self, build, source, directory, nodes, sched_min_interval_us):
        self.build, self.source = build, source
        self.dir, self.nodes = directory, nodes
        self.sched_min_interval_us = sched_min_interval_us
        self.posed = None
        self.log = open(os.path.join(directory, "commands.log"), "w")
        self.cluster = os.path.join(directory, "cluster")
        self.environment = dict(
            os.environ,
            SLURM_CONF=f"{self.cluster}/etc/slurm.conf",
            GLEANER_CONF=f"{self.cluster}/etc/gleaner.yaml")
        self.calls = os.path.join(build, "test/bench/slurmctld/slurm_calls")

    # --- starting and ending -------------------------------------------------

    def start(self):
        release = subprocess.run(["slurmctld", "-V"], capture_output=True, text=True,
                                 check=True).stdout.split()[-1]
        if not release.startswith("22.05."):
            fail(f"Slurm {release} is not Slurm 22.05 (posed_slurmds.py speaks nothing else)")
        minicluster = [
            "start", self.cluster, "--nodes", "1", "--without-gleanerd",
            "--set", f"lease_partition={LEASE}", "--set", "agent_wait_s=600",
            "--set", "leases_per_hour_max=1000000", "--set", "lease_minutes_max=1440"]
        for line in ("SlurmdTimeout=0", "TreeWidth=65533", "MaxJobCount=50000",
                     "MessageTimeout=60",
                     "SchedulerParameters=bf_continue,bf_interval=30,"
                     "bf_max_job_test=1000,bf_window=2880,"
                     f"sched_min_interval={self.sched_min_interval_us}"):
            minicluster += ["--slurm", line]
        self.minicluster(*minicluster)
        port = self.setting("SlurmctldPort")
        posed_port = str(int(port) + 5)
        with open(f"{self.cluster}/etc/slurm.conf", "a") as conf:
            conf.write(self.more_nodes(posed_port))
        self.posed = subprocess.Popen(
            ["/usr/bin/python3", f"{self.source}/test/bench/slurmctld/posed_slurmds.py",
             posed_port, port, f"{self.cluster}/run/munge.sock"],
            stdout=self.log, stderr=self.log)
        self.minicluster("restart", self.cluster, "slurmctld")
        self.wait("nodes idle", 120, lambda: self.idle() >= self.nodes)
        self.gleanerd("start")

    def more_nodes(self, port):
        nodes = f"c[1-{self.nodes}]"
        return (
            f"NodeName={nodes} NodeAddr=127.0.0.1 Port={port} CPUs=4 "
            "RealMemory=16000 State=IDLE\n"
            f"PartitionName={BIG} Nodes={nodes} PriorityTier=10\n"
            f"PartitionName={URGENT} Nodes={nodes} PriorityTier=20\n"
            f"PartitionName={LEASE} Nodes={nodes} PriorityTier=1 PreemptMode=CANCEL "
            "GraceTime=0 ReqResv=YES Hidden=YES\n")

    def stop(self):
        try:
            if os.path.isdir(self.cluster):
                self.gleanerd("stop")
                self.end_slurmctld()
                self.minicluster("stop", self.cluster, check=False)
        finally:
            if self.posed:
                self.posed.kill()
                self.posed.wait()

    def end_slurmctld(self):
        """Before its thousands of jobs are cancelled one by one; none of them is
        anywhere but the trainings, which only sleep."""
        subprocess.run(["timeout", "10", "scancel", "--full", "-p", "head"],
                       env=self.environment, stdout=self.log, stderr=self.log)
        pid = self.pid("slurmctld")
        if pid:
            os.kill(pid, signal.SIGTERM)
            self.wait("end of slurmctld", 60, lambda: not self.pid("slurmctld"))

    def gleanerd(self, what):
        """Without gleanerd the scavenger looks at nothing."""
        if what == "start":
            self.minicluster("restart", self.cluster, "gleanerd")
            return
        pid = self.pid("gleanerd")
        if not pid:
            return
        os.kill(pid, signal.SIGTERM)
        self.wait("end of gleanerd", 15, lambda: not self.pid("gleanerd"))

    # --- what runs there -----------------------------------------------------

    def fill(self, count, nodes, minutes, not_on):
        return self.timed("fill", count, BIG, nodes, minutes, not_on)

    def submit(self, count, nodes_min, nodes_max, minutes):
        return self.timed("submit", count, BIG, nodes_min, nodes_max, minutes)

    def start_job(self, nodes, how, not_on=""):
        return dict(self.timed("start", URGENT, nodes, how, not_on))

    def trainings(self, count, leases_each):
        jobs = []
        for _ in range(count):
            jobs.append(int(self.slurm(
                "sbatch", "--parsable", f"--malleable=1-{leases_each}", "--chdir=/tmp",
                "--output=/dev/null", "--wrap", "exec sleep 86400", user=NOBODY)))
        self.wait("trainings run", 60, lambda: len(self.slurm(
            "squeue", "-h", "-p", "head", "-t", "R", "-o", "%A").split()) == count)
        return jobs

    def lease(self, nodes, trainers):
        """Each of these nodes to one of the trainers, as if gleanerd had said so."""
        lines = "".join(f"c{node} {self.ticket(node, trainers[i % len(trainers)])}\n"
                        for i, node in enumerate(nodes))
        return self.timed("lease", LEASE, user=NOBODY, text=lines)

    def extend(self, count):
        jobs = self.slurm("squeue", "-h", "-p", LEASE, "-t", "R", "-o", "%A")
        return self.timed("extend", text="\n".join(jobs.split()[:count]))

    def srun_memory_mb(self, count):
        """What each srun has for itself while its step runs."""
        sruns = [subprocess.Popen(["srun", "-p", "main", "-n1", "-c1", "sleep", "60"],
                                  env=self.environment, stdout=self.log, stderr=self.log)
                 for _ in range(count)]
        try:
            self.wait("steps that run", 60, lambda: len(self.slurm(
                "squeue", "--steps", "-h", "-p", "main", "-o", "%i").split()) >= count)
            return sum(private_mb(pid) for srun in sruns
                       for pid in [srun.pid, *children(srun.pid)]) / count
        finally:
            for srun in sruns:
                srun.kill()
                srun.wait()
            self.slurm("scancel", "-p", "main")

    def ticket(self, node, trainer):
        with open(f"{self.cluster}/state/gleaner/ticket.key") as file:
            key = file.read()
        now = int(time.time())
        text = (f"gleaner1:{NOBODY}:c{node}:{trainer}:1440:{now}:{now + 300}:"
                f"{secrets.token_hex(8)}")
        seal = hmac.new(key.encode(), text.encode(), hashlib.sha256).hexdigest()
        return f"{text}:{seal}"

    def leases(self):
        """Of which nodes; those that are ending are none."""
        return self.slurm("squeue", "-h", "-p", LEASE, "-t", "R", "-o", "%N").split()

    def idle(self):
        return int(self.slurm("sinfo", "-h", "-p", BIG, "-t", "idle", "-o", "%D").strip() or 0)

    # --- commands ------------------------------------------------------------

    def probe(self, seconds, nodes):
        return self.timed("probe", seconds, BIG, nodes, limit_s=seconds + 120)

    def timed(self, *arguments, user=0, text="", limit_s=300):
        """Pairs of what was called and how many ms it took."""
        out = self.run([self.calls, *map(str, arguments)], user, text, limit_s)
        pairs = (line.split() for line in out.splitlines())
        return [(what, float(ms)) for what, ms in pairs]

    def slurm(self, *command, user=0, limit_s=60):
        return self.run(list(command), user, "", limit_s)

    def run(self, command, user, text, limit_s):
        if user:
            command = ["setpriv", f"--reuid={user}", f"--regid={user}",
                       "--clear-groups", *command]
        done = subprocess.run(
            command, env=self.environment, input=text, text=True, timeout=limit_s,
            capture_output=True, cwd="/")
        if done.returncode != 0:
            fail(f"{' '.join(command[:8])} failed: {done.stderr.strip()[-500:]}")
        return done.stdout

    def minicluster(self, *arguments, check=True):
        program = os.path.join(self.build, "src/minicluster/minicluster")
        done = subprocess.run([program, *arguments], stdout=self.log, stderr=self.log,
                              timeout=300)
        if check and done.returncode != 0:
            fail(f"minicluster {arguments[0]} failed [see {self.log.name}]")

    def setting(self, key):
        with open(f"{self.cluster}/etc/slurm.conf") as conf:
            return next(line.strip().split("=", 1)[1] for line in conf
                        if line.startswith(key + "="))

    def pid(self, daemon):
        """0 when it does not run."""
        try:
            with open(f"{self.cluster}/run/{daemon}.pid") as file:
                pid = int(file.read())
            with open(f"/proc/{pid}/stat") as file:
                return 0 if file.read().rsplit(")", 1)[1].split()[0] == "Z" else pid
        except (OSError, ValueError):
            return 0

    def wait(self, what, seconds, done):
        end = time.monotonic() + seconds
        while not done():
            if time.monotonic() > end:
                fail(f"no {what} within {seconds} s [see {self.cluster}/log]")
            time.sleep(0.2)


def private_mb(pid):
    with open(f"/proc/{pid}/smaps_rollup") as file:
        return sum(int(line.split()[1]) for line in file
                   if line.startswith("Private_")) / 1024


def children(pid):
    with open(f"/proc/{pid}/task/{pid}/children") as file:
        return [int(child) for child in file.read().split()]


def say(*words):
    print(*words, file=sys.stderr, flush=True)
