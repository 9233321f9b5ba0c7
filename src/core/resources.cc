// SPDX-License-Identifier: Apache-2.0
/// Reading, comparing and adding amounts.
#include "core/resources.hh"

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>

namespace gleaner {
namespace {

constexpr std::int64_t count_max = std::int64_t{1} << 50;

std::string_view name_of(std::string_view key) {
  return key.substr(0, key.find(':'));
}

bool has_type(std::string_view key) {
  return key.find(':') != std::string_view::npos;
}

/// "4", "2K"; none for what is no count.
std::optional<std::int64_t> read_count(std::string_view text) {
  std::int64_t count = 0;
  auto const end = text.data() + text.size();
  auto const [stop, error] = std::from_chars(text.data(), end, count);
  if (error != std::errc() || count < 0) return std::nullopt;
  int shift = 0;
  if (end - stop == 1) {
    std::string_view const suffixes = "kmgtKMGT";
    auto const at = suffixes.find(*stop);
    if (at == std::string_view::npos) return std::nullopt;
    shift = static_cast<int>(at % 4 + 1) * 10;
  } else if (stop != end) {
    return std::nullopt;
  }
  if (count > (count_max >> shift)) return std::nullopt;
  return count << shift;
}

struct Entry {
  std::string key;
  std::int64_t count = 1;
};

/// Meant as a count, right or wrong: "-1", "99999999999999999999", "3x" not.
bool looks_like_count(std::string_view text) {
  auto const digits = text.find_first_not_of("0123456789", text[0] == '-');
  return digits == std::string_view::npos ||
         (digits > 0 && digits + 1 == text.size() &&
          std::string_view("kmgtKMGT").find(text[digits]) !=
              std::string_view::npos);
}

/// "gpu:a:2", "gpu:4", "gpu:a", "gpu", "gpu=4", "lustre:no_consume:4G".
std::optional<Entry> read_entry(std::string_view text) {
  for (std::string_view prefix : {"gres:", "gres/"})
    if (text.substr(0, prefix.size()) == prefix)
      text.remove_prefix(prefix.size());
  Entry entry;
  auto const last = text.find_last_of(":=");
  if (last != std::string_view::npos) {
    auto const count = read_count(text.substr(last + 1));
    bool const wrong =
        text[last] == '=' ||
        (last + 1 < text.size() && looks_like_count(text.substr(last + 1)));
    if (!count && wrong) return std::nullopt;
    if (count) {
      entry.count = *count;
      text = text.substr(0, last);
    }
  }
  std::string_view const unconsumed = ":no_consume";
  if (text.size() > unconsumed.size() &&
      text.substr(text.size() - unconsumed.size()) == unconsumed)
    text.remove_suffix(unconsumed.size());
  bool const plain = std::all_of(text.begin(), text.end(), [](char c) {
    return static_cast<unsigned char>(c) > ' ' && c != '(' && c != ')';
  });
  auto const colon = text.find(':');
  bool const shaped = colon == std::string_view::npos ||
                      (colon > 0 && colon + 1 < text.size() &&
                       text.find(':', colon + 1) == std::string_view::npos);
  if (text.empty() || !plain || !shaped) return std::nullopt;
  entry.key = text;
  return entry;
}

/// Without what stands in parentheses: "gpu:4(S:0,1)" -> "gpu:4".
std::string without_parentheses(std::string_view text) {
  std::string plain;
  int depth = 0;
  for (char const c : text) {
    if (c == '(') ++depth;
    if (depth == 0) plain += c;
    if (c == ')') depth = std::max(0, depth - 1);
  }
  return plain;
}

/// Units that can serve a request of the name without a type.
std::int64_t left_for_any(Gres const& have, Gres const& asked,
                          std::string_view name) {
  auto count = count_of(have, name);
  for (auto const& [key, wanted] : asked)
    if (has_type(key) && name_of(key) == name) count -= wanted;
  return count;
}

/// The first entry of `asked` that `have` cannot meet; end() if it can.
Gres::const_iterator first_unmet(Gres const& have, Gres const& asked) {
  return std::find_if(asked.begin(), asked.end(), [&](auto const& entry) {
    auto const& [key, wanted] = entry;
    if (!has_type(key)) return left_for_any(have, asked, key) < wanted;
    auto const found = have.find(key);
    return (found == have.end() ? 0 : found->second) < wanted;
  });
}

/// Take up to `count` units of one entry; what could not be had.
std::int64_t take(Gres* from, std::string const& key, std::int64_t count) {
  auto const found = from->find(key);
  if (found == from->end()) return count;
  auto const taken = std::min(count, found->second);
  found->second -= taken;
  if (found->second == 0) from->erase(found);
  return count - taken;
}

/// Of a name whatever the type.
Gres only(Gres const& gres, std::string_view name) {
  Gres some;
  for (auto const& [key, count] : gres)
    if (name_of(key) == name) some.emplace(key, count);
  return some;
}

}  // namespace

Result<Gres> parse_gres(std::string_view text) {
  Gres gres;
  auto const plain = without_parentheses(text);
  std::string_view rest = plain;
  while (!rest.empty()) {
    auto const comma = std::min(rest.find_first_of(",;"), rest.size());
    auto const word = rest.substr(0, comma);
    rest.remove_prefix(std::min(comma + 1, rest.size()));
    if (word.empty() || word == "none") continue;
    auto const entry = read_entry(word);
    if (!entry)
      return Error{Errc::invalid_argument,
                   "'" + std::string(word.substr(0, 60)) +
                       "' is no generic resource [write NAME:COUNT or "
                       "NAME:TYPE:COUNT]"};
    if (entry->count > 0) gres[entry->key] += entry->count;
  }
  return gres;
}

std::string to_string(Gres const& gres) {
  std::string text;
  for (auto const& [key, count] : gres)
    text += (text.empty() ? "" : ",") + key + ":" + std::to_string(count);
  return text;
}

std::string to_string(Resources const& resources) {
  std::string text;
  auto const add = [&text](std::string const& part) {
    text += (text.empty() ? "" : ", ") + part;
  };
  if (resources.cpus > 0)
    add(std::to_string(resources.cpus) +
        (resources.cpus == 1 ? " CPU" : " CPUs"));
  if (resources.memory_mb > 0) add(std::to_string(resources.memory_mb) + " MB");
  if (!resources.gres.empty()) add(to_string(resources.gres));
  return text.empty() ? "nothing" : text;
}

std::int64_t count_of(Gres const& gres, std::string_view name) {
  std::int64_t count = 0;
  for (auto const& [key, units] : gres)
    if (name_of(key) == name) count += units;
  return count;
}

bool covers(Gres const& have, Gres const& asked) {
  return first_unmet(have, asked) == asked.end();
}

bool covers(Resources const& have, Resources const& asked) {
  return have.cpus >= asked.cpus && have.memory_mb >= asked.memory_mb &&
         covers(have.gres, asked.gres);
}

std::string lacks(Resources const& have, Resources const& asked) {
  if (have.cpus < asked.cpus)
    return std::to_string(asked.cpus) + " CPUs (has " +
           std::to_string(have.cpus) + ")";
  if (have.memory_mb < asked.memory_mb)
    return std::to_string(asked.memory_mb) + " MB of memory (has " +
           std::to_string(have.memory_mb) + ")";
  auto const unmet = first_unmet(have.gres, asked.gres);
  if (unmet == asked.gres.end()) return "";
  auto const had = to_string(only(have.gres, name_of(unmet->first)));
  return unmet->first + ":" + std::to_string(unmet->second) + " (has " +
         (had.empty() ? "none" : had) + ")";
}

Gres plus(Gres const& a, Gres const& b) {
  auto sum = a;
  for (auto const& [key, count] : b) sum[key] += count;
  return sum;
}

Gres minus(Gres const& a, Gres const& b) {
  auto rest = a;
  // Types first, so that what has none does not take their units.
  for (auto const& [key, count] : b)
    if (has_type(key)) take(&rest, key, count);
  for (auto const& [key, count] : b) {
    if (has_type(key)) continue;
    auto left = take(&rest, key, count);
    for (auto const& [other, units] : only(rest, key))
      left = left > 0 ? take(&rest, other, left) : 0;
  }
  return rest;
}

Resources plus(Resources const& a, Resources const& b) {
  return {a.cpus + b.cpus, a.memory_mb + b.memory_mb, plus(a.gres, b.gres)};
}

Resources minus(Resources const& a, Resources const& b) {
  return {std::max(0, a.cpus - b.cpus),
          std::max<std::int64_t>(0, a.memory_mb - b.memory_mb),
          minus(a.gres, b.gres)};
}

Resources least_of(Resources const& a, Resources const& b) {
  Resources least{
      std::min(a.cpus, b.cpus), std::min(a.memory_mb, b.memory_mb), {}};
  for (auto const& [key, count] : a.gres)
    if (auto const found = b.gres.find(key); found != b.gres.end())
      least.gres[key] = std::min(count, found->second);
  return least;
}

}  // namespace gleaner
