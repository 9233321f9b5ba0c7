// SPDX-License-Identifier: Apache-2.0
/// How long to leave a user or a node alone after it refused.
#pragma once

#include <algorithm>
#include <map>

#include "core/cluster.hh"

namespace gleaner::daemon {

/// The first failure blocks for `first_s`, each further one for twice as long
/// up to `most_s`; a success forgets them.  Failures while blocked are of the
/// same burst and count as one.
template <class Key>
class Backoff {
 public:
  Backoff(double first_s, double most_s) : first_s_(first_s), most_s_(most_s) {}

  void fail(Key const& key, TimeS now) {
    if (blocks(key, now)) return;
    auto& entry = entries_[key];
    entry.wait_s =
        entry.wait_s > 0 ? std::min(most_s_, entry.wait_s * 2) : first_s_;
    entry.until_s = now + entry.wait_s;
  }

  void succeed(Key const& key) { entries_.erase(key); }

  bool blocks(Key const& key, TimeS now) const {
    auto const found = entries_.find(key);
    return found != entries_.end() && now < found->second.until_s;
  }

 private:
  struct Entry {
    double wait_s = 0;
    TimeS until_s = 0;
  };
  double first_s_;
  double most_s_;
  std::map<Key, Entry> entries_;
};

}  // namespace gleaner::daemon
