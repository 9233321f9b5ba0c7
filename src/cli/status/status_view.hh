// SPDX-License-Identifier: Apache-2.0
/// What gleanerd's status looks like on a terminal.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "proto/daemon_messages.hh"

namespace gleaner::cli {

using UserName = std::function<std::string(Uid)>;

/// Trainers, leases and idle nodes as tables, under one line of totals.
std::string status_table(msg::StatusReply const& status,
                         UserName const& user_name);

/// The colour codes of a terminal, or plain text.
enum class Ink { plain, colour };

/// How many signs each node's column has; for the first line none are known.
using StripWidths = std::map<std::string, std::size_t>;

/// Who has which node, in one line with a column for each of `nodes`, to be
/// printed again and again:
///
///       12 s  A A A b # # . .   A 3 nodes, loss 2.41   B 1 nodes, starting
///
/// A, B …: trainers in the order of their job ids; small: lent, not yet taken;
/// '#': another job; '.': idle.  A node that is lent in parts has a sign for
/// each, "AA.#": as many as it ever had while `widths` was kept.
std::string status_strip(msg::StatusReply const& status,
                         std::vector<std::string> const& nodes, double since_s,
                         Ink ink, StripWidths* widths);

}  // namespace gleaner::cli
