// SPDX-License-Identifier: Apache-2.0
/// When is a checkpoint asked for, of whom, and which ones are written?
///
/// One is asked for at a time.  A park writes one, too, under the next number.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>

#include "proto/runtime_messages.hh"

namespace gleaner::generation {

class CheckpointSchedule {
 public:
  struct Asked {
    msg::MemberId member = 0;
    std::string path;
  };

  /// Paths are the prefix, a number and ".safetensors".  An interval of 0: only
  /// when parking.
  CheckpointSchedule(std::string prefix, double interval_s)
      : prefix_(std::move(prefix)), interval_s_(interval_s) {}

  std::string next_path();
  /// Nobody will go on from the state: parks write none from now on.
  void drop_state() { state_dropped_ = true; }
  /// What a park is to write; "": nothing.
  std::string park_path() { return state_dropped_ ? "" : next_path(); }

  /// The training has state again: the first interval begins.
  void begin(double now) { asked_s_ = now; }
  bool is_due(double now) const;
  /// The one asked for has not come within ten intervals.
  bool is_overdue(double now) const;
  std::optional<Asked> const& asked() const { return asked_; }
  Asked const& ask(double now, msg::MemberId member);
  /// The one asked for does not come.  Its path: nothing restarts from it.
  std::string take_back();
  /// Of the member that is gone or released, as take_back(); nullopt: it was
  /// asked for none.
  std::optional<std::string> take_back_from(msg::MemberId member);

  /// Whether the member was asked for this file, which now is written.
  bool take_answer(msg::MemberId member, std::string const& path);
  struct Written {
    msg::Checkpointed file;
    std::string kind;  ///< periodic, park
  };
  /// It is written, by a park or because it was asked for, and not registered.
  void written(Written written) {
    auto const path = written.file.path;
    written_[path] = std::move(written);
  }
  /// This one is registered, and with it all before.  nullopt: another
  /// coordinator had it written.
  std::optional<Written> take_registered(std::string const& path);

  /// A park's checkpoint could not be written.
  void park_failed(double now);
  bool may_park(double now) const { return now >= park_again_s_; }

 private:
  std::string const prefix_;
  double const interval_s_;
  unsigned number_ = 0;  ///< of the last file
  double asked_s_ = 0;   ///< when the last one was asked for
  std::optional<Asked> asked_;
  std::map<std::string, Written> written_;  ///< not registered yet
  double park_again_s_ = 0;
  bool state_dropped_ = false;
};

}  // namespace gleaner::generation
