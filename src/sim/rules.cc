// SPDX-License-Identifier: Apache-2.0
/// The two ways of counting.
#include "sim/rules.hh"

#include <algorithm>

namespace gleaner::sim {
namespace {

class LumpRules final : public Rules {
 public:
  explicit LumpRules(LumpCosts costs) : costs_(costs) {}

  TrainerCosts costs(Training const& training) const override {
    return {training.expand_s, training.shrink_s,
            costs_.charge_start ? training.expand_s : 0};
  }

  Progress pass(Trainer& trainer, double length_s, End end) const override {
    Progress progress;
    progress.rescale_cost = trainer.owed_samples;
    if (end == End::loss)
      progress.preempt_cost = trainer.training->shrink_s * trainer.rate();
    progress.made = length_s * trainer.rate() - progress.rescale_cost -
                    progress.preempt_cost;
    trainer.owed_samples = 0;
    return progress;
  }

  void resized(Trainer& trainer, std::size_t before) const override {
    auto const& training = *trainer.training;
    if (before == 0)
      trainer.owed_samples = costs(training).start_s * trainer.rate();
    else
      trainer.owed_samples =
          training.speed[before] * (trainer.nodes.size() > before
                                        ? training.expand_s
                                        : training.shrink_s);
  }

  double unsettled_s(Trainer const&) const override { return 0; }

  bool looks_between_changes() const override { return false; }

  std::optional<double> finishes_in_s(Trainer const& trainer) const override {
    if (trainer.rate() <= 0) return {};
    return (trainer.left_samples() + trainer.owed_samples) / trainer.rate();
  }

 private:
  LumpCosts costs_;
};

class PhaseRules final : public Rules {
 public:
  explicit PhaseRules(PhaseCosts costs) : costs_(costs) {}

  /// A start is not training time lost: nothing trained there before.  But
  /// nodes that prepare do nothing else, and that is what it costs to begin.
  TrainerCosts costs(Training const&) const override {
    return {costs_.stall_s, costs_.stall_s,
            costs_.prepare_s + costs_.node_start_s};
  }

  Progress pass(Trainer& trainer, double length_s, End end) const override {
    Progress progress;
    double left_s = length_s;
    auto const spend = [&](double& phase_s) {
      double const spent_s = std::min(left_s, phase_s);
      phase_s -= spent_s;
      left_s -= spent_s;
      return spent_s;
    };
    double const repaired_s = spend(trainer.repairing_s);
    trainer.preparing_s = std::max(0.0, trainer.preparing_s - repaired_s);
    progress.made = spend(trainer.preparing_s) * early_rate(trainer);
    if (trainer.preparing_s == 0) {
      spend(trainer.stalled_s);
      trainer.ready = trainer.nodes.size();
      progress.made += left_s * trainer.rate();
    }
    progress.rescale_cost =
        std::max(0.0, length_s * trainer.rate() - progress.made);
    if (end == End::loss) {
      progress.preempt_cost = costs_.loss_s * early_rate(trainer);
      trainer.repairing_s += costs_.loss_s;
    }
    return progress;
  }

  void resized(Trainer& trainer, std::size_t before) const override {
    auto const after = trainer.nodes.size();
    if (trainer.ready != 0) trainer.stalled_s += costs_.stall_s;
    if (after == trainer.ready) trainer.preparing_s = 0;
    if (after > before)
      trainer.preparing_s =
          std::max(trainer.preparing_s,
                   costs_.prepare_s + costs_.node_start_s *
                                          static_cast<double>(after - before));
  }

  double unsettled_s(Trainer const& trainer) const override {
    return std::max(trainer.repairing_s, trainer.preparing_s) +
           trainer.stalled_s;
  }

  bool looks_between_changes() const override { return true; }

  std::optional<double> finishes_in_s(Trainer const& trainer) const override {
    double const left = trainer.left_samples();
    double const early_s =
        std::max(0.0, trainer.preparing_s - trainer.repairing_s);
    double const early = early_rate(trainer);
    if (early > 0 && early * early_s >= left)
      return trainer.repairing_s + left / early;
    if (trainer.rate() <= 0) return {};
    return unsettled_s(trainer) + (left - early * early_s) / trainer.rate();
  }

 private:
  /// Samples/s of the nodes that are ready.
  static double early_rate(Trainer const& trainer) {
    return trainer.training->speed[trainer.ready];
  }

  PhaseCosts costs_;
};

}  // namespace

std::unique_ptr<Rules> lump_rules(LumpCosts costs) {
  return std::make_unique<LumpRules>(costs);
}

std::unique_ptr<Rules> phase_rules(PhaseCosts costs) {
  return std::make_unique<PhaseRules>(costs);
}

}  // namespace gleaner::sim
