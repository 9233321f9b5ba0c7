// SPDX-License-Identifier: Apache-2.0
/// What a data plane is measured against: the call of a library.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

namespace gleaner::bench {

class Rival {
 public:
  virtual ~Rival() = default;
  /// A socket of a comm host of this process's own, if that plane needs one.
  virtual std::string comm_host() { return ""; }
  virtual void allreduce(float const* local, float* sum, std::size_t n) = 0;
};

/// Connected to the others, which meet in `dir`.  Throws when that fails.
std::unique_ptr<Rival> make_rival(int rank, int members,
                                  std::string const& dir);

}  // namespace gleaner::bench
