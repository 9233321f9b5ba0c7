// SPDX-License-Identifier: Apache-2.0
/// Reading a lease template, option by option.
#include "core/lease_template.hh"

#include <algorithm>
#include <charconv>
#include <optional>

namespace gleaner {
namespace {

Error cannot_read(std::string_view option, std::string const& why) {
  return {Errc::invalid_argument, "lease template: option '" +
                                      std::string(option.substr(0, 100)) +
                                      "' cannot be read (" + why + ")"};
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    auto const end = std::min(text.find(separator), text.size());
    if (end > 0) parts.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

/// "16000M", "16G", "16000" (MB) in MB; none for anything else.
std::optional<std::int64_t> read_mb(std::string_view text) {
  std::int64_t number = 0;
  auto const end = text.data() + text.size();
  auto const [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || number < 0 || number > (1LL << 40))
    return std::nullopt;
  std::string_view const unit(stop, static_cast<std::size_t>(end - stop));
  if (unit.empty() || unit == "M" || unit == "m") return number;
  if (unit == "K" || unit == "k") return (number + 1023) / 1024;
  if (unit == "G" || unit == "g") return number << 10;
  if (unit == "T" || unit == "t") return number << 20;
  return std::nullopt;
}

std::optional<int> read_cpus(std::string_view text) {
  int number = 0;
  auto const end = text.data() + text.size();
  auto const [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end || number < 0) return std::nullopt;
  return number;
}

Result<void> read_gres(LeaseTemplate* ask, std::string const& text) {
  auto const gres = parse_gres(text);
  if (!gres) return gres.error();
  ask->each.gres = plus(ask->each.gres, *gres);
  return {};
}

Result<void> read_nodes(NodeSet* into, std::string_view text) {
  auto nodes = NodeSet::parse(text);
  if (!nodes) return nodes.error();
  *into = std::move(*nodes);
  return {};
}

Result<void> read_option(LeaseTemplate* ask, std::string_view name,
                         std::string_view value) {
  auto const is = [&](auto... names) { return ((name == names) || ...); };
  auto const expected = [](char const* what) {
    return Error{Errc::invalid_argument, std::string(what) + " was expected"};
  };
  if (is("--gres")) return read_gres(ask, std::string(value));
  if (is("--gpus-per-node")) return read_gres(ask, "gpu:" + std::string(value));
  if (is("-c", "--cpus-per-task", "--mincpus")) {
    auto const cpus = read_cpus(value);
    if (!cpus) return expected("a number of CPUs");
    ask->each.cpus = std::max(ask->each.cpus, *cpus);
  } else if (is("--mem")) {
    auto const memory_mb = read_mb(value);
    if (!memory_mb) return expected("an amount of memory such as 16G");
    ask->each.memory_mb = *memory_mb;
  } else if (is("-C", "--constraint")) {
    auto constraint = Constraint::parse(value);
    if (!constraint) return constraint.error();
    ask->constraint = std::move(*constraint);
  } else if (is("-p", "--partition")) {
    ask->partitions = split(value, ',');
  } else if (is("-w", "--nodelist")) {
    return read_nodes(&ask->required, value);
  } else if (is("-x", "--exclude")) {
    return read_nodes(&ask->excluded, value);
  }
  return {};
}

/// "--mem=4G", "-c4", "-c 4", "--exclusive".
struct Option {
  std::string name;
  std::string value;
  std::vector<std::string> words;  ///< as they are written
};

std::vector<Option> options_in(std::string_view text) {
  std::vector<Option> options;
  bool value_follows = false;
  for (auto const& word : split(text, ' ')) {
    if (value_follows) {
      options.back().value = word;
      options.back().words.push_back(word);
      value_follows = false;
    } else if (word.size() >= 2 && word[0] == '-' && word[1] != '-') {
      auto const value = word.substr(2);
      options.push_back({word.substr(0, 2), value, {word}});
      value_follows = value.empty();
    } else {
      auto const equals = std::min(word.find('='), word.size());
      options.push_back({word.substr(0, equals),
                         word.substr(std::min(equals + 1, word.size())),
                         {word}});
    }
  }
  return options;
}

std::string joined(std::vector<std::string> const& words) {
  std::string text;
  for (auto const& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

}  // namespace

Result<LeaseTemplate> parse_lease_template(std::string_view text) {
  LeaseTemplate ask;
  ask.text = text;
  for (auto const& option : options_in(text))
    if (auto read = read_option(&ask, option.name, option.value); !read)
      return cannot_read(joined(option.words), read.error().message);
  return ask;
}

std::vector<std::string> srun_options(std::string_view lease_template) {
  std::vector<std::string> words;
  for (auto const& option : options_in(lease_template)) {
    bool const ours = option.name == "-p" || option.name == "--partition" ||
                      option.name == "-w" || option.name == "--nodelist";
    if (!ours)
      words.insert(words.end(), option.words.begin(), option.words.end());
  }
  return words;
}

}  // namespace gleaner
