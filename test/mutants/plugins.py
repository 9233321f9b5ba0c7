# SPDX-License-Identifier: Apache-2.0
"""Defects of the plugins: what slurmctld lets in, and what it is slowed by."""

from defect import defects_in

plugins = defects_in("test/unit/plugins/test_plugins")

DEFECTS = [
    # --- who may have a lease ---
    plugins(
        "a lease for somebody else is admitted",
        "plugins/job_submit/lease_guard.cc",
        "if (request.uid != request.submitter)",
        "if (false)",
        "a ticket opens nothing but what it was made for",
    ),
    plugins(
        "a batch script runs in the lease partition",
        "plugins/job_submit/lease_guard.cc",
        "if (request.is_batch || request.is_het || request.is_array)",
        "if (request.is_het || request.is_array)",
        "a ticket opens nothing but what it was made for",
    ),
    plugins(
        "a job enters the lease partition without a ticket",
        "plugins/job_submit/lease_guard.cc",
        "if (request.comment.empty()) return for_leases_only(found);",
        "if (request.comment.empty()) return proto::Ticket{};",
        "without a ticket it is told to go elsewhere",
    ),
    plugins(
        "a lease that waits blocks the partition",
        "plugins/job_submit/lease_guard.cc",
        "if (!request.immediate)",
        "if (false)",
        "a ticket opens nothing but what it was made for",
    ),
    plugins(
        "a lease takes more of a node than its ticket gives",
        "plugins/job_submit/lease_guard.cc",
        "if (asked != part) return wrong(to_string(asked));",
        "",
        "a part is taken exactly, and nothing beside it",
    ),
    plugins(
        "other options take more than the part",
        "plugins/job_submit/lease_guard.cc",
        "if (says_more_than_part(request))",
        "if (false)",
        "a part is taken exactly, and nothing beside it",
    ),
    plugins(
        "a ticket may be used twice",
        "plugins/job_submit/lease_guard.cc",
        "      !used)\n    return used.error();",
        "      false)\n    return used.error();",
        "a ticket is good once",
    ),
    plugins(
        "a ticket is used up by a request that is refused",
        "plugins/job_submit/lease_guard.cc",
        "if (auto form = check_form(request, config); !form) return form.error();",
        "auto form = check_form(request, config);\n"
        "  if (auto t = proto::verify_ticket(request.comment, *key); t)\n"
        "    (void)ledger->use(*t, request.submitter, request.required, now_s);\n"
        "  if (!form) return form.error();",
        "a refused form does not use the ticket up",
    ),
    plugins(
        "an option that is passed on adds to what the ticket of a part says",
        "plugins/job_submit/lease_guard.cc",
        "return option.says == PassedOn::Says::amount;",
        "return option.value.empty();",
        "a part is taken exactly, and nothing beside it",
    ),
    # --- names ---
    plugins(
        "our partition is not found in capitals",
        "plugins/job_submit/our_names.cc",
        "return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;",
        "return c;",
        "each of our names is recognised, in lists and with counts too",
    ),
    plugins(
        "our licence is not found among TRES",
        "plugins/job_submit/our_names.cc",
        "if (tres_names_licence(tres, ours.licence))",
        "if (false)",
        "each of our names is recognised, in lists and with counts too",
    ),
    plugins(
        "jobs without an account count as ours",
        "plugins/job_submit/our_names.cc",
        "  return !name.empty() &&\n         (has_word(list, name)",
        "  return (has_word(list, name)",
        "an account or QOS that is not configured is nobody's",
    ),
    # --- notice ---
    plugins(
        "a job that could start waits",
        "plugins/job_submit/arrival_notice.cc",
        "if (room.open >= room.needed || room.later < room.needed) return std::nullopt;",
        "if (room.later < room.needed) return std::nullopt;",
        "a job that might start without leased nodes does not wait",
    ),
    plugins(
        "jobs wait for a gleanerd that is gone",
        "plugins/job_submit/arrival_notice.cc",
        "free.notice_s <= 0 || free.until_s < now)",
        "free.notice_s <= 0)",
        "nobody waits for a gleanerd that is gone, or does not want it",
    ),
    plugins(
        "a job waits longer than the bound",
        "plugins/job_submit/arrival_notice.cc",
        "std::min(free.notice_s, notice_s_max);",
        "free.notice_s;",
        "a job that cannot start without leased nodes waits for a moment",
    ),
    plugins(
        "a job that Slurm must not hold up is held up",
        "plugins/job_submit/arrival_notice.cc",
        "!request.waits_otherwise && request.admin_comment.empty() &&",
        "",
        "whose begin means something already is left alone",
    ),
    plugins(
        "GPUs that a job needs are not counted",
        "plugins/job_submit/arrival_notice.cc",
        "if (auto const each = gpus_in(request.tres_per_node); each > 0)",
        "if (auto const each = gpus_in(request.tres_per_node); each < 0)",
        "a job that asks for GPUs waits for those that are lent",
    ),
    # --- what users write ---
    plugins(
        "a range that is upside down is accepted",
        "plugins/malleable_range.cc",
        "if (range.nodes_max < range.nodes_min)",
        "if (false)",
        "anything else is refused with the value and the remedy",
    ),
    plugins(
        "what stands behind a range is ignored",
        "plugins/malleable_range.cc",
        "return error == std::errc() && stop == end;",
        "return error == std::errc();",
        "anything else is refused with the value and the remedy",
    ),
    plugins(
        "a user's text reaches the terminal of an administrator",
        "src/core/quoted.cc",
        "out += c < 0x20 || c > 0x7e || c == '\\'' ? '?' : static_cast<char>(c);",
        "out += static_cast<char>(c);",
        "a hostile value cannot steer a terminal or fill a log",
    ),
    # --- configuration ---
    plugins(
        "an unreadable gleaner.yaml turns the guard off",
        "plugins/settings.cc",
        "Known{known()->config, read.error().message});",
        "Known{Config{}, read.error().message});",
        "a file that becomes unreadable leaves what was known",
    ),
    plugins(
        "a changed gleaner.yaml is not read",
        "plugins/settings.cc",
        "a.st_mtim.tv_sec == b.st_mtim.tv_sec &&\n"
        "         a.st_mtim.tv_nsec == b.st_mtim.tv_nsec;",
        "true;",
        "the file is read, and read again when it changes",
    ),
    plugins(
        "half a kept configuration is believed",
        "plugins/last_good.cc",
        "if (!text.str().ends_with(last_line))",
        "if (false)",
        "a kept configuration that is not whole is not believed",
    ),
    plugins(
        "a kept configuration is written in place",
        "plugins/last_good.cc",
        "auto const next = path_ + \".new\";",
        "auto const next = path_;",
        "what cannot be kept is told, and what is there stays whole",
    ),
    plugins(
        "a hint goes to gleanerd alone",
        "plugins/hint.cc",
        "if (!send_to(socket_, run_dir + \"/wake.sock\", text))",
        "",
        "a hint reaches the scavenger alone, and gleanerd where it polls",
    ),
]
