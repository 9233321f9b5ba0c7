// SPDX-License-Identifier: Apache-2.0
/// Problems and plans as JSON: strict in what is read.
#include "alloc/problem_json.hh"

#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <unordered_map>
#include <utility>

namespace gleaner::alloc {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

/// Thrown and caught inside this file only.
struct Unreadable : std::runtime_error {
  using std::runtime_error::runtime_error;
};

[[noreturn]] void refuse(std::string const& where, std::string const& expected,
                         json const& got) {
  auto text = got.dump(-1, ' ', false, json::error_handler_t::replace);
  if (text.size() > 60) text = text.substr(0, 57) + "...";
  throw Unreadable(where + ": expected " + expected + ", got " + text);
}

enum class Sign { any, not_negative };

/// An object whose fields are taken one by one; what is left is unknown.
class Fields {
 public:
  Fields(json const& value, std::string where)
      : value_(value), where_(std::move(where)) {
    if (!value.is_object()) refuse(where_, "an object", value);
  }

  std::string name(char const* key) const {
    return where_.empty() ? key : where_ + "." + key;
  }

  /// None where it is not there.
  json const* find(char const* key) {
    known_.insert(key);
    auto const found = value_.find(key);
    return found == value_.end() ? nullptr : &*found;
  }

  json const& get(char const* key, char const* expected) {
    auto const* found = find(key);
    if (!found) refuse(name(key), expected, json("nothing"));
    return *found;
  }

  json const& list(char const* key) {
    auto const& found = get(key, "a list");
    if (!found.is_array()) refuse(name(key), "a list", found);
    return found;
  }

  double number(char const* key, double fallback) {
    auto const* found = find(key);
    return found ? to_number(*found, name(key)) : fallback;
  }

  std::optional<double> optional_number(char const* key,
                                        Sign sign = Sign::not_negative) {
    auto const* found = find(key);
    if (!found) return std::nullopt;
    return to_number(*found, name(key), sign);
  }

  template <class Integer>
  Integer whole(char const* key, Integer fallback, Integer least) {
    auto const* found = find(key);
    if (!found) return fallback;
    if (!found->is_number_integer() || *found < least || *found > 1000000000)
      refuse(name(key),
             "a whole number from " + std::to_string(least) + " to 1000000000",
             *found);
    return found->get<Integer>();
  }

  std::string text(char const* key) {
    auto const& found = get(key, "a text");
    if (!found.is_string() || found.get_ref<std::string const&>().empty())
      refuse(name(key), "a text", found);
    return found.get<std::string>();
  }

  /// To be called last.
  void finish() const {
    for (auto const& [key, value] : value_.items())
      if (!known_.count(key)) throw Unreadable(name(key.c_str()) + ": unknown");
  }

  static double to_number(json const& value, std::string const& where,
                          Sign sign = Sign::not_negative) {
    if (!value.is_number() || !std::isfinite(value.get<double>()))
      refuse(where, "a number", value);
    if (sign == Sign::not_negative && value < 0)
      refuse(where, "a number that is not negative", value);
    return value.get<double>();
  }

 private:
  json const& value_;
  std::string where_;
  std::set<std::string, std::less<>> known_;
};

std::string at(std::string const& list, std::size_t i) {
  return list + "[" + std::to_string(i) + "]";
}

Node read_node(json const& value, std::string const& where) {
  Fields fields(value, where);
  Node node;
  node.name = fields.text("name");
  node.hole_s = fields.optional_number("hole_s");
  node.weight = fields.whole<std::uint32_t>("weight", node.weight, 0);
  node.idle_s = fields.number("idle_s", node.idle_s);
  node.kind = fields.whole<std::uint32_t>("kind", node.kind, 0);
  fields.finish();
  return node;
}

/// Names to places in Problem::nodes; each may be taken once.
class NodeNames {
 public:
  explicit NodeNames(std::vector<Node> const& nodes)
      : taken_(nodes.size(), false) {
    for (std::size_t i = 0; i < nodes.size(); ++i)
      if (!places_.emplace(nodes[i].name, static_cast<NodeIndex>(i)).second)
        throw Unreadable(at("nodes", i) + ".name: '" + nodes[i].name +
                         "' is there twice");
  }

  std::vector<NodeIndex> take(json const& names, std::string const& where) {
    if (!names.is_array()) refuse(where, "a list of node names", names);
    std::vector<NodeIndex> result;
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (!names[i].is_string()) refuse(at(where, i), "a node name", names[i]);
      auto const found = places_.find(names[i].get<std::string>());
      if (found == places_.end())
        refuse(at(where, i), "one of the nodes", names[i]);
      if (taken_[found->second])
        refuse(at(where, i), "a node that nobody else has", names[i]);
      taken_[found->second] = true;
      result.push_back(found->second);
    }
    return result;
  }

 private:
  std::unordered_map<std::string, NodeIndex> places_;
  std::vector<bool> taken_;
};

std::vector<double> read_speed(Fields& fields, char const* key, int nodes_max) {
  auto const& list = fields.list(key);
  auto const where = fields.name(key);
  if (list.size() != static_cast<std::size_t>(nodes_max) + 1)
    throw Unreadable(where + ": expected " + std::to_string(nodes_max + 1) +
                     " numbers, for 0 to nodes_max nodes, got " +
                     std::to_string(list.size()));
  std::vector<double> speed;
  for (std::size_t k = 0; k < list.size(); ++k)
    speed.push_back(Fields::to_number(list[k], at(where, k)));
  if (speed[0] != 0) refuse(at(where, 0), "0, for no nodes", list[0]);
  return speed;
}

/// In ascending order; none where the field is not there.
std::vector<std::uint32_t> read_kinds(Fields& fields) {
  std::vector<std::uint32_t> kinds;
  auto const* list = fields.find("usable");
  if (!list) return kinds;
  auto const where = fields.name("usable");
  if (!list->is_array() || list->empty())
    refuse(where, "a list of one or more kinds", *list);
  for (std::size_t i = 0; i < list->size(); ++i) {
    auto const& kind = (*list)[i];
    if (!kind.is_number_integer() || kind < 0 || kind > 1000000000)
      refuse(at(where, i), "a whole number from 0 to 1000000000", kind);
    kinds.push_back(kind.get<std::uint32_t>());
    if (i > 0 && kinds[i] <= kinds[i - 1])
      refuse(at(where, i), "a kind greater than the one before", kind);
  }
  return kinds;
}

Trainer read_trainer(json const& value, std::string const& where,
                     NodeNames& names) {
  Fields fields(value, where);
  Trainer trainer;
  trainer.id = fields.text("id");
  trainer.nodes_min = fields.whole("nodes_min", trainer.nodes_min, 1);
  trainer.nodes_max =
      fields.whole("nodes_max", trainer.nodes_min, trainer.nodes_min);
  if (auto const* held = fields.find("nodes"))
    trainer.nodes = names.take(*held, fields.name("nodes"));
  trainer.usable = read_kinds(fields);
  trainer.speed = read_speed(fields, "speed", trainer.nodes_max);
  if (fields.find("speed_low") || fields.find("speed_high")) {
    trainer.speed_low = read_speed(fields, "speed_low", trainer.nodes_max);
    trainer.speed_high = read_speed(fields, "speed_high", trainer.nodes_max);
  }
  trainer.nodes_tried = fields.whole("nodes_tried", 0, 0);
  trainer.expand_s = fields.number("expand_s", trainer.expand_s);
  trainer.shrink_s = fields.number("shrink_s", trainer.shrink_s);
  trainer.start_s = fields.number("start_s", trainer.start_s);
  trainer.owner = fields.whole<std::uint32_t>("owner", trainer.owner, 0);
  trainer.weight = fields.number("weight", trainer.weight);
  trainer.work_left = fields.number("work_left", trainer.work_left);
  trainer.deadline_s = fields.optional_number("deadline_s", Sign::any);
  fields.finish();
  return trainer;
}

Problem read_problem(json const& value) {
  Fields fields(value, "");
  Problem problem;
  problem.forward_looking_s =
      fields.number("forward_looking_s", problem.forward_looking_s);
  problem.hole_s_min = fields.number("hole_s_min", problem.hole_s_min);
  problem.trainers_waiting = fields.whole("trainers_waiting", 0, 0);
  auto const& nodes = fields.list("nodes");
  for (std::size_t i = 0; i < nodes.size(); ++i)
    problem.nodes.push_back(read_node(nodes[i], at("nodes", i)));
  NodeNames names(problem.nodes);
  std::set<TrainerId> ids;
  auto const& trainers = fields.list("trainers");
  for (std::size_t i = 0; i < trainers.size(); ++i) {
    auto const where = at("trainers", i);
    problem.trainers.push_back(read_trainer(trainers[i], where, names));
    if (!ids.insert(problem.trainers.back().id).second)
      throw Unreadable(where + ".id: '" + problem.trainers.back().id +
                       "' is there twice");
  }
  fields.finish();
  return problem;
}

Plan read_plan(Problem const& problem, json const& value) {
  Fields fields(value, "plan");
  NodeNames names(problem.nodes);
  Plan plan;
  for (auto const& trainer : problem.trainers)
    plan.push_back(names.take(fields.get(trainer.id.c_str(), "a list of nodes"),
                              fields.name(trainer.id.c_str())));
  fields.finish();
  return plan;
}

ordered_json names_of(Problem const& problem,
                      std::vector<NodeIndex> const& nodes) {
  auto names = ordered_json::array();
  for (auto const node : nodes) names.push_back(problem.nodes[node].name);
  return names;
}

ordered_json to_json(Node const& node) {
  ordered_json value{{"name", node.name}};
  if (node.hole_s) value["hole_s"] = *node.hole_s;
  if (node.weight != Node{}.weight) value["weight"] = node.weight;
  if (node.idle_s != 0) value["idle_s"] = node.idle_s;
  if (node.kind != 0) value["kind"] = node.kind;
  return value;
}

ordered_json to_json(Problem const& problem, Trainer const& trainer) {
  ordered_json value{{"id", trainer.id},
                     {"nodes_min", trainer.nodes_min},
                     {"nodes_max", trainer.nodes_max},
                     {"nodes", names_of(problem, trainer.nodes)},
                     {"speed", trainer.speed},
                     {"expand_s", trainer.expand_s},
                     {"shrink_s", trainer.shrink_s}};
  if (!trainer.usable.empty()) value["usable"] = trainer.usable;
  if (trainer.start_s != 0) value["start_s"] = trainer.start_s;
  if (trainer.owner != 0) value["owner"] = trainer.owner;
  if (trainer.weight != 1) value["weight"] = trainer.weight;
  if (trainer.work_left != 0) value["work_left"] = trainer.work_left;
  if (trainer.deadline_s) value["deadline_s"] = *trainer.deadline_s;
  if (!trainer.speed_low.empty()) {
    value["speed_low"] = trainer.speed_low;
    value["speed_high"] = trainer.speed_high;
  }
  if (trainer.nodes_tried != 0) value["nodes_tried"] = trainer.nodes_tried;
  return value;
}

/// What `read` returns, or its Unreadable as an error.
template <class Read>
auto guarded(Read read) -> Result<decltype(read())> {
  try {
    return read();
  } catch (Unreadable const& why) {
    return Error{Errc::invalid_argument, why.what()};
  }
}

}  // namespace

ordered_json problem_to_json(Problem const& problem) {
  ordered_json value{{"forward_looking_s", problem.forward_looking_s},
                     {"hole_s_min", problem.hole_s_min},
                     {"nodes", ordered_json::array()},
                     {"trainers", ordered_json::array()}};
  if (problem.trainers_waiting != 0)
    value["trainers_waiting"] = problem.trainers_waiting;
  for (auto const& node : problem.nodes)
    value["nodes"].push_back(to_json(node));
  for (auto const& trainer : problem.trainers)
    value["trainers"].push_back(to_json(problem, trainer));
  return value;
}

Result<Problem> problem_from_json(json const& value) {
  return guarded([&] { return read_problem(value); });
}

ordered_json plan_to_json(Problem const& problem, Plan const& plan) {
  auto value = ordered_json::object();
  for (std::size_t i = 0; i < plan.size(); ++i)
    value[problem.trainers[i].id] = names_of(problem, plan[i]);
  return value;
}

Result<Plan> plan_from_json(Problem const& problem, json const& value) {
  return guarded([&] { return read_plan(problem, value); });
}

}  // namespace gleaner::alloc
