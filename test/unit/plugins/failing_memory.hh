// SPDX-License-Identifier: Apache-2.0
/// Memory that runs out when a test says so.
///
/// A program linked with failing_memory.cc has its operator new.
#pragma once

/// How many allocations of this thread succeed before all fail; -1: all do.
extern thread_local int allocations_left;
/// An allocation of this thread has failed; the test sets it back.
extern thread_local bool allocation_failed;
