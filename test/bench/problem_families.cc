// SPDX-License-Identifier: Apache-2.0
/// The families, and the moment at which a problem is posed.
#include "test/bench/problem_families.hh"

#include <algorithm>
#include <cmath>

namespace gleaner::bench {
namespace {

double real(std::mt19937& random, double least, double most) {
  return std::uniform_real_distribution<>(least, most)(random);
}

int whole(std::mt19937& random, int least, int most) {
  return std::uniform_int_distribution<>(least, std::max(least, most))(random);
}

template <class Speed>
void fill(alloc::Trainer* trainer, int nodes_min, int nodes_max, Speed speed) {
  trainer->nodes_min = nodes_min;
  trainer->nodes_max = nodes_max;
  trainer->speed.assign(static_cast<std::size_t>(nodes_max) + 1, 0);
  for (int k = nodes_min; k <= nodes_max; ++k)
    trainer->speed[static_cast<std::size_t>(k)] = speed(k);
}

/// Step time a + b/n + c·log2(n), as data-parallel trainings have it.
void measured(std::mt19937& random, int nodes, alloc::Trainer* trainer) {
  double const a = real(random, 0.01, 0.2), c = real(random, 0, 0.05);
  double const rate = real(random, 50, 5000);
  fill(trainer, whole(random, 1, 2), std::min(nodes, whole(random, 8, 64)),
       [&](int k) { return rate / (a + 1.0 / k + c * std::log2(k)); });
}

/// The same, measured with noise, so no longer concave.
void noisy(std::mt19937& random, int nodes, alloc::Trainer* trainer) {
  measured(random, nodes, trainer);
  for (auto& speed : trainer->speed) speed *= real(random, 0.95, 1.05);
}

void any(std::mt19937& random, int nodes, alloc::Trainer* trainer) {
  fill(trainer, 1, std::min(nodes, whole(random, 8, 64)),
       [&](int) { return real(random, 0, 100); });
}

void linear(std::mt19937&, int nodes, alloc::Trainer* trainer) {
  fill(trainer, 1, std::min(nodes, 64), [](int k) { return k; });
}

void steps(std::mt19937& random, int nodes, alloc::Trainer* trainer) {
  int const step = whole(random, 2, 9);
  fill(trainer, 1, std::min(nodes, 64), [&](int k) { return k / step; });
}

void powers_of_two(std::mt19937& random, int nodes, alloc::Trainer* trainer) {
  double const power = real(random, 0.85, 0.95);
  fill(trainer, 1, std::min(nodes, 64), [&](int k) {
    return std::pow(std::exp2(std::floor(std::log2(k))), power);
  });
}

void sawtooth(std::mt19937& random, int nodes, alloc::Trainer* trainer) {
  int const tooth = whole(random, 3, 12);
  fill(trainer, std::min(nodes, 8), std::min(nodes, 64), [&](int k) {
    return 0.95 * k - 0.3 * (k % tooth) + real(random, 0, 0.01);
  });
}

void one_even_size(std::mt19937& random, int nodes, alloc::Trainer* trainer) {
  int const only = std::min(nodes / 2 * 2, 2 * whole(random, 1, 20));
  fill(trainer, only, only, [](int k) { return k; });
}

void one_size_and_more(std::mt19937& random, int nodes,
                       alloc::Trainer* trainer) {
  int const only = std::min(nodes, whole(random, 5, 40));
  fill(trainer, only, only, [](int k) { return k + 3; });
}

void large_minimum(std::mt19937& random, int nodes, alloc::Trainer* trainer) {
  int const least = std::max(1, nodes * whole(random, 20, 100) / 1000);
  double const power = real(random, 0.8, 1);
  fill(trainer, least, std::min(nodes, whole(random, least, 2 * least)),
       [&](int k) { return std::pow(k, power); });
}

void minimum_beyond_pool(std::mt19937& random, int nodes,
                         alloc::Trainer* trainer) {
  int const least = whole(random, 0, 9) > 0 ? nodes + 1 : 1;
  fill(trainer, least, std::max(least, 64),
       [](int k) { return std::pow(k, 0.9); });
}

void dear(std::mt19937& random, int nodes, alloc::Trainer* trainer) {
  noisy(random, nodes, trainer);
  trainer->expand_s = trainer->shrink_s = 1e6;
}

void no_speed(std::mt19937&, int nodes, alloc::Trainer* trainer) {
  fill(trainer, 1, std::min(nodes, 64), [](int) { return 0; });
}

void wide(std::mt19937& random, int nodes, alloc::Trainer* trainer) {
  double const power = real(random, 0.6, 0.95), rate = real(random, 1, 10);
  fill(trainer, 1, nodes, [&](int k) { return rate * std::pow(k, power); });
}

void wide_any(std::mt19937& random, int nodes, alloc::Trainer* trainer) {
  fill(trainer, 1, nodes, [&](int) { return real(random, 0, 100); });
}

/// Trainers in order of arrival take nodes until nine in ten are taken; as
/// after a few events, many are not at a size that any policy would choose.
void take_nodes(std::mt19937& random, alloc::Problem* problem) {
  std::vector<alloc::NodeIndex> order;
  for (alloc::NodeIndex n = 0; n < problem->nodes.size(); ++n)
    if (whole(random, 0, 9) > 0) order.push_back(n);
  auto next = order.begin();
  auto const share = static_cast<int>(order.size() / problem->trainers.size());
  for (auto& trainer : problem->trainers) {
    if (whole(random, 0, 9) == 0) continue;  // waits
    int const wish = std::max(trainer.nodes_min, whole(random, 0, 2 * share));
    auto const count = std::min<std::ptrdiff_t>(
        std::min(wish, trainer.nodes_max), order.end() - next);
    if (count < trainer.nodes_min) continue;
    trainer.nodes.assign(next, next + count);
    next += count;
  }
}

}  // namespace

std::vector<Family> const& families() {
  static std::vector<Family> const all{
      {"measured", "step time a + b/n + c log2 n", measured},
      {"measured, ends", "half of the holes have known ends", measured, false,
       0.5},
      {"one campaign", "all trainers have the same curve", measured, true},
      {"noisy", "measured with 5 % noise: not concave", noisy},
      {"noisy, alike", "the same noisy curve for all", noisy, true},
      {"any", "each speed at random", any},
      {"any, alike", "the same random curve for all", any, true},
      {"linear", "all plans are worth the same", linear, true},
      {"steps", "gains at multiples of 2 to 9 only", steps},
      {"steps, alike", "the same steps for all", steps, true},
      {"powers of two", "gains at 1, 2, 4, … only", powers_of_two},
      {"sawtooth", "teeth of 3 to 12 nodes, minimum 8", sawtooth},
      {"sawtooth, alike", "the same teeth for all", sawtooth, true},
      {"one even size", "all or nothing, subset sum", one_even_size},
      {"one size and more", "all or nothing, strongly correlated",
       one_size_and_more},
      {"minimum > pool", "nine in ten can never run", minimum_beyond_pool},
      {"dear", "resizes cost more than they gain", dear},
      {"no speed", "nothing is worth anything", no_speed},
      {"large minimum", "at least 2 to 10 % of all nodes", large_minimum},
      {"large, alike", "the same large minimum for all", large_minimum, true},
      {"wide", "each could use all nodes", wide},
      {"wide, any", "each could use all nodes, at random", wide_any},
  };
  return all;
}

alloc::Problem make_problem(Family const& family, std::mt19937& random,
                            int nodes, int trainers) {
  alloc::Problem problem;
  problem.hole_s_min = family.known_ends > 0 ? 30 : 0;
  double idle_s = 0;
  for (int n = 0; n < nodes; ++n) {
    if (whole(random, 0, 3) == 0) idle_s = whole(random, 0, 7200);
    alloc::Node node{"n" + std::to_string(n), {}, 1, idle_s};
    if (real(random, 0, 1) < family.known_ends)
      node.hole_s = real(random, 0, 600);
    problem.nodes.push_back(std::move(node));
  }
  auto const seed = random();
  for (int i = 0; i < trainers; ++i) {
    alloc::Trainer trainer;
    trainer.id = std::to_string(i);
    trainer.expand_s = real(random, 10, 40);
    trainer.shrink_s = trainer.expand_s / 3;
    trainer.start_s = trainer.expand_s;
    trainer.work_left = real(random, 1e3, 1e8);
    std::mt19937 same(seed);
    family.shape(family.are_alike ? same : random, nodes, &trainer);
    problem.trainers.push_back(std::move(trainer));
  }
  take_nodes(random, &problem);
  return problem;
}

}  // namespace gleaner::bench
