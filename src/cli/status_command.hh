// SPDX-License-Identifier: Apache-2.0
/// `gleaner status`: asks gleanerd and shows the answer.
#pragma once

#include <string>

namespace gleaner::cli {

struct StatusOptions {
  std::string config;  ///< path of gleaner.yaml; "": where it is by default
  enum class Form { table, json, strip } form = Form::table;
  bool watch = false;       ///< again every second, until interrupted
  std::string strip_nodes;  ///< for the strip: "n[1-8]"
};

/// Returns the exit status.
int run_status(StatusOptions const& options);

}  // namespace gleaner::cli
