// SPDX-License-Identifier: Apache-2.0
/// Which messages pass between a member's data plane and its comm host?
///
/// Over a UNIX stream, of one user.  One connection is one member's part in
/// one generation: when it closes, its comm process is killed.  Right after
/// connecting the plane sends one byte, and with it the descriptor that
/// becomes the comm process's standard input.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <variant>
#include <vector>

#include "core/result.hh"

namespace gleaner::msg {

// --- comm host -> plane ----------------------------------------------------

struct CommHostHello {  ///< first
  std::string node;     ///< a name for this comm host; no other has it
};
/// Give `blob` to the planes of all members and bring back everybody's.  Sent
/// to all of a job's planes on this node; one of them carries the node's data,
/// the others nothing.
struct Fence {
  std::uint32_t number = 0;  ///< from 1, per job
  std::string blob;          ///< base64
};
struct CommEnded {  ///< there is no comm process, or none any more
  std::string why;
};

// --- plane -> comm host ----------------------------------------------------

struct CommStart {  ///< start the comm process of one member
  std::string job;  ///< the same for all members of the generation
  std::uint32_t rank = 0;
  std::vector<std::string> nodes;  ///< CommHostHello.node of every rank
  std::string address;             ///< of the interface to use, numeric
  std::string cpus;                ///< where it runs, "0-3"; "": anywhere
};
struct FenceDone {
  std::uint32_t number = 0;
  std::vector<std::string> blobs;  ///< in rank order
};

using ToPlane = std::variant<CommHostHello, Fence, CommEnded>;
using FromPlane = std::variant<CommStart, FenceDone>;

nlohmann::json to_json(ToPlane const& message);
nlohmann::json to_json(FromPlane const& message);

/// Fail with invalid_argument, naming "Type.field".
Result<ToPlane> parse_to_plane(nlohmann::json const& json);
Result<FromPlane> parse_from_plane(nlohmann::json const& json);

/// Every "type", for the test that each is documented.
std::vector<std::string> comm_message_types();

}  // namespace gleaner::msg
