// SPDX-License-Identifier: Apache-2.0
/// Writing and reading the counts.
#include "core/free_nodes.hh"

#include <algorithm>
#include <charconv>
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

constexpr std::size_t gpus_max = 64;  ///< of a node, that are told apart

/// "10,8", "-" for none.
std::string to_text(NodesByGpus const& counts) {
  std::string text;
  for (auto const count : counts)
    text += (text.empty() ? "" : ",") + std::to_string(count);
  return text.empty() ? "-" : text;
}

bool read_counts(std::istringstream* words, char const* name,
                 NodesByGpus* counts) {
  std::string word, text;
  if (!(*words >> word && word == name && *words >> text)) return false;
  if (text == "-") return true;
  std::istringstream numbers(text);
  for (std::string number; std::getline(numbers, number, ',');) {
    int count = 0;
    auto const* const end = number.data() + number.size();
    auto const read = std::from_chars(number.data(), end, count);
    if (read.ec != std::errc() || read.ptr != end || count < 0) return false;
    counts->push_back(count);
  }
  return text.back() != ',' && counts->size() <= gpus_max;
}

}  // namespace

void count_gpus(NodesByGpus* counts, std::int64_t gpus, int nodes) {
  auto const most = std::min(gpus, static_cast<std::int64_t>(gpus_max));
  auto const size = static_cast<std::size_t>(std::max<std::int64_t>(most, 0));
  if (counts->size() < size) counts->resize(size, 0);
  for (std::size_t k = 0; k < size; ++k) (*counts)[k] += nodes;
}

FreeNodes::Partition const* FreeNodes::find(std::string_view name) const {
  auto const found = std::find_if(
      partitions.begin(), partitions.end(), [&](Partition const& partition) {
        return name.empty() ? partition.is_default : partition.name == name;
      });
  return found == partitions.end() ? nullptr : &*found;
}

std::string to_text(FreeNodes const& free) {
  char until[60];
  std::snprintf(until, sizeof until, "until %.3f notice %d\n", free.until_s,
                free.notice_s);
  std::string text = until;
  for (auto const& p : free.partitions)
    text += p.name + (p.is_default ? "*" : "") + " idle " +
            std::to_string(p.idle) + " partly " + std::to_string(p.partly) +
            " lent " + std::to_string(p.lent) + " gpus " + to_text(p.gpus) +
            " back " + to_text(p.gpus_back) + "\n";
  return text;
}

Result<FreeNodes> parse_free_nodes(std::string_view text) {
  FreeNodes free;
  std::istringstream lines{std::string(text)};
  std::string line;
  std::getline(lines, line);
  std::istringstream first(line);
  std::string word;
  if (!(first >> word) || word != "until" || !(first >> free.until_s) ||
      !read_count(&first, "notice", &free.notice_s))
    return bad_line(line);
  while (std::getline(lines, line)) {
    std::istringstream words(line);
    FreeNodes::Partition partition;
    words >> partition.name;
    if (!read_count(&words, "idle", &partition.idle) ||
        !read_count(&words, "partly", &partition.partly) ||
        !read_count(&words, "lent", &partition.lent) ||
        !read_counts(&words, "gpus", &partition.gpus) ||
        !read_counts(&words, "back", &partition.gpus_back))
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
