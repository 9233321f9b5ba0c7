// SPDX-License-Identifier: Apache-2.0
/// What is the policy told of how trainings scale?
///
/// With `advisor` the true curve is hidden: what a generation shows once it has
/// been settled for a while, with noise, goes to an Advisor, as in gleanerd,
/// and the policy gets its advice.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "alloc/allocator.hh"
#include "profile/advisor.hh"
#include "profile/profile_desk.hh"
#include "sim/rules.hh"

namespace gleaner::sim {

struct KnowledgeOptions {
  enum class Of {
    truth,
    guess,    ///< k^0.95 times the speed on one node
    users,    ///< the truth, wrong by users_off at nodes_max, either way
    advisor,  ///< what was measured, and the advisor's population
  } of = Of::truth;
  /// Whether trainings of the same model are told what earlier ones learned.
  enum class Families { own, shared } families = Families::own;
  double users_off = 2;
  double settled_s = 20;  ///< a generation is measured after so long
  /// advisor: part of the lent node time for measuring on purpose.
  double profile_share = 0.005;
  std::uint64_t seed = 1;
};

class Knowledge {
 public:
  /// `trainings` must outlive this.
  Knowledge(KnowledgeOptions options, std::vector<Training> const& trainings);

  /// It trains at another size now.
  void changed(Trainer const& trainer);
  /// So long it trained until now, all at one size; below 0: it did not.
  void pass(Trainer const& trainer, double settled_s, double now_s);
  /// How long it must still be settled until its size is measured; none: it
  /// was.  The same whatever is made of it, so that all kinds of knowledge are
  /// asked for a plan at such moments.
  std::optional<double> measured_in_s(Trainer const& trainer) const;
  /// Its work is done: what it taught is for the next.
  void finished(Trainer const& trainer);
  /// Write the curve, where there is another one than last time.
  void tell(Trainer const& trainer, alloc::Trainer& asked);
  /// What there is to decide from whether to measure it on purpose; none: it
  /// was not measured at all.
  std::optional<profile::Subject> subject(Trainer const& trainer,
                                          double now_s) const;

 private:
  /// Of one training.
  struct Watched {
    profile::Advisor advisor;
    std::uint64_t generation = 0;
    double settled_s = 0;       ///< of this generation
    double next_s = 0;          ///< when that has grown so far, it is measured
    double generation_off = 0;  ///< this generation's luck, as a factor
    double measured_since_s = -1;  ///< below 0: never
    int measured_nodes = 0;        ///< by the latest pace, and its steps
    std::uint64_t measured_steps = 0;
    bool fresh = true;  ///< there is something new to tell
  };
  /// Each training counts once, as in gleanerd.
  struct Family {
    profile::Learned ended;
    std::map<std::size_t, profile::Learned>
        running;  ///< by place among trainings
  };

  Watched& of(Trainer const& trainer);
  void measure(Trainer const& trainer, Watched& watched, double now_s);
  void teach(Trainer const& trainer, Watched const& watched);
  profile::Learned taught(std::string const& model) const;
  std::vector<double> curve(Training const& training);
  void tell_advice(Training const& training, Watched const& watched,
                   alloc::Trainer& asked) const;

  KnowledgeOptions options_;
  std::vector<Training> const& trainings_;
  std::vector<Watched> watched_;            ///< by place among trainings
  std::map<std::string, Family> families_;  ///< by model
  std::mt19937_64 random_;
};

}  // namespace gleaner::sim
