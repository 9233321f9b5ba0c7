// SPDX-License-Identifier: Apache-2.0
/// Where do log lines go, in a program that must not wait for its standard
/// error?
#pragma once

#include <functional>
#include <string>

namespace gleaner {

/// Called with each text that is to be written, from any thread; null: standard
/// error again.  When this returns nobody calls the former one.
void set_log_output(std::function<void(std::string text)> output);

/// Write this there, as it is: a line of log_to_stderr(), or what a process
/// that we started said.  To standard error it is one write(2).
void write_to_log(std::string text);

}  // namespace gleaner
