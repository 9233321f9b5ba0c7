// SPDX-License-Identifier: Apache-2.0
#include "sim/knowledge.hh"

#include <algorithm>
#include <cmath>

#include "alloc/speed_outline.hh"

namespace gleaner::sim {
namespace {

using Of = KnowledgeOptions::Of;
using Families = KnowledgeOptions::Families;

/// Turns samples into steps where the global batch is not known.
constexpr double step_samples_unknown = 4096;

/// How measuring errs: single steps, a generation on its nodes, parts of a
/// step.
constexpr double step_noise = 0.04;
constexpr double generation_noise = 0.01;
constexpr double part_noise = 0.03;
/// Of a step, outside of program and sums.
constexpr double elsewhere_share = 0.01;

/// The member with the largest share of a batch has so many times the mean.
double largest_over_mean(std::uint64_t batch, std::size_t members) {
  if (batch == 0) return 1;
  auto const share = (batch + members - 1) / members;
  return static_cast<double>(share * members) / static_cast<double>(batch);
}

}  // namespace

Knowledge::Knowledge(KnowledgeOptions options,
                     std::vector<Training> const& trainings)
    : options_(options),
      trainings_(trainings),
      watched_(trainings.size()),
      random_(options.seed) {}

Knowledge::Watched& Knowledge::of(Trainer const& trainer) {
  return watched_[static_cast<std::size_t>(trainer.training -
                                           trainings_.data())];
}

void Knowledge::changed(Trainer const& trainer) {
  auto& watched = of(trainer);
  ++watched.generation;
  watched.settled_s = 0;
  watched.next_s = options_.settled_s;
  watched.generation_off =
      1 + std::normal_distribution<>(0, generation_noise)(random_);
}

void Knowledge::pass(Trainer const& trainer, double settled_s, double now_s) {
  if (settled_s <= 0 || trainer.rate() <= 0) return;
  auto& watched = of(trainer);
  watched.settled_s += settled_s;
  // A hair early, or rounding makes it wait for the next event.
  if (watched.settled_s < watched.next_s * (1 - 1e-9)) return;
  if (options_.of == Of::advisor) measure(trainer, watched, now_s);
  watched.next_s = 4 * watched.settled_s;
}

std::optional<double> Knowledge::measured_in_s(Trainer const& trainer) const {
  if (trainer.rate() <= 0) return {};
  auto const& watched =
      watched_[static_cast<std::size_t>(trainer.training - trainings_.data())];
  if (watched.next_s != options_.settled_s) return {};
  return std::max(0.0, watched.next_s - watched.settled_s);
}

void Knowledge::measure(Trainer const& trainer, Watched& watched,
                        double now_s) {
  auto const normal = [&](double deviation) {
    return std::normal_distribution<>(0, deviation)(random_);
  };
  auto const batch = trainer.training->batch;
  double const step_samples =
      batch > 0 ? static_cast<double>(batch) : step_samples_unknown;
  double const true_s = step_samples / trainer.rate();
  auto const nodes = trainer.nodes.size();
  double const alone_s = step_samples / trainer.training->one_node_rate /
                         static_cast<double>(nodes);
  double const compute_s = std::min(alone_s, true_s) * (1 - elsewhere_share);
  profile::Pace pace;
  pace.generation = watched.generation;
  pace.nodes = pace.members = static_cast<int>(nodes);
  pace.steps =
      static_cast<std::uint64_t>(std::max(1.0, watched.settled_s / true_s));
  double const median =
      1.25 * step_noise / std::sqrt(static_cast<double>(pace.steps));
  pace.step_s = true_s * watched.generation_off * (1 + normal(median));
  pace.step_spread_s = 1.349 * step_noise * pace.step_s;
  pace.compute_s =
      compute_s * watched.generation_off * (1 + normal(part_noise));
  pace.compute_s = std::min(pace.compute_s, pace.step_s);
  pace.compute_max_s =
      std::min(pace.compute_s * largest_over_mean(batch, nodes), pace.step_s);
  double const longest_s =
      std::min(compute_s * largest_over_mean(batch, nodes), true_s);
  double const exposed_s =
      std::max(0.0, (1 - elsewhere_share) * true_s - longest_s);
  pace.exposed_s = exposed_s * std::max(0.0, 1 + normal(3 * part_noise));
  // Its family shows with its first pace.
  if (watched.measured_since_s < 0) {
    watched.measured_since_s = now_s;
    profile::Traits traits;
    traits.global_batch = batch;
    watched.advisor.set_traits(traits);
    if (options_.families == Families::shared)
      watched.advisor.set_prior(taught(trainer.training->model));
  }
  watched.advisor.add(pace);
  watched.fresh = true;
  watched.measured_nodes = pace.nodes;
  watched.measured_steps = pace.steps;
  if (options_.families == Families::shared) teach(trainer, watched);
}

void Knowledge::teach(Trainer const& trainer, Watched const& watched) {
  families_[trainer.training->model]
      .running[static_cast<std::size_t>(trainer.training - trainings_.data())] =
      watched.advisor.learned();
}

profile::Learned Knowledge::taught(std::string const& model) const {
  auto const family = families_.find(model);
  if (family == families_.end()) return {};
  auto all = family->second.ended;
  for (auto const& [place, learned] : family->second.running)
    all = profile::merged(all, learned);
  return all;
}

void Knowledge::finished(Trainer const& trainer) {
  auto const family = families_.find(trainer.training->model);
  if (family == families_.end()) return;
  auto const place =
      static_cast<std::size_t>(trainer.training - trainings_.data());
  auto const own = family->second.running.find(place);
  if (own == family->second.running.end()) return;
  family->second.ended = profile::merged(family->second.ended, own->second);
  family->second.running.erase(own);
}

std::optional<profile::Subject> Knowledge::subject(Trainer const& trainer,
                                                   double now_s) const {
  auto const& watched =
      watched_[static_cast<std::size_t>(trainer.training - trainings_.data())];
  if (watched.measured_since_s < 0) return {};
  profile::Subject subject;
  subject.id = trainer.training->id;
  if (options_.families == Families::shared)
    subject.family = trainer.training->model;
  subject.advisor = &watched.advisor;
  subject.nodes_min = trainer.training->nodes_min;
  subject.nodes_max = trainer.training->nodes_max;
  subject.members_nodes = watched.measured_nodes;
  subject.steps = watched.measured_steps;
  subject.measured_in_s = options_.settled_s;
  subject.trained_s = now_s - watched.measured_since_s;
  return subject;
}

std::vector<double> Knowledge::curve(Training const& training) {
  auto const nodes_max = training.nodes_max;
  auto told = training.speed;
  if (options_.of == Of::truth) return told;
  double const exponent =
      std::uniform_int_distribution<>(0, 1)(random_) == 0 ? 1 : -1;
  double const doublings = std::max(1.0, std::log2(nodes_max));
  for (int k = training.nodes_min; k <= nodes_max; ++k) {
    auto& speed = told[static_cast<std::size_t>(k)];
    if (options_.of == Of::users)
      speed *=
          std::pow(options_.users_off, exponent * std::log2(k) / doublings);
    else
      speed = training.one_node_rate * std::pow(k, 0.95);
  }
  return told;
}

/// As gleanerd does: without any measurement it is the guess, for all alike.
void Knowledge::tell_advice(Training const& training, Watched const& watched,
                            alloc::Trainer& asked) const {
  auto const advice = watched.advisor.advise(training.nodes_max);
  asked.speed = advice.mean;
  asked.speed_low = advice.low;
  asked.speed_high = advice.high;
  asked.nodes_tried = advice.nodes_seen_max;
  for (auto* list : {&asked.speed, &asked.speed_low, &asked.speed_high})
    std::fill_n(list->begin(), training.nodes_min, 0.0);
}

void Knowledge::tell(Trainer const& trainer, alloc::Trainer& asked) {
  auto& watched = of(trainer);
  if (!watched.fresh) return;
  watched.fresh = false;
  if (watched.measured_since_s >= 0)
    tell_advice(*trainer.training, watched, asked);
  else
    asked.speed = curve(*trainer.training);
  asked.outline = alloc::outline_of(asked.speed);
}

}  // namespace gleaner::sim
