// SPDX-License-Identifier: Apache-2.0
#include "runtime/coordinator/replacements.hh"

#include <algorithm>
#include <utility>

namespace gleaner::coordinator {
namespace {

constexpr double pause_s_min = 0.25;
constexpr double pause_s_max = 30;
constexpr double lived_long_s = 10;

}  // namespace

void Replacements::lost(double now_s, Fate fate) {
  if (waiting_ > 0 && ++waiting_) return;
  if (fate == Fate::trained) {
    vain_ = 0;
    if (now_s - started_s_ > lived_long_s) pause_s_ = 0;
  } else if (given_up() || ++vain_ == vain_max) {
    return;
  }
  waiting_ = 1;
  due_s_ = now_s + pause_s_;
  pause_s_ = std::clamp(2 * pause_s_, pause_s_min, pause_s_max);
}

int Replacements::take_due(double now_s) {
  return now_s < due_s_ ? 0 : std::exchange(waiting_, 0);
}

}  // namespace gleaner::coordinator
