// SPDX-License-Identifier: Apache-2.0
/// Writing and reading the marks.
#include "slurm/admin_comment.hh"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/importance.hh"

namespace gleaner::slurm {
namespace {

constexpr std::string_view trainer_prefix = "gleaner:trainer nodes=";
constexpr std::string_view lease_prefix = "gleaner:lease trainer=";

/// Drop `prefix` from the front of `text`; false when it is not there.
bool skip(std::string_view* text, std::string_view prefix) {
  if (text->substr(0, prefix.size()) != prefix) return false;
  text->remove_prefix(prefix.size());
  return true;
}

/// Drop a whole number from the front of `text`; false when there is none.
template <class Number>
bool skip_number(std::string_view* text, Number* number) {
  auto const end = text->data() + text->size();
  auto const [stop, error] = std::from_chars(text->data(), end, *number);
  if (error != std::errc()) return false;
  text->remove_prefix(static_cast<std::size_t>(stop - text->data()));
  return true;
}

/// The word after `prefix`, if that is there; "" where it is not.
std::string_view word_after(std::string_view* text, std::string_view prefix) {
  if (!skip(text, prefix)) return {};
  auto const word = text->substr(0, text->find(' '));
  text->remove_prefix(word.size());
  return word.empty() ? std::string_view(" ") : word;
}

/// Both may be missing.  False: one is there and cannot be read.
bool skip_importance(std::string_view* text, TrainerMark* mark) {
  if (auto const word = word_after(text, " weight="); !word.empty()) {
    auto const weight = parse_weight("weight", word);
    if (!weight) return false;
    mark->weight = *weight;
  }
  if (auto const word = word_after(text, " deadline="); !word.empty()) {
    auto const deadline_s = parse_deadline_s(word);
    if (!deadline_s) return false;
    mark->deadline_s = *deadline_s;
  }
  return true;
}

}  // namespace

std::string to_text(TrainerMark const& mark) {
  return std::string(trainer_prefix) + std::to_string(mark.nodes_min) + "-" +
         std::to_string(mark.nodes_max) +
         (mark.weight == 1 ? "" : " weight=" + weight_text(mark.weight)) +
         (mark.deadline_s == 0
              ? ""
              : " deadline=" + std::to_string(std::llround(mark.deadline_s))) +
         " lease=" + mark.lease_template;
}

std::string to_text(LeaseMark const& mark) {
  return std::string(lease_prefix) + std::to_string(mark.trainer) +
         " ticket=" + mark.ticket +
         (mark.part ? " part=" + std::to_string(*mark.part) : "");
}

std::optional<TrainerMark> parse_trainer_mark(std::string_view text) {
  TrainerMark mark;
  if (!skip(&text, trainer_prefix) || !skip_number(&text, &mark.nodes_min) ||
      !skip(&text, "-") || !skip_number(&text, &mark.nodes_max) ||
      !skip_importance(&text, &mark) || !skip(&text, " lease="))
    return std::nullopt;
  if (mark.nodes_min < 1 || mark.nodes_max < mark.nodes_min)
    return std::nullopt;
  mark.lease_template = text;
  return mark;
}

std::optional<LeaseMark> parse_lease_mark(std::string_view text) {
  LeaseMark mark;
  if (!skip(&text, lease_prefix) || !skip_number(&text, &mark.trainer) ||
      !skip(&text, " ticket="))
    return std::nullopt;
  if (mark.trainer == 0) return std::nullopt;
  auto const end = std::min(text.find(' '), text.size());
  mark.ticket = text.substr(0, end);
  text.remove_prefix(end);
  if (text.empty()) return mark;
  int part = 0;
  if (!skip(&text, " part=") || !skip_number(&text, &part) || !text.empty() ||
      part < 0)
    return std::nullopt;
  mark.part = part;
  return mark;
}

}  // namespace gleaner::slurm
