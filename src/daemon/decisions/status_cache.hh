// SPDX-License-Identifier: Apache-2.0
/// The answer to `gleaner status`, made at most every so often: it is of the
/// size of the cluster, and users may ask often.
#pragma once

#include <functional>
#include <string>

#include "proto/daemon_messages.hh"
#include "proto/frame.hh"

namespace gleaner::daemon {

class StatusCache {
 public:
  /// The answer as JSON text, no older than `fresh_s`.
  std::string const& text(double now_s,
                          std::function<msg::StatusReply()> const& make) {
    if (text_.empty() || now_s >= made_s_ + fresh_s) {
      text_ = proto::json_text(msg::to_json(msg::ToClient(make())));
      made_s_ = now_s;
    }
    return text_;
  }

  static constexpr double fresh_s = 0.25;

 private:
  std::string text_;
  double made_s_ = 0;
};

}  // namespace gleaner::daemon
