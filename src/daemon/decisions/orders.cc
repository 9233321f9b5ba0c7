// SPDX-License-Identifier: Apache-2.0
/// How orders add up, and how they are undone.
#include "daemon/decisions/orders.hh"

namespace gleaner::daemon {
namespace {

Error refused(std::string message) {
  return {Errc::invalid_argument, std::move(message)};
}

}  // namespace

void Orders::configure(Config const& config) {
  file_lends_ = config.mode == Config::Mode::on;
  // The configuration admits no list that cannot be read.
  auto nodes = NodeSet::parse(config.drained);
  file_drained_ = nodes ? std::move(*nodes) : NodeSet();
}

Result<void> Orders::apply(msg::AdminRequest const& request,
                           NodeSet const& known) {
  if (request.action == "drain") return drain(request.nodes, known);
  if (request.action == "resume") return resume(request.nodes);
  if (request.action != "on" && request.action != "observe")
    return refused("there is no order '" + request.action +
                   "' [drain, resume, observe or on]");
  if (!request.nodes.empty())
    return refused("'" + request.action +
                   "' is for all nodes [drain NODES keeps some from being "
                   "lent]");
  if (request.action == "on" && !file_lends_)
    return refused(
        "gleaner.yaml says mode: observe [set mode: on there, and send "
        "gleanerd SIGHUP]");
  observe_ = request.action == "observe";
  return {};
}

Result<void> Orders::drain(std::string const& text, NodeSet const& known) {
  if (text.empty()) {
    all_ = true;
    return {};
  }
  auto const nodes = NodeSet::parse(text);
  if (!nodes) return nodes.error();
  for (auto const& node : *nodes)
    if (!known.empty() && !known.contains(node))
      return refused("'" + node +
                     "' is no node of the lease partition (it is never lent) "
                     "[see sinfo for the names]");
  for (auto const& node : *nodes) drained_.insert(node);
  return {};
}

Result<void> Orders::resume(std::string const& text) {
  if (text.empty()) {
    all_ = false;
    drained_ = {};
    return {};
  }
  auto const nodes = NodeSet::parse(text);
  if (!nodes) return nodes.error();
  if (all_)
    return refused("all nodes are drained [resume without nodes first]");
  for (auto const& node : *nodes) {
    if (drained_.contains(node)) continue;
    if (file_drained_.contains(node))
      return refused("gleaner.yaml has '" + node +
                     "' in drained [take it out there, and send gleanerd "
                     "SIGHUP]");
    return refused("'" + node + "' is not drained");
  }
  for (auto const& node : *nodes) drained_.erase(node);
  return {};
}

std::string Orders::drained() const {
  if (all_) return "all";
  NodeSet both = drained_;
  for (auto const& node : file_drained_) both.insert(node);
  return both.to_string();
}

std::string Orders::observed_by() const {
  return !file_lends_ ? "gleaner.yaml" : observe_ ? "gleaner admin" : "";
}

nlohmann::ordered_json Orders::to_json() const {
  return {{"observe", observe_},
          {"all_drained", all_},
          {"drained", drained_.to_string()}};
}

Result<void> Orders::restore(nlohmann::json const& json) {
  auto const field = [&](char const* key) {
    auto const found = json.find(key);
    return found == json.end() ? nlohmann::json() : *found;
  };
  auto const observe = field("observe"), all = field("all_drained"),
             drained = field("drained");
  if (!json.is_object() || !observe.is_boolean() || !all.is_boolean() ||
      !drained.is_string())
    return refused("it is not what gleanerd wrote");
  auto nodes = NodeSet::parse(drained.get<std::string>());
  if (!nodes) return nodes.error();
  observe_ = observe.get<bool>();
  all_ = all.get<bool>();
  drained_ = std::move(*nodes);
  return {};
}

}  // namespace gleaner::daemon
