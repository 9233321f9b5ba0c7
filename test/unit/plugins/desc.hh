// SPDX-License-Identifier: Apache-2.0
/// A job's description as a client sends it.
#pragma once

#include <slurm/slurm.h>

#include "plugins/slurm_symbols.hh"

namespace gleaner::plugins {

/// Its strings are Slurm's, as in slurmctld; freed at the end.
class Desc {
 public:
  Desc() {
    slurm_init_job_desc_msg(&desc_);
    desc_.het_job_offset = NO_VAL;
  }
  ~Desc() {
    for (auto** text :
         {&desc_.tres_per_node, &desc_.features, &desc_.exc_nodes,
          &desc_.req_nodes, &desc_.partition, &desc_.admin_comment,
          &desc_.comment, &desc_.reservation, &desc_.account, &desc_.qos,
          &desc_.licenses, &desc_.dependency, &desc_.cpus_per_tres,
          &desc_.mem_per_tres, &desc_.tres_per_task})
      slurm_xfree(reinterpret_cast<void**>(text));
  }
  Desc(Desc const&) = delete;
  Desc& operator=(Desc const&) = delete;

  job_desc_msg_t* operator->() { return &desc_; }
  job_desc_msg_t* get() { return &desc_; }

 private:
  job_desc_msg_t desc_;
};

}  // namespace gleaner::plugins
