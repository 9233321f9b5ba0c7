// SPDX-License-Identifier: Apache-2.0
/// Does a member run the same program on the same data as the others?
#pragma once

#include <optional>
#include <string>

#include "proto/runtime_messages.hh"

namespace gleaner::generation {

class ProgramCheck {
 public:
  /// In deterministic mode members must compute with the same libraries,
  /// processors and threads.
  enum class Computing { alike, anyhow };
  explicit ProgramCheck(Computing computing) : computing_(computing) {}

  /// What the first member said; all others are compared with it.
  std::optional<msg::Loaded> const& first() const { return first_; }
  void set_first(msg::Loaded const& loaded) { first_ = loaded; }

  /// Why a member must not take part; "": it may.  After set_first().
  std::string objection(msg::MemberId member, msg::Loaded const& loaded) const;

 private:
  Computing const computing_;
  std::optional<msg::Loaded> first_;
};

}  // namespace gleaner::generation
