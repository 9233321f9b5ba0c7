# SPDX-License-Identifier: Apache-2.0
"""Defects of the pure parts of the protocol: which samples, which record, what cost.

What the state machines themselves may get wrong is in
test/unit/runtime/generation/defects.py, since random histories notice it.
"""

from defect import defects_in

rules = defects_in("test/unit/runtime/generation/test_generation")

DEFECTS = [
    rules(
        "two members compute the same sample",
        "runtime/generation/sampler.cc",
        "auto const last = (rank + 1) * total / n;",
        "auto const last = std::min(total, (rank + 1) * total / n + 1);",
        "members share a step's positions evenly, in rank order",
    ),
    rules(
        "samples that a lost member had are left out",
        "runtime/generation/sampler.cc",
        "back_ = merged(back_, positions);",
        "(void)back_;",
        "what is handed back comes first",
    ),
    rules(
        "every pass has the same order",
        "runtime/generation/sampler.cc",
        "auto key = mixed(mixed(seed) ^ pass);",
        "auto key = mixed(mixed(seed)); (void)pass;",
        "a pass is a permutation, another one in each pass",
    ),
    rules(
        "the seed does not matter",
        "runtime/generation/sampler.cc",
        "auto key = mixed(mixed(seed) ^ pass);",
        "auto key = mixed(pass); (void)seed;",
        "a permutation is a function of size, seed and pass",
    ),
    rules(
        "drop_last drops nothing",
        "runtime/generation/sampler.cc",
        "return left == 0 || (options_.drop_last && left < options_.global_batch);",
        "return left == 0;",
        "drop_last leaves out a short last step, and counts it",
    ),
    rules(
        "a checkpoint forgets what was handed back",
        "runtime/generation/sampler.cc",
        "{\"back\", back},",
        "{\"back\", nlohmann::json::array()},",
        "its state survives being written and read",
    ),
    rules(
        "a checkpoint of a larger data set is resumed",
        "runtime/generation/sampler.cc",
        "if (sampler.next_ > options.dataset_size)",
        "if (false)",
        "a state that cannot be is refused",
    ),
    rules(
        "a step is recorded twice",
        "runtime/generation/ledger.cc",
        "if (report.step <= recorded_) return {};",
        "",
        "a step is recorded once, however often it is reported",
    ),
    rules(
        "a training resumes from a checkpoint of the future",
        "runtime/generation/ledger.cc",
        "if (!waiting_ || waiting_->step > std::min(recorded_, values_shown_)) return;",
        "if (!waiting_) return;",
        "a checkpoint counts when its step is recorded",
    ),
    rules(
        "the newest checkpoint is removed",
        "runtime/generation/ledger.cc",
        "    superseded_.push_back(kept_.front().checkpoint.path);\n"
        "    kept_.erase(kept_.begin());",
        "    superseded_.push_back(kept_.back().checkpoint.path);\n"
        "    kept_.erase(kept_.begin());",
        "two checkpoints are kept",
    ),
    rules(
        "a rollback goes to the oldest checkpoint",
        "runtime/generation/ledger.cc",
        "recorded_ = kept_.empty() ? 0 : kept_.back().checkpoint.step;",
        "recorded_ = kept_.empty() ? 0 : kept_.front().checkpoint.step;",
        "a rollback goes to the newest checkpoint, or to the start",
    ),
    rules(
        "samples that are trained on twice are not found",
        "runtime/generation/ledger.cc",
        "audit_.duplicate += found.duplicate;",
        "",
        "the audit finds samples that are recorded twice or never",
    ),
    rules(
        "samples that are left out are not found",
        "runtime/generation/ledger.cc",
        "audit_.missing += found.missing;",
        "",
        "the audit finds samples that are recorded twice or never",
    ),
    rules(
        "what a lost member had is computed by one member alone",
        "runtime/generation/step_shares.cc",
        "left[i]->pieces.push_back(share_of(open, i, left.size()));",
        "left[i]->pieces.push_back(i == 0 ? open : Positions{});",
        "recompute: a lost share is split among those that are left",
    ),
    rules(
        "a share is computed at once although it does not fit the memory",
        "runtime/generation/step_shares.cc",
        "std::max<std::uint64_t>(1, micro_batch_max ? micro_batch_max : n);",
        "std::max<std::uint64_t>(1, n);",
        "a share comes in parts of about the same size, within the limit",
    ),
    rules(
        "a resize is told to cost the time of its longest step",
        "runtime/generation/resize_cost.cc",
        "return std::max(0.0, longest - *middle);",
        "return longest;",
        "stall = the longest step around the switch - the median before",
    ),
    rules(
        "a member that says that it is busy is killed",
        "runtime/generation/stuck.cc",
        "if (alive.busy_left_s > 0 || alive.for_s <= patience * limit_s) return {};",
        "if (alive.for_s <= patience * limit_s) return {};",
        "a member is stuck when all others wait for it for too long",
    ),
    rules(
        "a member is killed while nobody waits for it",
        "runtime/generation/stuck.cc",
        "return somebody_waits ? stuck : std::vector<msg::MemberId>{};",
        "return stuck;",
        "a member is stuck when all others wait for it for too long",
    ),
    rules(
        "where steps take minutes members are killed for being slow",
        "runtime/generation/stuck.cc",
        "  auto const limit_s = std::max(rule.timeout_s, rule.factor * median_step_s);\n"
        "  bool somebody_waits",
        "  auto const limit_s = rule.timeout_s; (void)median_step_s;\n"
        "  bool somebody_waits",
        "where steps are long, so is the patience",
    ),
]
