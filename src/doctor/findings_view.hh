// SPDX-License-Identifier: Apache-2.0
/// What `gleaner doctor` prints.
#pragma once

#include <string>

#include "slurm/control.hh"

namespace gleaner::doctor {

enum class Form {
  text,           ///< everything that was looked at
  findings_only,  ///< without what is in order
  json,           ///< one object: {"slurm", "verdict", "findings": […]}
};

/// The worst last, where a person looks, and then the verdict.
std::string findings_text(slurm::SlurmSetup const& setup, Config const& config,
                          Form form);

}  // namespace gleaner::doctor
