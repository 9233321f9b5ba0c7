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
    double const preparing = std::min(length_s, trainer.preparing_s);
    double const stalled = std::min(length_s - preparing, trainer.stalled_s);
    progress.made =
        preparing * std::min(trainer.preparing_rate, trainer.rate()) +
        (length_s - preparing - stalled) * trainer.rate();
    progress.rescale_cost = length_s * trainer.rate() - progress.made;
    trainer.preparing_s -= preparing;
    trainer.stalled_s -= stalled;
    if (end == End::loss) {
      // Whoever was to join is started anew, with the survivors' next plan.
      progress.preempt_cost = costs_.loss_s * trainer.rate();
      trainer.preparing_s = 0;
      trainer.stalled_s += costs_.loss_s;
    }
    return progress;
  }

  void resized(Trainer& trainer, std::size_t before) const override {
    auto const after = trainer.nodes.size();
    trainer.preparing_rate = trainer.training->speed[std::min(before, after)];
    trainer.preparing_s =
        after <= before
            ? 0
            : costs_.prepare_s +
                  costs_.node_start_s * static_cast<double>(after - before);
    if (before != 0) trainer.stalled_s += costs_.stall_s;
  }

  bool looks_between_changes() const override { return true; }

  std::optional<double> finishes_in_s(Trainer const& trainer) const override {
    double const early = std::min(trainer.preparing_rate, trainer.rate());
    double const left = trainer.left_samples();
    if (early * trainer.preparing_s >= left && early > 0) return left / early;
    if (trainer.rate() <= 0) return {};
    return trainer.preparing_s + trainer.stalled_s +
           (left - early * trainer.preparing_s) / trainer.rate();
  }

 private:
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
