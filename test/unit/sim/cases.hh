// SPDX-License-Identifier: Apache-2.0
/// The notation of the simulator's tests.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "sim/engine.hh"
#include "sim/recorded_holes.hh"
#include "test/unit/catch.hh"

namespace gleaner::sim {

/// A file that lasts as long as this.
class InputFile {
 public:
  explicit InputFile(std::string_view content, std::string const& name = "in")
      : path_(std::filesystem::temp_directory_path() /
              ("gleaner-sim-test-" + std::to_string(::getpid()) + "-" + name)) {
    std::ofstream(path_) << content;
  }
  ~InputFile() { std::filesystem::remove(path_); }
  InputFile(InputFile const&) = delete;
  InputFile& operator=(InputFile const&) = delete;

  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

/// A training whose speed is one sample per second and node.
inline Training training(std::string id, int nodes_max, double work_samples) {
  Training t;
  t.id = std::move(id);
  t.nodes_max = nodes_max;
  t.expand_s = 4;
  t.shrink_s = 2;
  t.work_samples = work_samples;
  t.one_node_rate = 1;
  for (int k = 0; k <= nodes_max; ++k) t.speed.push_back(k);
  return t;
}

/// "0 a+ b+, 10 a-": at 0 s nodes a and b become idle, at 10 s a leaves.
inline IdleEvents events(std::string_view text) {
  IdleEvents all;
  double t_s = 0;
  while (!text.empty()) {
    auto const end = std::min(text.find_first_of(" ,"), text.size());
    auto word = std::string(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (word.empty()) continue;
    if (word.back() != '+' && word.back() != '-') {
      t_s = std::stod(word);
      continue;
    }
    bool const idle = word.back() == '+';
    word.pop_back();
    auto const at = std::find(all.nodes.begin(), all.nodes.end(), word);
    auto const node = static_cast<NodeNumber>(at - all.nodes.begin());
    if (at == all.nodes.end()) all.nodes.push_back(word);
    all.events.push_back({t_s, node, idle});
  }
  return all;
}

}  // namespace gleaner::sim
