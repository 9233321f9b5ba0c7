// SPDX-License-Identifier: Apache-2.0
/// What must somebody know who reads events.jsonl from the middle?
#pragma once

#include <nlohmann/json.hpp>

namespace gleaner::coordinator {

/// What holds after all events so far: who trains, on which nodes, and how far
/// the training has come.  A part of the log that is not the first begins with
/// it (`continued`), because the parts before may be removed.
class EventLogHead {
 public:
  /// The next event, with "t" and "event".
  void take(nlohmann::json const& event);

  /// The fields of `continued`: "job", "argv" and "started" of event `start`;
  /// "dataset_size"; "step" and "pass" of the last step; "generation", the
  /// last event of that name; "nodes", since when each is there.
  nlohmann::json const& fields() const { return fields_; }

 private:
  nlohmann::json fields_ = nlohmann::json::object();
};

}  // namespace gleaner::coordinator
