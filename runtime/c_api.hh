// SPDX-License-Identifier: Apache-2.0
/// gleaner.h, for files that also have the namespace: in C++ a type and a
/// namespace cannot both be called `gleaner`.
#pragma once

#define gleaner gleaner_handle
#include "gleaner/gleaner.h"
#undef gleaner
