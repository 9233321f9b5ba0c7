// SPDX-License-Identifier: Apache-2.0
/// Loops over runs of numbers, vectorised whatever the build's flags: at -O2
/// GCC 12 leaves them as they are, and one is as fast as memory allows.
#pragma once

#if defined __GNUC__ && !defined __clang__
#define VECTORISED gnu::optimize("O3")
#else
#define VECTORISED
#endif
