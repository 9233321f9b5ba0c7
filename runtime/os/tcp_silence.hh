// SPDX-License-Identifier: Apache-2.0
/// When does a silent TCP connection count as lost?
///
/// The kernel reports the end of a peer, and an orderly shutdown of its
/// machine.  It does not report a pulled cable: sent data is repeated for a
/// quarter of an hour, and a process that only receives waits endlessly.
#pragma once

namespace gleaner::os {

/// Ask the peer for a sign of life when nothing passes.
void keep_alive(int socket);

/// Has the other machine's kernel not answered for `seconds`, although
/// keep_alive() asks it?  A peer whose program does not read, or sends nothing,
/// is not silent in this sense.  False for a socket that is no TCP
/// connection.
bool is_silent(int socket, double seconds);

}  // namespace gleaner::os
