// SPDX-License-Identifier: Apache-2.0
#include "sim/engine.hh"

#include <algorithm>
#include <chrono>
#include <utility>

#include "core/contract.hh"

namespace gleaner::sim {
namespace {

/// A decision in production may not take longer either.
constexpr std::chrono::milliseconds solve_limit(10000);

/// Less than this part of the work left is rounding.
constexpr double rounding = 1e-9;

bool is_finished(Trainer const& trainer) {
  return trainer.left_samples() <= rounding * trainer.training->work_samples;
}

}  // namespace

Engine::Engine(std::vector<Training> const& trainings, HoleSource& holes,
               alloc::Allocator& allocator, Rules const& rules,
               EngineOptions options)
    : trainings_(trainings),
      holes_(holes),
      allocator_(allocator),
      rules_(rules),
      options_(options),
      knowledge_(options.knowledge, trainings),
      visits_(options.knowledge.of == KnowledgeOptions::Of::advisor &&
                      rules.looks_between_changes()
                  ? options.knowledge.profile_share
                  : 0),
      lent_(holes.nodes().size()),
      idle_since_s_(holes.nodes().size()) {
  for (auto const& training : trainings) waiting_.push_back(&training);
  problem_.forward_looking_s = options.forward_looking_s;
  outcome_.trainings = static_cast<int>(trainings.size());
}

Outcome Engine::run(std::function<void(double)> const& progress) {
  admit();
  while (!is_over()) {
    auto const next = next_s();
    if (!next || *next > options_.until_s) {
      // Holes that have no further change may still last.
      if (options_.until_s < std::numeric_limits<double>::infinity())
        pass(options_.until_s, {});
      break;
    }
    HoleChange change;
    if (holes_.next_s() == next) change = holes_.advance(lent_);
    pass(*next, change.leavers);
    take_leavers(change.leavers);
    retire_finished();
    std::erase_if(free_, [&](NodeNumber node) {
      return std::find(change.leavers.begin(), change.leavers.end(), node) !=
             change.leavers.end();
    });
    join(change.joiners);
    admit();
    if (is_over()) break;
    solve();
    if (progress) progress(now_s_);
  }
  outcome_.length_s = now_s_;
  outcome_.visits = visits_.made();
  outcome_.visits_given_up = visits_.given_up();
  outcome_.visits_node_s = visits_.spent_node_s();
  return std::move(outcome_);
}

/// The next change of the holes, or an earlier moment the rules care for.
std::optional<double> Engine::next_s() const {
  auto next = holes_.next_s();
  if (!rules_.looks_between_changes()) return next;
  // A recording that is over says nothing of what is idle.
  if (!next && options_.until_s == std::numeric_limits<double>::infinity())
    return {};
  auto const also = [&](double t_s) {
    next = std::min(next.value_or(t_s), t_s);
  };
  for (auto const& trainer : trainers_) {
    if (auto const in_s = rules_.finishes_in_s(trainer)) also(now_s_ + *in_s);
    if (auto const in_s = knowledge_.measured_in_s(trainer))
      also(now_s_ + rules_.unsettled_s(trainer) + *in_s);
  }
  if (auto const t_s = visits_.next_s()) also(std::max(now_s_, *t_s));
  if (!waiting_.empty() && waiting_.front()->submit_s > now_s_)
    also(waiting_.front()->submit_s);
  return next;
}

void Engine::pass(double until_s, std::vector<NodeNumber> const& leavers) {
  EXPECT(until_s >= now_s_, until_s, now_s_);
  Interval interval{now_s_, until_s, static_cast<int>(free_.size())};
  interval.resizes = std::exchange(resizes_, 0);
  double const length_s = until_s - now_s_;
  std::vector<bool> leaving(leavers.empty() ? 0 : lent_.size());
  for (NodeNumber node : leavers) leaving[node] = true;
  for (auto& trainer : trainers_) {
    interval.used += static_cast<int>(trainer.nodes.size());
    ++(trainer.nodes.empty() ? interval.waiting : interval.trainers);
    bool const loses =
        !leavers.empty() &&
        std::any_of(trainer.nodes.begin(), trainer.nodes.end(),
                    [&](NodeNumber node) { return leaving[node]; });
    knowledge_.pass(trainer, length_s - rules_.unsettled_s(trainer), until_s);
    auto const progress = rules_.pass(
        trainer, length_s, loses ? Rules::End::loss : Rules::End::quiet);
    double const made = std::min(progress.made, trainer.left_samples());
    trainer.done_samples += made;
    interval.made_samples += made;
    interval.losses += loses;
    outcome_.made_node_s += made / trainer.training->one_node_rate;
    outcome_.rescale_cost += progress.rescale_cost;
    outcome_.preempt_cost += progress.preempt_cost;
  }
  interval.idle += interval.used;
  outcome_.idle_node_s += length_s * interval.idle;
  outcome_.used_node_s += length_s * interval.used;
  outcome_.made_samples += interval.made_samples;
  outcome_.preempts += interval.losses;
  outcome_.intervals.push_back(interval);
  now_s_ = until_s;
}

void Engine::take_leavers(std::vector<NodeNumber> const& leavers) {
  for (NodeNumber node : leavers) {
    if (!lent_[node]) continue;
    for (auto& trainer : trainers_) {
      auto const at =
          std::find(trainer.nodes.begin(), trainer.nodes.end(), node);
      if (at == trainer.nodes.end()) continue;
      trainer.drop(static_cast<std::size_t>(at - trainer.nodes.begin()));
      knowledge_.changed(trainer);
      break;
    }
    hand_over(node, -1);
  }
}

void Engine::retire_finished() {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < trainers_.size(); ++i) {
    if (!is_finished(trainers_[i])) {
      if (kept != i) {
        trainers_[kept] = std::move(trainers_[i]);
        problem_.trainers[kept] = std::move(problem_.trainers[i]);
      }
      ++kept;
      continue;
    }
    knowledge_.finished(trainers_[i]);
    for (NodeNumber node : trainers_[i].nodes) {
      hand_over(node, -1);
      free_.push_back(node);
    }
    ++outcome_.finished;
  }
  trainers_.resize(kept);
  problem_.trainers.resize(kept);
}

void Engine::join(std::vector<NodeNumber> const& joiners) {
  for (NodeNumber node : joiners) idle_since_s_[node] = now_s_;
  free_.insert(free_.end(), joiners.begin(), joiners.end());
}

void Engine::admit() {
  while (static_cast<int>(trainers_.size()) < options_.trainers_max &&
         !waiting_.empty() && waiting_.front()->submit_s <= now_s_) {
    auto const& training = *waiting_.front();
    waiting_.pop_front();
    trainers_.emplace_back().training = &training;
    auto& asked = problem_.trainers.emplace_back();
    asked.id = training.id;
    asked.nodes_min = training.nodes_min;
    asked.nodes_max = training.nodes_max;
    auto const costs = options_.told_costs.value_or(rules_.costs(training));
    asked.expand_s = costs.expand_s;
    asked.shrink_s = costs.shrink_s;
    asked.start_s = costs.start_s;
  }
}

void Engine::solve() {
  problem_.nodes.clear();
  problem_nodes_.clear();
  auto const offer = [&](NodeNumber number) {
    alloc::Node node;
    node.name = holes_.nodes()[number];
    if (auto const end_s = holes_.end_s(number)) node.hole_s = *end_s - now_s_;
    node.idle_s = now_s_ - idle_since_s_[number];
    problem_.nodes.push_back(std::move(node));
    problem_nodes_.push_back(number);
    return static_cast<alloc::NodeIndex>(problem_nodes_.size() - 1);
  };
  for (NodeNumber node : free_) offer(node);
  for (std::size_t i = 0; i < trainers_.size(); ++i) {
    auto& asked = problem_.trainers[i];
    asked.nodes.clear();
    for (NodeNumber node : trainers_[i].nodes)
      asked.nodes.push_back(offer(node));
    asked.work_left = trainers_[i].left_samples();
    knowledge_.tell(trainers_[i], asked);
  }
  problem_.trainers_waiting = 0;
  for (auto const* training : waiting_)
    problem_.trainers_waiting += training->submit_s <= now_s_;
  auto const began = std::chrono::steady_clock::now();
  auto decision = allocator_.allocate(problem_, solve_limit);
  if (decision)
    decision->plan = visits_.change(std::move(decision->plan), problem_,
                                    trainers_, knowledge_, allocator_, now_s_);
  std::chrono::duration<double, std::milli> const took =
      std::chrono::steady_clock::now() - began;
  outcome_.solve_ms.push_back(took.count());
  if (decision)
    apply(decision->plan);
  else
    ++outcome_.solves_failed;
}

void Engine::apply(alloc::Plan const& plan) {
  EXPECT(plan.size() == trainers_.size(), plan.size(), trainers_.size());
  std::vector<bool> planned(problem_nodes_.size());
  for (auto const& nodes : plan)
    for (alloc::NodeIndex node : nodes) {
      EXPECT(node < planned.size() && !planned[node], node, planned.size());
      planned[node] = true;
    }
  std::size_t free = 0;
  for (std::size_t place = 0; place < free_.size(); ++place)
    if (!planned[place]) free_[free++] = free_[place];
  free_.resize(free);
  for (std::size_t i = 0; i < plan.size(); ++i)
    for (alloc::NodeIndex node : problem_.trainers[i].nodes)
      if (!planned[node]) {
        free_.push_back(problem_nodes_[node]);
        hand_over(problem_nodes_[node], -1);
      }
  for (std::size_t i = 0; i < plan.size(); ++i) {
    auto& trainer = trainers_[i];
    if (plan[i] == problem_.trainers[i].nodes) continue;
    auto const before = trainer.nodes.size();
    auto const& held = problem_.trainers[i].nodes;
    trainer.ready = static_cast<std::size_t>(std::count_if(
        held.begin(), held.begin() + static_cast<std::ptrdiff_t>(trainer.ready),
        [&](alloc::NodeIndex node) {
          return std::find(plan[i].begin(), plan[i].end(), node) !=
                 plan[i].end();
        }));
    trainer.nodes.clear();
    for (alloc::NodeIndex node : plan[i]) {
      trainer.nodes.push_back(problem_nodes_[node]);
      hand_over(problem_nodes_[node],
                static_cast<int>(trainer.training - trainings_.data()));
    }
    rules_.resized(trainer, before);
    knowledge_.changed(trainer);
    ++resizes_;
    ++outcome_.rescales;
  }
}

void Engine::hand_over(NodeNumber node, int training) {
  EXPECT(node < lent_.size(), node, lent_.size());
  lent_[node] = training >= 0;
  if (options_.handovers == EngineOptions::Handovers::record)
    outcome_.handovers.push_back({now_s_, node, training});
}

}  // namespace gleaner::sim
