// SPDX-License-Identifier: Apache-2.0
/// Can slurmctld be made to look at its queue now?
///
/// It looks by itself when an epilog has ended on a node, and else at the next
/// turn of a loop of one second.  A node without an Epilog= on which nothing
/// ran any more is such a case: jobs that wait for a leased node would wait for
/// that turn.
#pragma once

namespace gleaner::sched {

/// Has this slurmctld what is needed?
bool can_look_at_queue();

/// Wakes the thread of slurmctld that schedules, as the end of an epilog does,
/// and returns at once.  Nothing where it cannot.
void look_at_queue();

}  // namespace gleaner::sched
