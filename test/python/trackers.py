# SPDX-License-Identifier: Apache-2.0
"""The trackers of the examples: the next owner goes on with the same run."""

import sys
import tempfile
import types
import unittest
from pathlib import Path
from unittest import mock

import support

sys.path.insert(0, str(support.SOURCE / "examples" / "python"))
import trackers  # noqa: E402


class Job:
    """Of a member that becomes an owner and is none any more when it is told so."""

    step_number = 7

    def on_owner(self, call):
        self.own = call


class Trackers(unittest.TestCase):
    def test_weights_and_biases(self):
        """Weights & Biases: its run is continued by its id"""
        wandb, job = mock.Mock(), Job()
        with mock.patch.dict(sys.modules, {"wandb": wandb}):
            log = trackers.weights_and_biases(job, "shapes", "shapes-12")
            job.own(True)
            log({"loss": 1.5})
            job.own(False)
        self.assertEqual(
            wandb.mock_calls,
            [
                mock.call.init(
                    project="shapes", id="shapes-12", name="shapes-12", resume="allow"
                ),
                mock.call.log({"loss": 1.5}, step=7),
                mock.call.finish(),
            ],
        )

    def test_mlflow(self):
        """MLflow: the first owner makes a run, the next one finds it by its name"""
        known = types.SimpleNamespace(info=types.SimpleNamespace(run_id="a1"))
        for found, run_id in (([], None), ([known], "a1")):
            library, job = mock.Mock(), Job()
            library.search_runs.return_value = found
            with mock.patch.dict(sys.modules, {"mlflow": library}):
                log = trackers.mlflow(job, "shapes", "shapes-12")
                job.own(True)
                log({"loss": 1.5})
                job.own(False)
            library.search_runs.assert_called_once_with(
                filter_string="attributes.run_name = 'shapes-12'", output_format="list"
            )
            library.start_run.assert_called_once_with(
                run_id=run_id, run_name="shapes-12"
            )
            library.log_metrics.assert_called_once_with({"loss": 1.5}, step=7)
            library.end_run.assert_called_once_with()

    def test_tensorboard(self):
        """TensorBoard: each owner writes a file of its own, from its step on"""
        try:
            import torch.utils.tensorboard  # noqa: F401
        except ImportError:
            self.skipTest("tensorboard is not installed")
        with tempfile.TemporaryDirectory() as folder:
            job = Job()
            log = trackers.tensorboard(job, folder)
            job.own(True)
            log({"loss": 1.5})
            job.own(False)
            job.own(False)
            self.assertEqual(len(list(Path(folder).iterdir())), 1)


if __name__ == "__main__":
    support.main()
