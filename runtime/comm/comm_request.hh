// SPDX-License-Identifier: Apache-2.0
/// What a member's Open MPI plane and its comm process say to each other.
///
/// Over a UNIX socket that keeps packets apart, which is the comm process's
/// standard input.  The plane sends a map request for each region, with its
/// descriptor, then connect; the process answers with its ranks and, as a
/// descriptor, itself.  After that each sum is answered when it is complete.
/// Either side takes the end of the connection for the end of the other.
#pragma once

#include <cstdint>

namespace gleaner::comm {

/// Raised when one of the structs changes: a program may be linked with
/// another libgleaner than the comm process was built with.
constexpr std::uint32_t version = 1;

enum class Verb : std::uint32_t { map, connect, sum };

struct Place {
  std::uint32_t region = 0;
  std::uint64_t offset = 0;
};

struct Request {
  std::uint32_t version = comm::version;
  Verb verb = Verb::map;
  Place local;          ///< sum
  Place sum;            ///< map: region and bytes; sum
  std::uint64_t n = 0;  ///< sum: elements; map: bytes of the region
  std::uint32_t element = 0;
};

struct Answer {
  std::uint32_t version = comm::version;
  std::int32_t rank = 0;  ///< connect
  std::int32_t size = 0;
  char failure[240] = "";  ///< not empty: it could not be done, and why
};

}  // namespace gleaner::comm
