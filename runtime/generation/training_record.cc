// SPDX-License-Identifier: Apache-2.0
#include "runtime/generation/training_record.hh"

#include <algorithm>
#include <utility>

namespace gleaner::generation {

// --- steps -------------------------------------------------------------------

void TrainingRecord::stable(Out& out, msg::Stable const& report,
                            MemberIds const& members) {
  record_steps(out, ledger_.on_stable(report), members);
}

void TrainingRecord::record_steps(Out& out,
                                  std::vector<msg::Stable> const& steps,
                                  MemberIds const& members) {
  // Members keep so many steps more.
  auto const told_delay = msg::Step(std::max<std::size_t>(64, members.size()));
  for (auto const& step : steps) {
    auto taken = nlohmann::json::array();
    for (auto const& interval : step.taken)
      taken.push_back({interval.first, interval.last});
    out.record("step", {{"generation", step.reduced_in},
                        {"step", step.step},
                        {"pass", step.pass},
                        {"taken", taken},
                        {"samples_seen", step.samples_seen},
                        {"duration_s", step.duration_s},
                        {"reduce_s", step.reduce_s},
                        {"world", step.world}});
    resize_cost_.step(step.step, step.duration_s);
    step_median_.add(step.duration_s);
    if (step.update_s > 0) update_s_ = step.update_s;
    record_resize(out, resize_cost_.take_measured());
  }
  announce_checkpoint(out);
  if (recorded() < told_recorded_ ||
      recorded() >= told_recorded_ + told_delay) {
    told_recorded_ = recorded();
    out.send_all(members, msg::Recorded{told_recorded_});
  }
}

void TrainingRecord::arrived(Out& out, msg::Step step, MemberIds const& members,
                             std::string const& what) {
  record_steps(out, ledger_.commit_tentative(step), members);
  if (recorded() != step)
    out.record("error",
               {{"what", "steps before " + what + " were not reported"}});
}

void TrainingRecord::finish(Out& out, msg::Step step,
                            MemberIds const& members) {
  arrived(out, step, members, "the last, " + std::to_string(step) + ",");
  ledger_.end_training();
  record_resize(out, resize_cost_.take_unfinished());
  out.record("finish", {{"code", 0},
                        {"step", step},
                        {"samples_seen", samples_seen()},
                        {"duplicate_samples", ledger_.audit().duplicate},
                        {"missing_samples", ledger_.audit().missing}});
}

// --- generations -------------------------------------------------------------

void TrainingRecord::generation(Out& out, GenerationBegun const& begun) {
  nlohmann::json fields = {{"generation", begun.generation},
                           {"kind", begun.kind},
                           {"from", begun.nodes_before},
                           {"to", begun.nodes_after},
                           {"nodes", begun.nodes},
                           {"members", begun.members},
                           {"cause", begun.cause},
                           {"prepare_s", begun.prepare_s},
                           {"step", begun.first}};
  if (begun.copied_why) {
    bool const followed = begun.copied_why->empty();
    fields["joiners"] = followed ? "followed" : "copied";
    if (!followed) fields["copied_why"] = *begun.copied_why;
  }
  out.record("generation", std::move(fields));
  if (begun.nodes_before == 0 || begun.nodes_after == 0)
    return;  // nothing stood still
  record_resize(out, resize_cost_.take_unfinished());
  resize_cost_.begin({begun.generation, begun.kind, begun.nodes_before,
                      begun.nodes_after, begun.prepare_s, begun.first, 0});
}

void TrainingRecord::record_resize(Out& out,
                                   std::optional<Resize> const& resize) {
  if (!resize) return;
  out.record("resize", {{"generation", resize->generation},
                        {"kind", resize->kind},
                        {"from", resize->from},
                        {"to", resize->to},
                        {"prepare_s", resize->prepare_s},
                        {"stall_s", resize->stall_s}});
}

void TrainingRecord::roll_back(Out& out, bool had_state, int nodes,
                               std::string const& why) {
  auto const before = recorded();
  ledger_.roll_back();
  forget_values_after(recorded());
  if (had_state || recorded() < before) {
    auto const checkpoint = newest();
    out.record("rollback", {{"to_step", recorded()},
                            {"samples_seen", samples_seen()},
                            {"path", checkpoint ? checkpoint->path : ""},
                            {"from_step", before},
                            {"nodes", nodes},
                            {"why", why}});
  }
  if (checkpoints_.asked()) ledger_.add_orphan(checkpoints_.take_back());
}

// --- values ------------------------------------------------------------------

bool TrainingRecord::may_show_values(double now) {
  constexpr double period_s = 0.25;
  if (log_means_.empty() && !checkpoint_waits()) return false;
  if (now - values_shown_s_ < period_s) return false;
  values_shown_s_ = now;
  return true;
}

void TrainingRecord::show_values(Out& out, msg::Step until) {
  record_means(out, until);
  ledger_.values_shown(until);
  announce_checkpoint(out);
}

void TrainingRecord::show_what_came(Out& out) { record_means(out, recorded()); }

void TrainingRecord::record_means(Out& out, msg::Step until) {
  for (auto const& mean : log_means_.take_until(until))
    out.record("log", {{"step", mean.step},
                       {"key", mean.key},
                       {"value", mean.value},
                       {"max", mean.max},
                       {"n", mean.n}});
}

// --- checkpoints -------------------------------------------------------------

void TrainingRecord::ask_when_due(Out& out, double now, msg::MemberId member) {
  if (checkpoints_.is_overdue(now))
    return ledger_.add_orphan(checkpoints_.take_back());
  if (!checkpoints_.is_due(now) || checkpoint_waits()) return;
  if (newest() && newest()->step >= recorded()) return;
  auto const& asked = checkpoints_.ask(now, member);
  ledger_.checkpoint_asked();
  out.send(member, msg::TakeCheckpoint{asked.path});
}

void TrainingRecord::parked(Out& out, msg::Checkpointed const& file,
                            MemberIds const& members) {
  arrived(out, file.step, members,
          "the park at step " + std::to_string(file.step));
  record_resize(out, resize_cost_.take_unfinished());
  if (file.path.empty())
    announce_checkpoint(out);
  else
    add_checkpoint(out, file, "park");
}

void TrainingRecord::written(Out& out, msg::MemberId by,
                             msg::Checkpointed const& file) {
  if (checkpoints_.take_answer(by, file.path))
    add_checkpoint(out, file, "periodic");
  else
    ledger_.add_orphan(file.path);
}

void TrainingRecord::add_checkpoint(Out& out, msg::Checkpointed const& file,
                                    std::string const& kind) {
  checkpoints_.written({file, kind});
  ledger_.add_checkpoint({file.path, file.step, file.samples_seen});
  announce_checkpoint(out);
}

void TrainingRecord::announce_checkpoint(Out& out) {
  auto const registered = ledger_.take_registered();
  if (!registered) return;
  out.add(*registered);
  auto const written = checkpoints_.take_registered(registered->path);
  if (!written) return;
  auto const& file = written->file;
  out.record("checkpoint", {{"step", file.step},
                            {"path", file.path},
                            {"bytes", file.bytes},
                            {"samples_seen", file.samples_seen},
                            {"kind", written->kind}});
}

bool TrainingRecord::take_failure(std::string const& path) {
  if (!checkpoints_.asked() || checkpoints_.asked()->path != path) return false;
  ledger_.add_orphan(checkpoints_.take_back());
  return true;
}

void TrainingRecord::gone(msg::MemberId member) {
  if (auto path = checkpoints_.take_back_from(member))
    ledger_.add_orphan(std::move(*path));
}

}  // namespace gleaner::generation
