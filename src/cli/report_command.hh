// SPDX-License-Identifier: Apache-2.0
/// `gleaner report`: figures and a picture of what happened, from the logs.
#pragma once

#include <string>
#include <vector>

namespace gleaner::cli {

struct ReportOptions {
  std::string journal;                ///< gleanerd's journal.sqlite
  std::vector<std::string> trainers;  ///< run directories, or events.jsonl
  std::string rigid;                  ///< record of the rigid jobs; may be ""
  std::string sacct;                  ///< what sacct printed, saved; "": ask it
  std::string config;                 ///< gleaner.yaml; "": where it usually is
  std::string rigid_without;          ///< of the same jobs without Gleaner
  std::string nodes;                  ///< "n[1-8]"; "": those in the logs
  double from_s = 0;                  ///< 0: first event of the logs
  double to_s = 0;                    ///< 0: last event of the logs
  std::string timeline;               ///< file to write; "": none
  std::string summary;                ///< file to write; "": none
  std::vector<std::string> failures;  ///< that the logs do not tell of
  bool check = false;                 ///< fail unless everything was shown
  int resizes_min = 2;                ///< what --check demands, both ways
};

/// Returns the exit status.
int run_report(ReportOptions const& options);

}  // namespace gleaner::cli
