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
  std::uint64_t seed = 1;
};

class Knowledge {
 public:
  /// `trainings` must outlive this.
  Knowledge(KnowledgeOptions options, std::vector<Training> const& trainings);

  /// It trains at another size now.
  void changed(Trainer const& trainer);
  /// So long it trained, all at one size; below 0: it did not.
  void pass(Trainer const& trainer, double settled_s);
  /// How long it must still be settled until its size is measured; none: it
  /// was, or nobody measures.
  std::optional<double> measured_in_s(Trainer const& trainer) const;
  /// Write the curve, where there is another one than last time.
  void tell(Trainer const& trainer, gleaner::Trainer& asked);

 private:
  /// Of one training.
  struct Watched {
    Advisor advisor;
    std::uint64_t generation = 0;
    double settled_s = 0;       ///< of this generation
    double next_s = 0;          ///< when that has grown so far, it is measured
    double generation_off = 0;  ///< this generation's luck, as a factor
    bool measured = false;      ///< at any time
    bool fresh = true;          ///< there is something new to tell
  };

  Watched& of(Trainer const& trainer);
  void measure(Trainer const& trainer, Watched& watched);
  std::vector<double> curve(Training const& training, Watched& watched);

  KnowledgeOptions options_;
  std::vector<Training> const& trainings_;
  std::vector<Watched> watched_;            ///< by place among trainings
  std::map<std::string, Learned> library_;  ///< by model
  std::mt19937_64 random_;
};

}  // namespace gleaner::sim
