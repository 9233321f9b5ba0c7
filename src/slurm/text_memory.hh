// SPDX-License-Identifier: Apache-2.0
/// What did a text of Slurm's mean?  Read once for all records that have it.
///
/// Thousands of jobs say "gres:gpu:4", and most say at this look what they said
/// at the last.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "core/node_set.hh"
#include "core/resources.hh"

namespace gleaner::slurm {

/// Values by the texts they were read from.
template <class Value>
class Remembered {
 public:
  /// `read(text)`, or what that was when it was asked before.  Valid until
  /// forget_unused().
  template <class Read>
  Value const& of(std::string_view text, Read read) {
    auto found = known_.find(text);
    if (found == known_.end())
      found = known_.emplace(std::string(text), Entry{read(text), true}).first;
    found->second.used = true;
    return found->second.value;
  }

  /// What was not asked for since this was called before.
  void forget_unused() {
    for (auto at = known_.begin(); at != known_.end();)
      if (!std::exchange(at->second.used, false))
        at = known_.erase(at);
      else
        ++at;
  }

  std::size_t size() const { return known_.size(); }

 private:
  struct Entry {
    Value value;
    bool used = false;
  };
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>()(text);
    }
  };
  std::unordered_map<std::string, Entry, Hash, std::equal_to<>> known_;
};

/// The texts of jobs.
struct TextMemory {
  Remembered<NodeSet> hosts;
  Remembered<Gres> gres;

  void forget_unused() {
    hosts.forget_unused();
    gres.forget_unused();
  }
};

}  // namespace gleaner::slurm
