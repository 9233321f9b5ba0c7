// SPDX-License-Identifier: Apache-2.0
/// How large may each field be in messages between users and gleanerd?
///
/// gleanerd serves all users with one process: no field of one user's message
/// may be larger than useful.  A field over its bound is refused by its name,
/// and the connection is closed.  Which field has which bound stands
/// with the fields, in daemon_messages.cc.  Messages between the processes of
/// one user have the bound of a frame alone, and so have those of plugins,
/// which are slurmctld's.
#pragma once

#include <cstddef>

namespace gleaner::msg::limit {

inline constexpr std::size_t nodes = 100'000;   ///< of any cluster
inline constexpr std::size_t node_bytes = 255;  ///< a name (HOST_NAME_MAX)
inline constexpr std::size_t node_list_bytes = 65'536;  ///< "n[1-4,7]"
inline constexpr std::size_t members = 1'000'000;       ///< of a training
inline constexpr std::size_t why_bytes = 4096;          ///< a sentence or a few
inline constexpr std::size_t word_bytes = 64;           ///< one word of ours
inline constexpr std::size_t family_bytes = 200;
inline constexpr std::size_t ticket_bytes = 1024;
inline constexpr std::size_t options = 32;  ///< of srun, for a lease
inline constexpr std::size_t option_bytes = 1100;
inline constexpr std::size_t minutes = 525'600;  ///< a year

}  // namespace gleaner::msg::limit
