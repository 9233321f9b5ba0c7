# SPDX-License-Identifier: Apache-2.0
"""A PyTorch program whose tensors are on a GPU trains as it does on the host.

In `make check` Gleaner only takes the tensors for a GPU's: what reaches them is a
device of this processor (test/unit/runtime/comm/planes/walled_device.hh), and
gleaner/device.py, which knows CUDA, is left out.  `make check-gpu` runs the same
with tensors on a GPU, where PyTorch has CUDA: GLEANER_TEST_DEVICE=cuda.
"""

import os
import signal
import unittest

import support
from members import COORDINATOR, PASSES, Training, ends
from trainer import SAMPLES

DEVICE = os.environ.get("GLEANER_TEST_DEVICE", "double")
if DEVICE == "double":
    MODULES = support.BUILD / "test/unit/runtime/comm/walled/.libs"
    os.environ.update(GLEANER_TEST_STREAM="7", GLEANER_COMM="tcp")
else:
    MODULES = support.BUILD / "runtime/gpu/.libs"
    os.environ.update(GLEANER_COMM="nccl", NCCL_SOCKET_IFNAME="lo")
os.environ["GLEANER_MODULES"] = str(MODULES)


@unittest.skipUnless(COORDINATOR.exists(), "the coordinator is not built")
@unittest.skipUnless(
    (MODULES / "libgleaner_gpu.so").exists(), f"{MODULES} has no libgleaner_gpu.so"
)
class OnDevice(unittest.TestCase):
    def begin(self, *arguments, **options):
        training = Training(*arguments, **options)
        self.addCleanup(training.close)
        return training

    def compare(self, training, key, tolerance):
        """With one member on the host."""
        host = self.begin(1, "--passes", PASSES)
        self.assertEqual(host.finish(), 0, host.output())
        expected, losses = host.losses(key), training.losses(key)
        self.assertEqual(losses.keys(), expected.keys())
        worst = max(abs(losses[s] - expected[s]) / expected[s] for s in expected)
        self.assertLessEqual(worst, tolerance)
        return ends(host.output())

    def test_alone(self):
        """one member with tensors on a device: the losses and state of the host"""
        training = self.begin(1, "--passes", PASSES, "--device", DEVICE)
        self.assertEqual(training.finish(90), 0, training.output())
        host = self.compare(training, "loss", 0 if DEVICE == "double" else 1e-2)
        if DEVICE == "double":
            self.assertEqual(ends(training.output()), host)

    def test_members(self):
        """members on devices come, leave and are killed: the losses of the host"""
        training = self.begin(
            *(2, "--passes", PASSES, "--step-ms", 15, "--device", DEVICE),
            options=("--on-loss=recompute",),
        )
        training.wait(lambda: training.steps() >= 20)
        training.order("add")
        training.wait_for_size(3)
        begun = training.steps()
        training.wait(lambda: training.steps() >= begun + 20)
        os.kill(training.events("member_started")[-1]["pid"], signal.SIGKILL)
        training.wait(lambda: len(training.events("member_lost")) == 1)
        training.wait_for_size(3)
        training.order("remove l1 20")
        training.wait_for_size(2)
        self.assertEqual(training.finish(90), 0, training.output())
        self.compare(training, "reduced_loss", 1e-3 if DEVICE == "double" else 1e-2)
        self.assertEqual(training.positions(), sorted(list(range(SAMPLES)) * PASSES))
        self.assertEqual(len(set(ends(training.output()))), 1, training.output())


if __name__ == "__main__":
    support.main()
