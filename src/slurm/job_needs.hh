// SPDX-License-Identifier: Apache-2.0
/// What does a job need of nodes?  Slurm says it in many ways.
#pragma once

#include "slurm/compat.hh"
#include "slurm/snapshot.hh"
#include "slurm/text_memory.hh"

namespace gleaner::slurm {

/// Fill in `each`, `gres`, `whole` and `whole_memory`.
///
/// | asked                                | counts as                        |
/// |--------------------------------------|----------------------------------|
/// | --gres, --gpus-per-node              | GRES on each node                |
/// | --gpus                               | GRES in all; on one node: there  |
/// | --gpus-per-task, --gpus-per-socket   | times tasks, sockets: in all     |
/// | CPUs, by the job's least number      | in even shares                   |
/// | --mem-per-cpu, --mem-per-gpu         | times CPUs, GPUs of a node       |
/// | no memory where Slurm counts it      | all of the node's memory         |
/// GRES that cannot be read count as a GRES that no node has.
void add_needs(JobRecord* record, slurm_job_info_t const& job,
               TextMemory* texts);

/// How many tasks of an array a record stands for: 1 but for the one that
/// holds all tasks not begun yet.
int tasks_in(slurm_job_info_t const& job);

/// How many tasks "1-3,7,10-20:5%2" is; 1 for what cannot be read.  slurmctld
/// shortens long lists with "...": then those it names.
int count_tasks(std::string_view text);

}  // namespace gleaner::slurm
