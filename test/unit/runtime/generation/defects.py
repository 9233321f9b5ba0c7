# SPDX-License-Identifier: Apache-2.0
"""Which defects must the tests of the protocol notice?

Each breaks one rule; its name says how.  In one file of runtime/generation the
text `right`, which must be there once, gives way to `wrong`.  None of them may
leave the protocol as good as it was: who finds one that does takes it out.
"""

from typing import NamedTuple


class Defect(NamedTuple):
    name: str
    file: str
    right: str
    wrong: str


DEFECTS = [
    # --- a member: steps ---
    Defect(
        "a step is shown when it is complete, not when it is stable",
        "session_step.cc",
        "s.now_stable(step - 1);",
        "s.now_stable(step);",
    ),
    Defect(
        "an offer counts as agreed although one is not ready",
        "session_step.cc",
        "if (!s.offer.is_agreed() && not_ready == 0) {",
        "if (!s.offer.is_agreed() && not_ready <= 1 && s.begun->said_ready) {",
    ),
    Defect(
        "an offer is withdrawn although the word for it is on its way",
        "session.cc",
        "begun->said_ready && !begun->first_done;",
        "false;",
    ),
    Defect(
        "a checkpoint counts before the values up to its step are shown",
        "ledger.cc",
        "waiting_->step > std::min(recorded_, values_shown_)",
        "waiting_->step > recorded_",
    ),
    Defect(
        "after a rollback a checkpoint counts by values that were undone",
        "ledger.cc",
        "values_shown_ = std::min(values_shown_, recorded_);",
        "",
    ),
    Defect(
        "who parks or leaves does not tell the values of its last step",
        "session_step.cc",
        "if (!stays) send_values(complete);",
        "",
    ),
    Defect(
        "who is released on its way to the boundary keeps its last values",
        "session_step.cc",
        "send_values(handed);",
        "send_values(stable);",
    ),
    Defect(
        "values are shown although one that was let go has not told its own",
        "membership_record.cc",
        "if (table_.any_owes_values()) return;",
        "",
    ),
    Defect(
        "who was let go counts in steps that are computed without it",
        "membership_record.cc",
        "if (value.step <= from.last_step.value_or(value.step)) ",
        "",
    ),
    Defect(
        "a value is shown before all members have sent theirs",
        "membership_record.cc",
        "until = std::min(until, alive ? alive->step - delay : 0);",
        "if (alive) until = std::min(until, alive->step - delay);",
    ),
    # --- a member: losses ---
    Defect(
        "samples of the dead are not handed back",
        "session_step.cc",
        "step.after.give_back(shares.handed_back);",
        "",
    ),
    Defect(
        "a share that was lost twice is computed by nobody",
        "step_shares.cc",
        "if (part.member == self)\n"
        "      step.mine = as_shares(part.pieces, taken, rules.shards);",
        "if (part.member == self)\n"
        "      step.mine = as_shares({part.pieces.begin(),\n"
        "          part.pieces.begin() + std::min<long>(2, part.pieces.size())},\n"
        "          taken, rules.shards);",
    ),
    Defect(
        "a share that was computed before a loss is computed again after it",
        "session.cc",
        "begun->handed_out = handed_out;",
        "",
    ),
    # --- a member: the end ---
    Defect(
        "what the program has stopped goes on after a loss",
        "session.cc",
        "  leave_stage();\n  connected = false;\n  feeding = 0;\n",
        "  leave_stage();\n  connected = false;\n  feeding = 0;\n"
        "  stops_after.reset();\n",
    ),
    # --- a member: parts of its shares ---
    Defect(
        "what is left of a share after its first part is computed by nobody",
        "step_shares.cc",
        "if (parts == 1)\n",
        "if (parts >= 1)\n",
    ),
    Defect(
        "the parts of a share overlap",
        "step_shares.cc",
        "progress.samples += count(part.positions);",
        "progress.samples += count(part.positions) - 1;",
    ),
    Defect(
        "a part is added to what the first try of the step has left",
        "session_step.cc",
        "  begun->handed_out = {};\n  begun->spoiled",
        "  begun->handed_out.samples = 0;\n  begun->spoiled",
    ),
    Defect(
        "a step is reduced although it is to be computed again",
        "session_step.cc",
        "if (!begun->spoiled) begun->reduced_in = 0;",
        "",
    ),
    Defect(
        "a step is computed again while it is on its way",
        "session_step.cc",
        "begun->spoiled = begun->launched && !stopped();",
        "",
    ),
    Defect(
        "nobody is told that what is on its way is no use",
        "session_step.cc",
        "  if (begun->spoiled)\n    report_failure(",
        "  if (begun->spoiled && lacking)\n    report_failure(",
    ),
    Defect(
        "values of a step's first try are shown",
        "session_step.cc",
        "  forget_values_of_step();\n  if (begun->spoiled)",
        "  if (begun->spoiled)",
    ),
    Defect(
        "parts are foreseen as if nothing limited them",
        "session_step.cc",
        "next_part(shares, handed_out, s.micro_batch_max)",
        "next_part(shares, handed_out, 0)",
    ),
    Defect(
        "planes go on when a loss is to be repaired",
        "session.cc",
        "if (already_stopped) return send_status();",
        "return send_status();",
    ),
    Defect(
        "after a loss nobody reports what the lost rank 0 had not",
        "session.cc",
        "reported = message.recorded;",
        "reported = message.complete;",
    ),
    # --- the coordinator: losses ---
    Defect(
        "a joiner without proven state is a source",
        "recovery.cc",
        "if (!status.full || status.complete < recorded) continue;",
        "if (status.complete < recorded) continue;",
    ),
    Defect(
        "who lacks the last reduction goes on without it",
        "recovery.cc",
        "if (!has_it(id)) found.lacking.push_back(id);",
        "",
    ),
    Defect(
        "the plan of a begun step keeps the dead",
        "recovery.cc",
        "if (found.plan) add_loss(*found.plan, next);",
        "",
    ),
    Defect(
        "who does not become quiet is waited for",
        "replacement.cc",
        'silent.push_back({id, "it did not become quiet"});',
        ";",
    ),
    # --- the coordinator: planned changes ---
    Defect(
        "leavers are let go when one has switched",
        "change.cc",
        "return are_all_full() && recorded >= first() - 1;",
        "auto const* stage = std::get_if<Agreed>(&stage_);\n"
        "  return stage && !stage->switched.empty();",
    ),
    Defect(
        "a rank 0 that leaves is let go before its reports have come",
        "change.cc",
        "return are_all_full() && recorded >= first() - 1;",
        "return are_all_full();",
    ),
    Defect(
        "a rank 0 that leaves may die before its reports have come",
        "membership.cc",
        "if (members.front() == id && !change_->has_switched(id)) return true;",
        "",
    ),
    Defect(
        "an offer counts as withdrawn when one member says so",
        "change.cc",
        "return stage->withdrawn.count(member) != 0;",
        "return true;",
    ),
    Defect(
        "joiners that follow are switched to when one has caught up",
        "change.cc",
        "if (stage->caught_up.size() < plan_.joiners.size()) return false;",
        "",
    ),
    # --- the coordinator: who is there ---
    Defect(
        "a node is not left at its deadline",
        "replacement.cc",
        "if (node.leaving && node.deadline_s <= now)",
        "if (node.leaving && node.deadline_s <= now - 100)",
    ),
    Defect(
        "who was given up is not told so when it comes back",
        "membership.cc",
        "if (!std::holds_alternative<msg::MemberHello>(message)) return {};",
        "return {};",
    ),
    Defect(
        "a member that never becomes ready is waited for",
        "replacement.cc",
        "if (now - member.since_s <= load_timeout_s || busy) continue;",
        "continue;",
    ),
    Defect(
        "nobody is ever stuck",
        "stuck.cc",
        "stuck.push_back(member);",
        ";",
    ),
    Defect(
        "who is busy is stuck all the same",
        "stuck.cc",
        "if (alive.busy_left_s > 0 || alive.for_s",
        "if (alive.for_s",
    ),
    # --- the coordinator: what is certain ---
    Defect(
        "a step is recorded before those before it are",
        "ledger.cc",
        "while (!early_.empty() && early_.begin()->first == recorded_ + 1) {",
        "while (!early_.empty()) {",
    ),
    Defect(
        "what is reported before a loss and not recorded counts after it",
        "ledger.cc",
        "void Ledger::forget_unrecorded() {\n  early_.clear();",
        "void Ledger::forget_unrecorded() {",
    ),
]
