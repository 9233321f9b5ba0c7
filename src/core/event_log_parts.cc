// SPDX-License-Identifier: Apache-2.0
#include "core/event_log_parts.hh"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string_view>

namespace gleaner {
namespace {

constexpr int tries_max = 10;

std::optional<std::uint64_t> part_number(std::string_view name) {
  constexpr std::string_view before = "events.", after = ".jsonl";
  if (name.size() <= before.size() + after.size() ||
      !name.starts_with(before) || !name.ends_with(after))
    return std::nullopt;
  name.remove_prefix(before.size());
  name.remove_suffix(after.size());
  std::uint64_t number = 0;
  auto const [end, error] =
      std::from_chars(name.data(), name.data() + name.size(), number);
  if (error != std::errc() || end != name.data() + name.size() || number == 0)
    return std::nullopt;
  return number;
}

/// Whether it is there; adds what it holds.
bool add_file(std::string const& path, std::string* text) {
  std::ifstream in(path, std::ios::binary);
  if (!in.is_open()) return false;
  text->append(std::istreambuf_iterator<char>(in), {});
  return !in.bad();
}

}  // namespace

std::string event_log_path(std::string const& dir) {
  return dir + "/events.jsonl";
}

std::string event_log_part_path(std::string const& dir, std::uint64_t number) {
  char name[48];
  std::snprintf(name, sizeof name, "/events.%06llu.jsonl",
                static_cast<unsigned long long>(number));
  return dir + name;
}

std::vector<std::uint64_t> event_log_parts(std::string const& dir) {
  std::vector<std::uint64_t> numbers;
  std::error_code error;
  for (std::filesystem::directory_iterator it(dir, error), end;
       !error && it != end; it.increment(error))
    if (auto const number = part_number(it->path().filename().string()))
      numbers.push_back(*number);
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

Result<std::string> read_event_log(std::string const& dir) {
  // Between a look at the folder and the end of reading a part may begin.
  for (int tries = 1;; ++tries) {
    auto const parts = event_log_parts(dir);
    std::string text;
    bool whole = true;
    for (auto const number : parts)
      whole = add_file(event_log_part_path(dir, number), &text) && whole;
    whole = add_file(event_log_path(dir), &text) && whole;
    if (whole && parts == event_log_parts(dir)) return text;
    if (tries < tries_max) continue;
    if (!text.empty()) return text;
    return Error{Errc::io, "cannot read '" + event_log_path(dir) + "'"};
  }
}

}  // namespace gleaner
