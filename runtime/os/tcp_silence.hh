// SPDX-License-Identifier: Apache-2.0
/// When is a TCP connection lost of which nobody says so?
///
/// A peer that ends, and a machine that goes down in order, say so.  A cable
/// that is pulled does not: what was sent is sent again for a quarter of an
/// hour, and who only receives waits for ever.
#pragma once

namespace gleaner {

/// Ask the peer for a sign of life when nothing passes.
void keep_alive(int socket);

/// The other machine's kernel has not answered for so long, although it was
/// asked (keep_alive() was called).  Not so while the peer's program does not
/// read, or has nothing to say: it may take its time.  False for what is no TCP
/// connection.
bool is_silent(int socket, double seconds);

}  // namespace gleaner
