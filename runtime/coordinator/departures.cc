// SPDX-License-Identifier: Apache-2.0
/// Nodes on their way out.
#include "runtime/coordinator/departures.hh"

#include <algorithm>

namespace gleaner::coordinator {

void Departures::ask(std::string const& name, double deadline,
                     Release release) {
  auto const [found, is_new] = nodes_.try_emplace(name);
  auto& node = found->second;
  node.deadline = is_new ? deadline : std::min(node.deadline, deadline);
  if (is_new) node.release = release;
}

void Departures::set_out(double now, std::string const& name) {
  auto const found = nodes_.find(name);
  if (found == nodes_.end() || found->second.out) return;
  found->second.out = true;
  found->second.answer_by = now + answer_s_max;
}

void Departures::set_empty(std::string const& name) {
  auto const found = nodes_.find(name);
  if (found != nodes_.end()) found->second.empty = true;
}

void Departures::release(std::string const& name) {
  auto const found = nodes_.find(name);
  if (found != nodes_.end()) found->second.release = Release::at_once;
}

bool Departures::is_out(std::string const& name) const {
  auto const found = nodes_.find(name);
  return found != nodes_.end() && found->second.out;
}

std::vector<std::string> Departures::newly_vacated() {
  std::vector<std::string> names;
  for (auto& [name, node] : nodes_) {
    if (!node.out || node.told || node.release == Release::at_once) continue;
    node.told = true;
    names.push_back(name);
  }
  return names;
}

std::vector<std::string> Departures::vacated() const {
  std::vector<std::string> names;
  for (auto const& [name, node] : nodes_)
    if (node.told && node.release == Release::together) names.push_back(name);
  return names;
}

bool Departures::is_held(Node const& node, double now) {
  return node.release == Release::together && now < node.deadline &&
         now < node.answer_by;
}

std::vector<std::string> Departures::due(double now) {
  std::vector<std::string> names;
  for (auto& [name, node] : nodes_) {
    if (!node.out || !node.empty || node.ended || is_held(node, now)) continue;
    node.ended = true;
    names.push_back(name);
  }
  return names;
}

}  // namespace gleaner::coordinator
