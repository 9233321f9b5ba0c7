# SPDX-License-Identifier: Apache-2.0
"""Defects of the policies: who gets how many nodes, and which."""

from defect import defects_in

alloc = defects_in("test/unit/alloc/test_alloc")

DEFECTS = [
    # --- what is left out of long curves ---
    alloc(
        "a training that would gain much by many nodes gets few",
        "src/alloc/cuts.cc",
        "    if (wanted <= cut.made) continue;",
        "    continue;",
        "sizes that are left out would change no plan",
    ),
    alloc(
        "a size that jumps far out is not seen",
        "src/alloc/speed_outline.cc",
        "stretches_.push_back(stretch_of(speed.data(), first, last));",
        "stretches_.push_back({first, last, speed[std::size_t(first)], 0});",
        "an outline is nowhere below its curve",
    ),
    # --- which nodes ---
    alloc(
        "a node that Slurm wants at once is lent",
        "src/alloc/placement.cc",
        "return length_s(problem.nodes[node]) >= problem.hole_s_min;",
        "return true;",
        "a node that Slurm wants soon is not lent",
    ),
    alloc(
        "the shortest hole is lent first",
        "src/alloc/placement.cc",
        "a_s != b_s ? a_s > b_s",
        "a_s != b_s ? a_s < b_s",
        "a trainer that grows gets the longest hole",
    ),
    alloc(
        "the node that Slurm would use first is lent first",
        "src/alloc/placement.cc",
        "nodes_[a].weight > nodes_[b].weight",
        "nodes_[a].weight < nodes_[b].weight",
        "among equal holes the node Slurm would take last is lent first",
    ),
    alloc(
        "a node is given to two trainers",
        "src/alloc/placement.cc",
        "if (!is_held[node] && is_lendable(problem, node)) free",
        "if (is_lendable(problem, node)) free",
        "every policy obeys the invariants of a plan",
    ),
    alloc(
        "a trainer gets fewer nodes than it can start on",
        "src/alloc/placement.cc",
        "if (kept + wanted < std::max(1, trainer.nodes_min)) continue;",
        "",
        "no policy gives a node to a trainer that cannot use it",
    ),
    alloc(
        "what one trainer gives up stays idle",
        "src/alloc/placement.cc",
        "if (is_lendable(problem, node)) pool.push_back(node);",
        "",
        "what one trainer gives up another can have",
    ),
    alloc(
        "the first member is moved although it could stay",
        "src/alloc/placement.cc",
        "if (!is_given_up[node]) plan[i].push_back(node);\n"
        "    plan[i].insert(plan[i].end(), next, next + wanted);",
        "if (!is_given_up[node]) plan[i].push_back(node);\n"
        "    plan[i].insert(plan[i].begin(), next, next + wanted);",
        "a plan lists what is kept in its old order, then what is new",
    ),
    # --- cohorts ---
    alloc(
        "the smallest of the growing trainers gets the most stable nodes",
        "src/alloc/cohorts.cc",
        "return plan[a].size() > plan[b].size();",
        "return plan[a].size() < plan[b].size();",
        "the biggest trainer gets the nodes that were idle longest",
    ),
    alloc(
        "how long a node was idle counts more than when Slurm wants it",
        "src/alloc/cohorts.cc",
        "std::tie(hole_s, idle_s) > std::tie(other.hole_s, other.idle_s)",
        "std::tie(idle_s, hole_s) > std::tie(other.idle_s, other.hole_s)",
        "a known end counts more than age",
    ),
    alloc(
        "a trainer that grows moves to other nodes of the same cohort",
        "src/alloc/cohorts.cc",
        "[&](NodeIndex node) { return holder_[node] == i; });",
        "[&](NodeIndex node) { return holder_[node] != i; });",
        "of a cohort that is not taken whole a trainer keeps its own nodes",
    ),
    alloc(
        "trainers swap nodes although the site forbids it",
        "src/alloc/cohorts.cc",
        "      if (swaps == Swaps::no)\n"
        "        for (auto const node : problem.trainers[i].nodes) is_used[node] = 1;",
        "",
        "without swaps they keep what they hold",
    ),
    # --- how many: equal share ---
    alloc(
        "a later trainer takes what an earlier one could use",
        "src/alloc/equal_share.cc",
        "    counts[i] += more;\n    left -= more;",
        "    counts[i] += more;",
        "no more is shared out than there is, whichever trainer holds it",
    ),
    alloc(
        "a trainer gets more nodes than it can use",
        "src/alloc/equal_share.cc",
        "left -= counts[i] = std::min(share, trainers[i].nodes_max);",
        "left -= counts[i] = share;",
        "equal share never exceeds what a trainer can use",
    ),
    alloc(
        "a trainer is started below its least number of nodes",
        "src/alloc/equal_share.cc",
        "if (more <= 0 || counts[i] + more < trainers[i].nodes_min) continue;",
        "if (more <= 0) continue;",
        "shares that are too small for a trainer go to nobody",
    ),
    # --- what a number of nodes is worth ---
    alloc(
        "a resize costs nothing",
        "src/alloc/worth.cc",
        "  if (speed == 0) return;\n  int const now = count_now",
        "  return;\n  int const now = count_now",
        "a resize that does not pay within the forward-looking time waits",
    ),
    alloc(
        "to shrink is charged as to grow",
        "src/alloc/worth.cc",
        "double const shrink = speed * list.trainer.shrink_s;",
        "double const shrink = speed * list.trainer.expand_s;",
        "to give nodes up costs the time to shrink, to take some that to expand",
    ),
    alloc(
        "a fast model starves a slow one",
        "src/alloc/worth.cc",
        "  return (wishes_ == Wishes::heeded ? trainer.weight : 1) /\n"
        "         speed_of_one(trainer);",
        "  return wishes_ == Wishes::heeded ? trainer.weight : 1;",
        "a slow model is not starved by a fast one",
    ),
    alloc(
        "a trainer's weight is ignored",
        "src/alloc/worth.cc",
        "return (wishes_ == Wishes::heeded ? trainer.weight : 1) /",
        "return 1.0 /",
        "speed counts by the weight of its trainer",
    ),
    alloc(
        "a deadline is ignored",
        "src/alloc/worth.cc",
        "if (extras_.deadline_weight > 0 && wishes_ == Wishes::heeded)\n"
        "    meet_deadline(list);",
        "",
        "a trainer gets the nodes that its deadline needs",
    ),
    alloc(
        "a start is charged to trainers that run",
        "src/alloc/worth.cc",
        "if (!list.trainer.nodes.empty() || list.trainer.start_s == 0) return;",
        "if (list.trainer.start_s == 0) return;",
        "a trainer that runs is charged no start again",
    ),
    # --- how many: the knapsack ---
    alloc(
        "a trainer takes half of the machine at a time where the paper forbids it",
        "src/alloc/counts.cc",
        "(static_cast<int>(problem.nodes.size()) + 1) / 2",
        "(static_cast<int>(problem.nodes.size()) + 3) / 2",
        "the published M lets one trainer have half of ten nodes",
    ),
    alloc(
        "of two equal plans the one that moves members is taken",
        "src/alloc/counts.cc",
        "if (now > 0 && now <= most) worth[now] += stay_bonus * scale_;",
        "if (now > 0 && now <= most) worth[now] -= stay_bonus * scale_;",
        "a tie moves nobody",
    ),
    alloc(
        "the trainer with least work left wins a tie",
        "src/alloc/counts.cc",
        "return left_s[a] > left_s[b];",
        "return left_s[a] < left_s[b];",
        "ties go to the trainer with most work left",
    ),
    alloc(
        "a cheap exchange between two trainers is not found",
        "src/alloc/repair.cc",
        "if ((sum += least[count]) >= goal.gap) break;",
        "if (count > 0) break;",
        "the quick search is as good as the dense one, whatever the shape",
    ),
    # --- what is not known for sure ---
    alloc(
        "a trainer loses a node because another hopes",
        "src/alloc/cautious.cc",
        "if (keep_all(decision->plan, tried->plan))",
        "if (true)",
        "nobody leaves all its nodes for what another one tries",
    ),
    alloc(
        "idle nodes are never used to try a size",
        "src/alloc/cautious.cc",
        "if (!anyone_may_try(rest)) return decision;",
        "return decision;",
        "idle nodes are used to try a size",
    ),
    alloc(
        "a trial ends before the size is measured",
        "src/alloc/cautious.cc",
        "speed[k] = std::max(speed[k], speed[k - 1]);",
        "speed[k] = speed[k];",
        "who tries a size stays there until it is measured",
    ),
    # --- kinds of nodes ---
    alloc(
        "nodes that only one trainer can use go to one that can use all",
        "src/alloc/kind_counts.cc",
        "(wanting[group_[i]] ? these : others).push_back(i);",
        "(wanting[group_[i]] ? others : these).push_back(i);",
        "of many that can use only few nodes each gets its part",
    ),
    alloc(
        "nodes of a kind that a trainer cannot use are counted for it",
        "src/alloc/kind_counts.cc",
        "if (usable[k]) holdings.pool += left_[k];",
        "holdings.pool += left_[k];",
        "of many that can use only few nodes each gets its part",
    ),
]
