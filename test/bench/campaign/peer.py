# SPDX-License-Identifier: Apache-2.0
"""What does a job of the peer do?  Plain Optuna on one node, as a careful user
would write it: one trial after the other, until Slurm takes the node.

    peer.py DIR PROGRAM PASS_S

A checkpoint (the step reached) is written after each pass, and when Slurm's SIGTERM
comes, so that no step is lost.  A trial whose job is gone is taken up by the next
job.  Sampler, pruner, seeds and the file in which Optuna keeps its study are those of
the campaigns that it is compared with.
"""

import fcntl
import json
import os
import signal
import subprocess
import sys
import time

import optuna
from gleaner_campaign import methods, record
from gleaner_campaign.journal import Lock, storage_of
from gleaner_campaign.space import suggest_of
from optuna.trial import TrialState

STEPS_PER_PASS = 16  # of search_program.c
BUSY_S = 0.5


class Search:
    def __init__(self, folder):
        self.folder = folder
        self.spec = record.read(folder)
        self.lock = Lock(os.path.join(folder, "lock"))
        optuna.logging.set_verbosity(optuna.logging.ERROR)
        self.study = optuna.load_study(
            study_name=self.spec.name,
            storage=storage_of(folder, None)[1],
            pruner=methods.pruner_of(self.spec.pruner),
            sampler=methods.sampler_of(self.spec, 0),
        )

    def take(self):
        """A trial and its directory's lock; None: others run all that are left;
        raises StopIteration when all have ended."""
        with self.lock.held():
            trials = self.study.get_trials(deepcopy=False)
            running = [t for t in trials if t.state == TrialState.RUNNING]
            for trial in running:
                lock = self._lock(trial.number)
                if lock is not None:
                    return self._whole(trial._trial_id), lock
            if len(trials) < self.spec.budget.trials:
                self.study.sampler = methods.sampler_of(self.spec, len(trials))
                trial = self.study.ask()
                return self._whole(trial._trial_id), self._lock(trial.number)
            if not running:
                raise StopIteration
            return None

    def _whole(self, trial_id):
        """With all its parameters: who asked for it may have been killed then."""
        trial = optuna.trial.Trial(self.study, trial_id)
        suggest_of(self.spec)(trial)
        return trial

    def path(self, number):
        return os.path.join(self.folder, "trials", f"{number:05d}")

    def _lock(self, number):
        os.makedirs(self.path(number), exist_ok=True)
        file = os.open(os.path.join(self.path(number), "lock"), os.O_RDWR | os.O_CREAT)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return file
        except BlockingIOError:
            os.close(file)
            return None


def load(path):
    try:
        with open(path) as file:
            return json.load(file)
    except FileNotFoundError:
        return 0


def save(path, step):
    with open(path + ".new", "w") as file:
        json.dump(step, file)
    os.replace(path + ".new", path)


def train(search, trial, program, pass_s, ends):
    """False: it was asked to end, and the trial goes on later."""
    words = [f"--{name}={value}" for name, value in trial.params.items()]
    printed = subprocess.run(
        [program, "--print", *words], check=True, capture_output=True, text=True
    )
    losses = [float(line) for line in printed.stdout.split()]
    checkpoint = os.path.join(search.path(trial.number), "checkpoint")
    step = load(checkpoint)
    while step < len(losses) * STEPS_PER_PASS:
        if ends:
            save(checkpoint, step)
            return False
        time.sleep(pass_s / STEPS_PER_PASS)
        step += 1
        if step % STEPS_PER_PASS:
            continue
        save(checkpoint, step)
        number = step // STEPS_PER_PASS
        with search.lock.held():
            trial.report(losses[number - 1], number)
            if number < len(losses) and trial.should_prune():
                search.study.tell(trial.number, state=TrialState.PRUNED)
                return True
    with search.lock.held():
        search.study.tell(trial.number, losses[-1])
    return True


def main():
    folder, program, pass_s = sys.argv[1], sys.argv[2], float(sys.argv[3])
    ends = []
    signal.signal(signal.SIGTERM, lambda *_: ends.append(True))
    search = Search(folder)
    while not ends:
        try:
            taken = search.take()
        except StopIteration:
            return
        if taken is None:
            time.sleep(BUSY_S)
            continue
        trial, lock = taken
        train(search, trial, program, pass_s, ends)
        os.close(lock)


main()
