// SPDX-License-Identifier: Apache-2.0
/// Writing and reading the counts.
#include "core/free_nodes.hh"

#include <algorithm>
#include <cstdio>
#include <sstream>

namespace gleaner {
namespace {

Error bad_line(std::string const& line) {
  return {Errc::invalid_argument,
          "cannot read line '" + line.substr(0, 80) + "' of free nodes"};
}

bool read_count(std::istringstream* words, char const* name, int* count) {
  std::string word;
  return *words >> word && word == name && *words >> *count && *count >= 0;
}

}  // namespace

FreeNodes::Partition const* FreeNodes::find(std::string_view name) const {
  auto const found = std::find_if(
      partitions.begin(), partitions.end(), [&](Partition const& partition) {
        return name.empty() ? partition.is_default : partition.name == name;
      });
  return found == partitions.end() ? nullptr : &*found;
}

std::string to_text(FreeNodes const& free) {
  char until[40];
  std::snprintf(until, sizeof until, "until %.3f\n", free.until_s);
  std::string text = until;
  for (auto const& p : free.partitions)
    text += p.name + (p.is_default ? "*" : "") + " idle " +
            std::to_string(p.idle) + " partly " + std::to_string(p.partly) +
            " gres " + std::to_string(p.gres) + " lent " +
            std::to_string(p.lent) + "\n";
  return text;
}

Result<FreeNodes> parse_free_nodes(std::string_view text) {
  FreeNodes free;
  std::istringstream lines{std::string(text)};
  std::string line;
  std::getline(lines, line);
  std::istringstream first(line);
  std::string word;
  if (!(first >> word) || word != "until" || !(first >> free.until_s))
    return bad_line(line);
  while (std::getline(lines, line)) {
    std::istringstream words(line);
    FreeNodes::Partition partition;
    words >> partition.name;
    if (!read_count(&words, "idle", &partition.idle) ||
        !read_count(&words, "partly", &partition.partly) ||
        !read_count(&words, "gres", &partition.gres) ||
        !read_count(&words, "lent", &partition.lent))
      return bad_line(line);
    if (partition.name.ends_with('*')) {
      partition.is_default = true;
      partition.name.pop_back();
    }
    free.partitions.push_back(std::move(partition));
  }
  return free;
}

std::string free_nodes_path(std::string const& run_dir) {
  return run_dir + "/free_nodes";
}

}  // namespace gleaner
