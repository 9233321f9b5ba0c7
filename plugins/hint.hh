// SPDX-License-Identifier: Apache-2.0
/// How do plugins tell gleanerd and the scavenger to look again?
#pragma once

#include <string>
#include <string_view>

namespace gleaner::plugins {

/// There may be a training job.  All other hints are of rigid jobs.
inline constexpr std::string_view hint_of_training =
    R"({"type":"training","job":0})";

/// Sends hints; made once, at the plugin's start.
///
/// A hint is one datagram of JSON to the process that looks for holes: to
/// RUN_DIR/wake.sock (the scavenger), or without a listener there to
/// RUN_DIR/hint.sock (gleanerd, with `scavenger: poll`).  It may be sent under
/// slurmctld's locks: it never waits, and a receiver that is absent or slow
/// does not get it.
class HintSender {
 public:
  HintSender();
  ~HintSender();
  HintSender(HintSender const&) = delete;
  HintSender& operator=(HintSender const&) = delete;

  enum class Kind {
    arrival,   ///< a rigid job was submitted
    ended,     ///< a job has left its nodes
    training,  ///< a malleable one was submitted
  };
  void send(Kind kind, std::string const& run_dir) const;

 private:
  int socket_;
};

}  // namespace gleaner::plugins
