// SPDX-License-Identifier: Apache-2.0
#include "cli/report/event_log.hh"

#include <algorithm>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>

namespace gleaner::cli {
namespace {

using Json = nlohmann::json;

/// Nodes as a list of names or in Slurm's notation.
NodeSet nodes_of(Json const& json) {
  NodeSet nodes;
  if (json.is_array()) {
    for (auto const& name : json) nodes.insert(name.get<std::string>());
  } else if (auto parsed = NodeSet::parse(json.get<std::string>()); parsed) {
    nodes = *parsed;
  }
  return nodes;
}

class Reader {
 public:
  explicit Reader(double until_s) : until_s_(until_s) {}

  void line(Json const& json) {
    double const t = json.at("t").get<double>();
    if (until_s_ > 0 && t > until_s_) {
      trainer_.end_s = until_s_;  // it went on
      return;
    }
    auto const& event = json.at("event").get_ref<std::string const&>();
    if (json.contains("dataset_size"))
      trainer_.dataset_size = json["dataset_size"].get<std::uint64_t>();
    if (event == "start")
      on_start(json);
    else if (event == "continued")
      on_continued(t, json);
    else if (event == "generation")
      on_generation(t, json);
    else if (event == "resize")
      on_resize(t, json);
    else if (event == "step")
      on_step(t, json);
    else if (event == "log")
      on_log(t, json);
    else if (event == "rollback")
      on_rollback(t, json);
    else if (event == "member_lost")
      ++trainer_.members_lost;
    else if (event == "error")
      trainer_.errors.push_back(json.at("what"));
    else if (event == "finish")
      trainer_.code = json.at("code").get<int>();
    trainer_.end_s = t;
  }

  TrainerHistory take() {
    for (auto const& [step, sum] : losses_)
      trainer_.losses.push_back({sum.t_s, step, sum.loss / sum.n});
    for (auto const& [step, max_ms] : loader_waits_ms_)
      trainer_.loader_waits.push_back({step, max_ms});
    return std::move(trainer_);
  }

 private:
  void on_start(Json const& json) {
    trainer_.job = json.at("job").get<JobId>();
    auto const argv = json.value("argv", std::vector<std::string>{});
    if (!argv.empty())
      trainer_.name = argv[0].substr(argv[0].find_last_of('/') + 1);
  }

  /// Begins a part of the log.  It says something new only if the parts before
  /// are gone: then nothing at all was read yet.
  void on_continued(double t, Json const& json) {
    if (trainer_.end_s) return;
    if (json.contains("job")) on_start(json);
    if (json.contains("generation")) on_generation(t, json["generation"]);
    if (json.contains("pass"))
      trainer_.audit.begin_within(json["pass"].get<std::uint64_t>());
  }

  void on_generation(double t, Json const& json) {
    trainer_.generations.push_back(
        {t, json.at("generation").get<std::uint64_t>(),
         json.at("kind").get<std::string>(), json.at("from").get<int>(),
         json.at("to").get<int>(), nodes_of(json.at("nodes"))});
  }

  void on_resize(double t, Json const& json) {
    trainer_.resizes.push_back(
        {t, json.at("kind").get<std::string>(), json.at("from").get<int>(),
         json.at("to").get<int>(), json.at("prepare_s").get<double>(),
         json.at("stall_s").get<double>()});
  }

  void on_step(double t, Json const& json) {
    auto const step = json.at("step").get<msg::Step>();
    trainer_.steps.push_back(
        {t, step, json.at("samples_seen").get<std::uint64_t>(),
         json.at("duration_s").get<double>(), json.at("world").get<int>()});
    std::vector<msg::Interval> taken;
    for (auto const& pair : json.at("taken"))
      taken.push_back(
          {pair.at(0).get<std::uint64_t>(), pair.at(1).get<std::uint64_t>()});
    trainer_.audit.step(step, json.at("pass").get<std::uint64_t>(), taken);
  }

  void on_log(double t, Json const& json) {
    if (!json.at("value").is_number()) return;
    auto const n = json.at("n").get<double>();
    if (n <= 0) return;
    if (json.at("key") == "loss")
      on_loss(t, n, json);
    else if (json["key"] == "loader_wait_ms")
      on_loader_wait(json);
  }

  /// Each member reports the loss of its own samples.
  void on_loss(double t, double n, Json const& json) {
    LossSum& sum = losses_[json.at("step").get<msg::Step>()];
    sum.t_s = t;
    sum.loss += json["value"].get<double>() * n;
    sum.n += n;
  }

  /// Of a training's last steps each member's may come by itself.
  void on_loader_wait(Json const& json) {
    auto const mean_ms = json["value"].get<double>();
    double& max_ms = loader_waits_ms_[json.at("step").get<msg::Step>()];
    max_ms = std::max(max_ms, json.value("max", mean_ms));
  }

  /// No member with state is left: nothing trains until the next generation.
  void on_rollback(double t, Json const& json) {
    auto& generations = trainer_.generations;
    if (!generations.empty() && !generations.back().nodes.empty())
      generations.push_back(
          {t, generations.back().number, "loss", generations.back().to, 0, {}});
    auto const to_step = json.at("to_step").get<msg::Step>();
    note_undone(to_step);
    trainer_.audit.rollback(to_step);
    std::erase_if(trainer_.steps,
                  [&](auto const& s) { return s.step > to_step; });
    losses_.erase(losses_.upper_bound(to_step), losses_.end());
    loader_waits_ms_.erase(loader_waits_ms_.upper_bound(to_step),
                           loader_waits_ms_.end());
  }

  /// Steps are in order of number: what came before was rolled back already.
  void note_undone(msg::Step to_step) {
    auto const first =
        std::find_if(trainer_.steps.begin(), trainer_.steps.end(),
                     [&](auto const& s) { return s.step > to_step; });
    if (first == trainer_.steps.end()) return;
    auto const& last = trainer_.steps.back();
    Undone undone{
        {first->t_s - first->duration_s, last.t_s}, to_step, last.step, {}};
    for (auto it = losses_.upper_bound(to_step); it != losses_.end(); ++it)
      undone.losses.push_back(
          {it->second.t_s, it->first, it->second.loss / it->second.n});
    trainer_.undone.push_back(std::move(undone));
  }

  struct LossSum {
    double t_s = 0;
    double loss = 0;
    double n = 0;
  };
  double until_s_;
  TrainerHistory trainer_;
  std::map<msg::Step, LossSum> losses_;
  std::map<msg::Step, double> loader_waits_ms_;  ///< the longest of a step
};

}  // namespace

Result<TrainerHistory> parse_event_log(std::string_view text, double until_s) {
  Reader reader(until_s);
  int number = 1;
  for (std::size_t end; (end = text.find('\n')) != text.npos; ++number) {
    auto const line = text.substr(0, end);
    text.remove_prefix(end + 1);
    try {
      if (!line.empty()) reader.line(Json::parse(line));
    } catch (Json::exception const& error) {
      return Error{Errc::invalid_argument,
                   "line " + std::to_string(number) +
                       " of the event log: " + error.what()};
    }
  }
  return reader.take();
}

}  // namespace gleaner::cli
