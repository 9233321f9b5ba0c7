// SPDX-License-Identifier: Apache-2.0
/// What can be chosen on char_lm's command line.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace char_lm {

/// The time that a training takes which is only imitated.
struct Emulation {
  double fixed_s = 0;   ///< a member's work in a step, whatever its share
  double sample_s = 0;  ///< for each sample
  double link_s = 0;    ///< latency of a link
  double ring_s = 0;    ///< all gradients through one link
};

struct Options {
  std::string text;  ///< file or folder; "": the licences in /usr/share
  std::uint32_t passes = 10;
  std::uint32_t batch = 32;   ///< samples per step over all members
  std::int64_t context = 64;  ///< characters in a sample
  std::int64_t width = 64;
  std::int64_t heads = 4;
  std::int64_t layers = 2;
  double learning_rate = 3e-3;
  std::uint64_t seed = 1;
  std::uint64_t report_every = 50;  ///< steps between printed lines; 0: never
  int nice = 0;             ///< how much computing yields to other processes
  std::int64_t sample = 0;  ///< characters to write at the end
  std::optional<Emulation> emulation;
};

/// Read the command line.  Prints what is wrong, or the help that was asked
/// for, and ends the process with status 2 or 0.
Options parse_options(int argc, char** argv);

}  // namespace char_lm
