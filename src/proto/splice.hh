// SPDX-License-Identifier: Apache-2.0
/// How is a list sent as its difference from an earlier one?
///
///     before {a, b, c, d}, next {a, c, x, d}:
///     runs {{0, 1, 0}, {2, 1, 1}, {3, 1, 0}}, fresh {x}
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/result.hh"

namespace gleaner::proto {

struct Run {
  std::uint32_t first = 0;  ///< of the earlier list: from here
  std::uint32_t count = 0;  ///< so many,
  std::uint32_t fresh = 0;  ///< then so many new ones
  bool operator==(Run const&) const = default;
};

template <class T>
struct Splice {
  std::vector<Run> runs;
  std::vector<T> fresh;
  bool operator==(Splice const&) const = default;
};

/// `key(entry)` tells which entries may be the same; that they are is compared.
template <class T, class Key>
Splice<T> make_splice(std::vector<T> const& next, std::vector<T> const& before,
                      Key key) {
  Splice<T> splice;
  auto const add_old = [&](std::size_t at) {
    auto const index = static_cast<std::uint32_t>(at);
    auto* last = splice.runs.empty() ? nullptr : &splice.runs.back();
    if (last && last->fresh == 0 && last->first + last->count == index)
      ++last->count;
    else
      splice.runs.push_back({index, 1, 0});
  };
  auto const add_new = [&](T const& entry) {
    if (splice.runs.empty()) splice.runs.push_back({});
    ++splice.runs.back().fresh;
    splice.fresh.push_back(entry);
  };
  std::size_t same = 0;  // most lists have not changed, or not at the beginning
  auto const common = std::min(next.size(), before.size());
  for (; same < common && next[same] == before[same]; ++same) add_old(same);
  std::unordered_map<decltype(key(next[0])), std::size_t> places;
  for (std::size_t i = same; same < next.size() && i < before.size(); ++i)
    places.emplace(key(before[i]), i);
  for (std::size_t i = same; i < next.size(); ++i) {
    auto const place = places.find(key(next[i]));
    if (place != places.end() && next[i] == before[place->second])
      add_old(place->second);
    else
      add_new(next[i]);
  }
  return splice;
}

/// The list that was told.  Fails with invalid_argument when `before` or the
/// new entries are not those that the splice speaks of.
template <class T>
Result<std::vector<T>> apply_splice(Splice<T> const& splice,
                                    std::vector<T> const& before) {
  std::vector<T> next;
  std::size_t fresh = 0;
  for (auto const& run : splice.runs) {
    if (run.first > before.size() || run.count > before.size() - run.first)
      return Error{Errc::invalid_argument,
                   "entries " + std::to_string(run.first) + " to " +
                       std::to_string(std::uint64_t{run.first} + run.count) +
                       " of a list of " + std::to_string(before.size())};
    if (run.fresh > splice.fresh.size() - fresh)
      return Error{Errc::invalid_argument,
                   "more new entries than the " +
                       std::to_string(splice.fresh.size()) + " that came"};
    auto const old = before.begin() + run.first;
    next.insert(next.end(), old, old + run.count);
    auto const first =
        splice.fresh.begin() + static_cast<std::ptrdiff_t>(fresh);
    next.insert(next.end(), first, first + run.fresh);
    fresh += run.fresh;
  }
  if (fresh < splice.fresh.size())
    return Error{Errc::invalid_argument,
                 std::to_string(splice.fresh.size() - fresh) +
                     " new entries without a place"};
  return next;
}

}  // namespace gleaner::proto
