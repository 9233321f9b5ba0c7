// SPDX-License-Identifier: Apache-2.0
/// Which checkpoint does the training start from, and who reads it?
///
/// A file that one member could not read is tried by another; after two
/// failures it is given up, and the one before is tried.
#pragma once

#include <map>
#include <string>

#include "runtime/generation/member_ids.hh"

namespace gleaner::generation {

class CheckpointLoad {
 public:
  /// These members, the next one to try first.
  MemberIds in_turn(MemberIds ready, std::string const& path) const;
  /// `path` "": the reader has its state from the program.
  void begin(msg::MemberId reader, std::string path);
  void end() { path_.clear(); }
  bool is_by(msg::MemberId member, std::string const& path) const {
    return !path_.empty() && path == path_ && member == reader_;
  }
  /// It could not be read.  True: the file is to be given up.
  bool failed();

 private:
  std::string path_;  ///< that is being read; "": none
  msg::MemberId reader_ = 0;
  std::map<std::string, int> failures_;
};

}  // namespace gleaner::generation
