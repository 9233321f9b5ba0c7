# SPDX-License-Identifier: Apache-2.0
"""Defects of gleanerd: what is offered, taken back and ended."""

from defect import defects_in

daemon = defects_in("test/unit/daemon/test_daemon")
gleanerd = defects_in("test/unit/daemon/test_gleanerd")

DEFECTS = [
    # --- leases ---
    daemon(
        "a lease that is asked back has no deadline",
        "src/daemon/decisions/lease_table.cc",
        "enter(&lease, State::returning, now, deadline_s);",
        "enter(&lease, State::returning, now, 0);",
        "what is not given back by the deadline is ended",
    ),
    daemon(
        "a lease that must go sooner keeps its later deadline",
        "src/daemon/decisions/lease_table.cc",
        "lease.state == State::returning && deadline_s < lease.deadline_s;",
        "false;",
        "a node that a plan takes is wanted sooner by a job that arrives",
    ),
    daemon(
        "jobs of strangers in the lease partition are ended",
        "src/daemon/decisions/lease_table.cc",
        "if (job.trainer == 0 || job.ticket.empty()) continue;",
        "",
        "a lease in the partition that is not marked as ours is left alone",
    ),
    daemon(
        "leases are lost when gleanerd restarts",
        "src/daemon/decisions/lease_table.cc",
        "    else if (job.running)\n      adopt(job, now, out);",
        "",
        "leases found at start are adopted; nothing happens to them",
    ),
    daemon(
        "an adopted lease without an agent stays for ever",
        "src/daemon/decisions/lease_table.cc",
        "lease.begun_s = job.start_s;\n  enter(&lease, State::held, now, now + agent_wait_s_);",
        "lease.begun_s = job.start_s;\n  enter(&lease, State::held, now, 0);",
        "an adopted lease on which no agent runs is ended",
    ),
    daemon(
        "a lease that completes is ended a second time",
        "src/daemon/decisions/lease_table.cc",
        "  else if (!lease->completing)\n    out->push_back(EndLease",
        "  else\n    out->push_back(EndLease",
        "Slurm is not told to end a lease that completes",
    ),
    daemon(
        "a lease that does not end is never ended again",
        "src/daemon/decisions/lease_table.cc",
        "constexpr double retry_s = 5; ",
        "constexpr double retry_s = 5e9; ",
        "a released lease that does not end is ended",
    ),
    daemon(
        "anybody may say that another trainer's node is vacated",
        "src/daemon/decisions/lease_table.cc",
        "    if (lease.trainer == trainer && lease.node == node &&\n"
        "        (!result || result->state == State::ending))\n"
        "      result = &lease;\n"
        "  return result;\n"
        "}\n\n}  // namespace gleaner",
        "    if (lease.node == node &&\n"
        "        (!result || result->state == State::ending))\n"
        "      result = &lease;\n"
        "  return result;\n"
        "}\n\n}  // namespace gleaner",
        "who says to have left what it does not have changes nothing",
    ),
    # --- leaving together ---
    daemon(
        "a lease ends while another is still left for the same job",
        "src/daemon/decisions/release_groups.cc",
        "if (must_wait) return nonces;",
        "",
        "leases of several trainers end together",
    ),
    daemon(
        "one trainer that does not leave keeps all others waiting",
        "src/daemon/decisions/release_groups.cc",
        "now < lease.deadline_s;",
        "true;",
        "at the deadline all end in one burst, out or not",
    ),
    daemon(
        "a job waits for leases that only a plan wants",
        "src/daemon/decisions/release_groups.cc",
        "return lease.cause == \"arrival\" || lease.cause == \"planned_start\";",
        "return true;",
        "what a plan takes ends at once, but not while a job waits",
    ),
    # --- nodes that Slurm took ---
    daemon(
        "a node that Slurm took is lent again at once",
        "src/daemon/decisions/node_holds.cc",
        "hold = {job, std::max(hold.until_s, since_s + again_s_), 0,",
        "hold = {job, 0, 0,",
        "a reclaimed node is not lent while the job waits for which it was",
    ),
    daemon(
        "the other nodes of the job are lent while it waits",
        "src/daemon/decisions/node_holds.cc",
        "if (other == job) hold(place, job, since_s), held.insert(node_of(place));",
        "(void)other;",
        "the other nodes that the job needs are held too",
    ),
    daemon(
        "a node stays held when its job is gone",
        "src/daemon/decisions/node_holds.cc",
        "bool const over = used || !waited_for || now >= hold.until_s;",
        "bool const over = used || now >= hold.until_s;",
        "a reclaimed node is not lent while the job waits for which it was",
    ),
    # --- caps ---
    daemon(
        "a user gets more leases than the cap",
        "src/daemon/decisions/caps.cc",
        "    ++share[i];\n      room.take(owners[i], 1);",
        "    ++share[i];",
        "a user's trainers share the user's cap",
    ),
    daemon(
        "a trainer is started below what it needs because of a cap",
        "src/daemon/decisions/caps.cc",
        "if (trainers[i].nodes_min > room.left(owners[i])) continue;",
        "",
        "who came first is served first, and nobody below what it needs",
    ),
    daemon(
        "a cap takes nodes that are lent before idle ones",
        "src/daemon/decisions/caps.cc",
        "for (bool const wanted : {true, false})",
        "for (bool const wanted : {false, true})",
        "a cap that is lowered takes nodes back",
    ),
    daemon(
        "the cap on an account counts no lease",
        "src/daemon/decisions/caps.cc",
        "return trainer && trainer->base.account == owner.account;",
        "return false;",
        "no more leases for an account than leases_per_account_max",
    ),
    # --- demand ---
    daemon(
        "a job takes back more leases than it needs",
        "src/daemon/decisions/supply.cc",
        "return chosen_.size() >= least_ && required_left_ == 0 && left_.empty();",
        "return chosen_.size() > least_ && required_left_ == 0 && left_.empty();",
        "a job takes back as few leases as would let Slurm start it",
    ),
    daemon(
        "what one job takes back is counted for the next one, too",
        "src/daemon/decisions/supply.cc",
        "  is_changed_[entry.node] = true;\n  changed_[entry.node] = std::move(after);",
        "",
        "what one job took back or put aside is not there for the next",
    ),
    daemon(
        "the youngest lease goes first",
        "src/daemon/decisions/release_set.cc",
        "return age(parts[a]) < age(parts[b]);",
        "return age(parts[a]) > age(parts[b]);",
        "the smallest sufficient set of the right type is released",
    ),
    daemon(
        "two small leases end where one would do",
        "src/daemon/decisions/release_set.cc",
        "return std::tuple(leases_in(chosen), chosen.size(), gpus, youngest);",
        "return std::tuple(gpus, chosen.size(), leases_in(chosen), youngest);",
        "one large lease goes rather than two small ones",
    ),
    daemon(
        "nodes of a coming job are foretold only after its time",
        "src/daemon/decisions/coming_uses.cc",
        "if (job.eligible_s < since_s || job.eligible_s > until_s) continue;",
        "if (job.eligible_s > since_s) continue;",
        "a job whose time comes takes the nodes Slurm would choose then",
    ),
    # --- the brain ---
    daemon(
        "nodes are given back at their planned use, not before",
        "src/daemon/decisions/brain.cc",
        "if (hole.end_s && *hole.end_s - lead_s <= now)",
        "if (hole.end_s && *hole.end_s <= now)",
        "nodes are back before their planned use",
    ),
    daemon(
        "a node that is drained is not asked back",
        "src/daemon/decisions/brain.cc",
        "return !orders_.lends() || orders_.is_drained(lease.node);",
        "return !orders_.lends();",
        "drained nodes come back at once, and are not lent again",
    ),
    daemon(
        "leases outlive their training",
        "src/daemon/decisions/brain.cc",
        "return !trainer || (trainer->link == 0 &&",
        "return trainer && (trainer->link == 0 &&",
        "the end of the training job ends all its leases at once",
    ),
    daemon(
        "a coordinator that is away for a moment loses its leases",
        "src/daemon/decisions/brain.cc",
        "now - trainer->link_lost_s >= config_.agent_wait_s);",
        "true);",
        "a coordinator may be away for agent_wait_s",
    ),
    daemon(
        "leases end at their time limit although their hole goes on",
        "src/daemon/decisions/brain.cc",
        "out->push_back(ExtendLease{lease.job, minutes});",
        "",
        "a lease whose hole goes on is extended before its limit",
    ),
    daemon(
        "more leases an hour than leases_per_hour_max",
        "src/daemon/decisions/brain.cc",
        "return lent_s_.end() - hour < config_.leases_per_hour_max;",
        "return true;",
        "no more than leases_per_hour_max are lent",
    ),
    daemon(
        "nodes are lent on what was seen long ago",
        "src/daemon/decisions/brain.cc",
        "return snapshot_at_s_ > 0 && now - snapshot_at_s_ < snapshot_age_s_max();",
        "return snapshot_at_s_ > 0;",
        "nothing is lent while Slurm is not set up for it, or silent",
    ),
    daemon(
        "a restarted gleanerd lends before coordinators have come back",
        "src/daemon/decisions/brain.cc",
        "return now < begun_s_ + gather_s &&",
        "return false &&",
        "after a start nothing is lent until all have come back, or 3 s",
    ),
    daemon(
        "mode observe lends",
        "src/daemon/decisions/brain.cc",
        "  if (orders_.lends())\n    follow_plan(now, &out);\n  else\n    observe(now, &out);",
        "  follow_plan(now, &out);",
        "with observe nothing is lent, and what no one leads is ended",
    ),
    daemon(
        "a job on notice begins before trainings have left its nodes",
        "src/daemon/decisions/brain.cc",
        "if (is_in_the_way(job.job) && now < job.eligible_s) continue;",
        "",
        "a job on notice begins when all trainings have left its nodes",
    ),
    daemon(
        "a begin time that a user gave is taken away",
        "src/daemon/decisions/brain.cc",
        "if (!job.on_notice) continue;",
        "",
        "a user's own --begin is not touched",
    ),
    # --- who may cause how much ---
    daemon(
        "a drain of an unknown node is accepted",
        "src/daemon/decisions/orders.cc",
        "if (!known.empty() && !known.contains(node))",
        "if (false)",
        "an order that cannot be meant is refused and changes nothing",
    ),
    daemon(
        "resume forgets nothing",
        "src/daemon/decisions/orders.cc",
        "    all_ = false;\n    drained_ = {};",
        "",
        "orders add up, and are undone by name or all together",
    ),
    gleanerd(
        "two gleanerds write to one state directory",
        "src/daemon/io/state_dir.cc",
        "LOCK_EX | LOCK_NB",
        "LOCK_SH | LOCK_NB",
        "only one gleanerd uses a state directory",
    ),
    gleanerd(
        "a hint wakes nobody",
        "src/daemon/io/plugin_door.cc",
        "handlers_.on_hint(*cause);",
        ";",
        "a hint means look again, anything else nothing",
    ),
]
