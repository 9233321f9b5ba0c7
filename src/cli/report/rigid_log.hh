// SPDX-License-Identifier: Apache-2.0
/// The record that rigid jobs and their submitter write of themselves.
///
/// One JSON object a line, in any order:
///     {"event":"submit","job":"r3","t":1700000000.25,"nodes":4}
///     {"event":"start","job":"r3","t":1700000001.5,"nodelist":"n[1-4]"}
///     {"event":"end","job":"r3","t":1700000009.75,"code":0}
/// "t" of submit is when the job may start: with --begin, that time.
#pragma once

#include <string_view>
#include <vector>

#include "cli/report/history.hh"
#include "core/result.hh"

namespace gleaner::cli {

/// Read the record; jobs in order of submission.  Fails with invalid_argument,
/// naming the line, for what cannot be read.
Result<std::vector<RigidJob>> parse_rigid_log(std::string_view text);

}  // namespace gleaner::cli
