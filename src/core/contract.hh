// SPDX-License-Identifier: Apache-2.0
/// What must a caller have seen to, and what is promised in return?
///
///     EXPECT(rank < members, rank, members);
///
/// ends the process, when the condition does not hold, with a line on standard
/// error that names the condition, the values and the place:
///
///     sampler.cc:62: EXPECT failed: rank < members (rank = 5, members = 3)
///
/// Always on: what it costs is a comparison.  For mistakes of ours alone; bad
/// input is a Result.  Not in what slurmctld loads (src/core, src/slurm and the
/// plugins), which nothing of ours may end.
#pragma once

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <type_traits>

/// A precondition: the caller is wrong.
#define EXPECT(condition, ...)                                               \
  ((condition)                                                               \
       ? void()                                                              \
       : ::gleaner::contract::fail("EXPECT", #condition, __FILE__, __LINE__, \
                                   #__VA_ARGS__ __VA_OPT__(, ) __VA_ARGS__))

/// What a function promises, or keeps true between calls: we are wrong.
#define ENSURE(condition, ...)                                               \
  ((condition)                                                               \
       ? void()                                                              \
       : ::gleaner::contract::fail("ENSURE", #condition, __FILE__, __LINE__, \
                                   #__VA_ARGS__ __VA_OPT__(, ) __VA_ARGS__))

namespace gleaner::contract {

template <class Value>
std::string text_of(Value const& value) {
  if constexpr (std::is_arithmetic_v<Value>)
    return std::to_string(value);
  else
    return "'" + std::string(std::string_view(value)) + "'";
}

/// The values by their names, "a, b" and two of them: "a = 1, b = 2".
template <class... Values>
std::string named(std::string_view names, Values const&... values) {
  std::string text;
  [[maybe_unused]] auto const add = [&](std::string const& value) {
    // A comma in parentheses is part of the name.
    std::size_t end = 0;
    for (int depth = 0; end < names.size(); ++end) {
      depth += names[end] == '(' || names[end] == '[';
      depth -= names[end] == ')' || names[end] == ']';
      if (names[end] == ',' && depth == 0) break;
    }
    text += (text.empty() ? "" : ", ") + std::string(names.substr(0, end)) +
            " = " + value;
    names.remove_prefix(std::min(end + 1, names.size()));
    while (names.starts_with(' ')) names.remove_prefix(1);
  };
  (add(text_of(values)), ...);
  return text;
}

template <class... Values>
[[noreturn, gnu::cold, gnu::noinline]] void fail(char const* kind,
                                                 char const* condition,
                                                 std::string_view file,
                                                 int line, char const* names,
                                                 Values const&... values) {
  auto const text = named(names, values...);
  auto const name = file.substr(file.rfind('/') + 1);
  std::fprintf(stderr, "%.*s:%d: %s failed: %s%s%s%s\n",
               static_cast<int>(name.size()), name.data(), line, kind,
               condition, text.empty() ? "" : " (", text.c_str(),
               text.empty() ? "" : ")");
  std::fflush(stderr);
  std::abort();
}

}  // namespace gleaner::contract
