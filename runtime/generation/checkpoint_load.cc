// SPDX-License-Identifier: Apache-2.0
#include "runtime/generation/checkpoint_load.hh"

#include <algorithm>
#include <cassert>
#include <utility>

namespace gleaner::generation {

MemberIds CheckpointLoad::in_turn(MemberIds ready,
                                  std::string const& path) const {
  assert(!ready.empty());
  auto const it = failures_.find(path);
  auto const tried = it == failures_.end() ? 0 : it->second % int(ready.size());
  std::rotate(ready.begin(), ready.begin() + tried, ready.end());
  return ready;
}

void CheckpointLoad::begin(msg::MemberId reader, std::string path) {
  reader_ = reader;
  path_ = std::move(path);
}

bool CheckpointLoad::failed() {
  constexpr int attempts = 2;
  return ++failures_[std::exchange(path_, "")] >= attempts;
}

}  // namespace gleaner::generation
