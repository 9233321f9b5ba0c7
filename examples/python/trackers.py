# SPDX-License-Identifier: Apache-2.0
"""Who writes what a training has found?  The member that is rank 0, in its turn.

    log = weights_and_biases(job, "shapes", options.run)
    for x, y in job.steps(loader, passes=10):
        ...
        if job.step() and job.rank == 0:
            log({"loss": loss.item()})

Another member may be rank 0 after each change.  It goes on with the same run, whose
name all members know: give it in the job script, as --run=shapes-$SLURM_JOB_ID."""

from typing import Any, Callable, Dict

Log = Callable[[Dict[str, float]], None]


def tensorboard(job: Any, folder: str) -> Log:
    """purge_step hides what a member that was lost wrote of steps that others have
    computed again."""
    from torch.utils.tensorboard import SummaryWriter

    writer: Any = None

    def own(is_owner: bool) -> None:
        nonlocal writer
        if is_owner:
            writer = SummaryWriter(folder, purge_step=job.step_number)
        elif writer is not None:
            writer.close()
            writer = None

    def log(values: Dict[str, float]) -> None:
        for name, value in values.items():
            writer.add_scalar(name, value, job.step_number)

    job.on_owner(own)
    return log


def weights_and_biases(job: Any, project: str, run: str) -> Log:
    """Its run goes on under its id; it ignores steps that it has had.  Nodes without a
    network: WANDB_MODE=offline, and `wandb sync` afterwards."""
    import wandb

    def own(is_owner: bool) -> None:
        if is_owner:
            wandb.init(project=project, id=run, name=run, resume="allow")
        else:
            wandb.finish()

    job.on_owner(own)
    return lambda values: wandb.log(values, step=job.step_number)


def mlflow(job: Any, experiment: str, run: str) -> Log:
    """It makes the ids of its runs itself, so the run is looked for by its name.  Of a
    step that was computed twice it shows the later value."""
    import mlflow as library

    def own(is_owner: bool) -> None:
        if not is_owner:
            return library.end_run()
        library.set_experiment(experiment)
        named = f"attributes.run_name = '{run}'"
        found = library.search_runs(filter_string=named, output_format="list")
        known = found[0].info.run_id if found else None
        library.start_run(run_id=known, run_name=run)

    job.on_owner(own)
    return lambda values: library.log_metrics(values, step=job.step_number)
