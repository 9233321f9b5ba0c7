# SPDX-License-Identifier: Apache-2.0
"""Defects of gleaner-coordinator: leases, nodes that leave, checkpoints, pace."""

from defect import defects_in

coordinator = defects_in("test/unit/runtime/coordinator/test_coordinator")

DEFECTS = [
    coordinator(
        "a node is given back while its members' processes still run",
        "runtime/coordinator/departures.cc",
        "if (!node.out || !node.empty || node.ended || is_held(node, now)) continue;",
        "if (!node.out || node.ended || is_held(node, now)) continue;",
        "a released node waits for its members' processes to end",
    ),
    coordinator(
        "a node is given back before its members are out of the training",
        "runtime/coordinator/departures.cc",
        "if (!node.out || !node.empty || node.ended || is_held(node, now)) continue;",
        "if (!node.empty || node.ended || is_held(node, now)) continue;",
        "members that died are still in the training until it has switched",
    ),
    coordinator(
        "a vacated node waits for ever for a gleanerd that is gone",
        "runtime/coordinator/departures.cc",
        "node.release == Release::together && now < node.deadline &&\n"
        "         now < node.answer_by;",
        "node.release == Release::together && now < node.deadline;",
        "a vacated node does not wait long for a gleanerd that is gone",
    ),
    coordinator(
        "the deadline of a give-back does not count",
        "runtime/coordinator/departures.cc",
        "node.release == Release::together && now < node.deadline &&",
        "node.release == Release::together &&",
        "at the deadline it ends, whether or not gleanerd is there",
    ),
    coordinator(
        "a sooner deadline is ignored",
        "runtime/coordinator/departures.cc",
        "node.deadline = is_new ? deadline : std::min(node.deadline, deadline);",
        "if (is_new) node.deadline = deadline;",
        "asked for again, the earlier deadline holds",
    ),
    coordinator(
        "a vacated node is told of again and again",
        "runtime/coordinator/departures.cc",
        "    node.told = true;\n    names.push_back(name);",
        "    names.push_back(name);",
        "a node that is held is told of once, and ends when released",
    ),
    coordinator(
        "a training may go on from a checkpoint whose values are not in the log",
        "runtime/coordinator/checkpoint_pointer.cc",
        "    after.wait();\n",
        "",
        "a checkpoint is not pointed to before the events are written",
    ),
    # --- members that are lost ---
    coordinator(
        "lost members are replaced as fast as they die",
        "runtime/coordinator/replacements.cc",
        "pause_s_ = std::clamp(2 * pause_s_, pause_s_min, pause_s_max);",
        "pause_s_ = 0;",
        "the first loss is made good at once, the next ones wait longer",
    ),
    coordinator(
        "a node on which members cannot start is tried for ever",
        "runtime/coordinator/replacements.cc",
        "} else if (given_up() || ++vain_ == vain_max) {",
        "} else if (given_up()) {",
        "after ten in a row that were not let in no more are started",
    ),
    coordinator(
        "a node that works is given up after ten losses",
        "runtime/coordinator/replacements.cc",
        "    vain_ = 0;\n",
        "",
        "one that trained in between shows that the node works",
    ),
    # --- options ---
    coordinator(
        "a job that Slurm started again begins at step 0",
        "runtime/coordinator/options.cc",
        "if (!environment(\"SLURM_RESTART_COUNT\").empty()) options->resume = true;",
        "",
        "a job that Slurm started again resumes, and one that asks to",
    ),
    coordinator(
        "two jobs write to one run directory",
        "runtime/coordinator/options.cc",
        "(options.job ? std::to_string(options.job) : \"local\");",
        "std::string(\"local\");",
        "the run directory is the job's, where it was submitted",
    ),
    coordinator(
        "a deterministic training leaves out what a lost member had",
        "runtime/coordinator/options.cc",
        "if (options.shards > 0) options.on_loss = \"recompute\";",
        "",
        "deterministic mode has 16 shards, and losses are recomputed",
    ),
    coordinator(
        "settings of the site are ignored in a job",
        "runtime/coordinator/options.cc",
        "options->config = std::move(*config);",
        "options->config = default_config();",
        "in a job the settings are gleaner.yaml's, without Slurm defaults",
    ),
    coordinator(
        "a misspelt GLEANER_FOLLOW is taken for auto",
        "runtime/coordinator/options.cc",
        "if (text.empty() || text == \"auto\") return Follow::automatic;",
        "if (text != \"on\" && text != \"off\") return Follow::automatic;",
        "what cannot be meant is refused by name, with its value",
    ),
    # --- leases ---
    coordinator(
        "variables of the base job reach the lease",
        "runtime/coordinator/lease_command.cc",
        "[](auto const& entry) { return !belongs_to_base_job(entry); });",
        "[](auto const&) { return true; });",
        "nothing of the base job reaches the lease's srun",
    ),
    coordinator(
        "a lease does not say for how long",
        "runtime/coordinator/lease_command.cc",
        "\"--time=\" + std::to_string(grant.minutes), ",
        "",
        "a lease asks for its whole node, now, with its ticket",
    ),
    coordinator(
        "a lease is charged to the user's default account",
        "runtime/coordinator/lease_command.cc",
        "if (entry.starts_with(variable) && entry.size() > variable.size())",
        "if (false)",
        "a lease is charged as its base job is",
    ),
    coordinator(
        "a part of a node is asked for with the amounts of the template",
        "runtime/coordinator/lease_command.cc",
        "[&](auto const& word) { return !grant.part || !is_amount(word); });",
        "[&](auto const&) { return true; });",
        "a part of a node is asked for as it was granted",
    ),
    coordinator(
        "a gleanerd that was taken over names a program to run",
        "runtime/coordinator/lease_options.cc",
        "if (std::none_of(options.begin(), options.end(),\n                   [&](auto const& option) { return option.name == name; }))",
        "if (false)",
        "what names a program, a file or another job is refused",
    ),
    # --- checkpoints ---
    coordinator(
        "old checkpoints go before the new one is pointed to",
        "runtime/coordinator/checkpoint_pointer.cc",
        "if (!pointed) return state->on_trouble(pointed.error().message);",
        "if (!pointed) state->on_trouble(pointed.error().message);",
        "a pointer that cannot be written removes nothing until one can be",
    ),
    coordinator(
        "superseded checkpoints fill the disk",
        "runtime/coordinator/checkpoint_pointer.cc",
        "      fs::remove(path, ignored);\n",
        "",
        "superseded checkpoints are removed, once another is pointed to",
    ),
    coordinator(
        "what a killed writer left fills the disk",
        "runtime/coordinator/checkpoint_pointer.cc",
        "for (auto const& path : left) fs::remove(path, error);",
        "",
        "of a checkpoint whose writer was killed nothing is left",
    ),
    coordinator(
        "a training resumes from a file that is not there",
        "runtime/coordinator/checkpoint_pointer.cc",
        "if (!fs::exists(checkpoint.path, error)) return std::nullopt;",
        "",
        "a pointer to nothing, or that is torn, is none",
    ),
    # --- how fast it is ---
    coordinator(
        "the steps around a switch count as the new size's speed",
        "runtime/coordinator/pace_meter.cc",
        "record.fields.at(\"step\").get<msg::Step>() < warm_from_)",
        "false)",
        "the first steps of a generation do not count",
    ),
    coordinator(
        "the speed of the size before is told as that of the new one",
        "runtime/coordinator/pace_meter.cc",
        "  durations_s_.clear();\n  marks_.clear();",
        "",
        "at a change of members all is forgotten",
    ),
    coordinator(
        "waiting is told as computing",
        "runtime/coordinator/pace_meter.cc",
        "auto const waited_s = (now.waited_s - older.waited_s) / steps;",
        "auto const waited_s = (now.computed_s - older.computed_s) / steps;",
        "a step's time is split into computing and waiting",
    ),
    coordinator(
        "a training that has become slow is told as fast for ever",
        "runtime/coordinator/pace_meter.cc",
        "if (durations_s_.size() > durations_kept) durations_s_.pop_front();",
        "if (durations_s_.size() > durations_kept) durations_s_.pop_back();",
        "a training that becomes slower is seen to be slower",
    ),
    coordinator(
        "the speed that is shown is that of an hour ago",
        "runtime/coordinator/progress_meter.cc",
        "while (recent_.size() > 2 && recent_[1].time_s < now - window_s)",
        "while (false)",
        "the speed is that of the last seconds",
    ),
    coordinator(
        "samples that a rollback took back make the speed negative",
        "runtime/coordinator/progress_meter.cc",
        "} else if (record.event == \"rollback\" || record.event == \"generation\") {",
        "} else if (record.event == \"generation\") {",
        "after a rollback or a change of members the speed is not known yet",
    ),
    coordinator(
        "a training that stands still shows its last speed",
        "runtime/coordinator/progress_meter.cc",
        "if (recent_.size() > 1 && recent_.back().time_s > now - window_s) {",
        "if (recent_.size() > 1) {",
        "a training that has made no step for seconds has no speed",
    ),
    coordinator(
        "a log line is written into the line before it",
        "runtime/coordinator/event_log.cc",
        "== 1 && last != '\\n')",
        "== 0 && last != '\\n')",
        "a line that its writer was killed in spoils no other",
    ),
]
