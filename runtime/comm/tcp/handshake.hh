// SPDX-License-Identifier: Apache-2.0
/// How do the two ends of a connection prove their identity?
///
///     caller -> called  hello: what for, of which generation, from, to, nonce
///     a called -> caller  nonce b, H(key, "called" hello b) caller -> called
///     H(key, "caller" hello b)
///
/// H is HMAC-SHA256 in hex.  The key follows from the training's secret, the
/// generation and the contact data of all members, in which each has a new
/// nonce: so it is known to the members of one plane alone.
///
/// Both sides are functions of bytes; Connecting moves them.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gleaner::comm::tcp {

constexpr std::size_t nonce_bytes = 32;  ///< 16 random ones, in hex
constexpr std::size_t proof_bytes = 64;

enum class Purpose : std::uint32_t {
  network = 1,  ///< frames between nodes
  node = 2,     ///< how members of a node get at its memory, and see each other
  pair = 3,     ///< frames between two members
};

struct Hello {
  std::uint64_t magic = expected_magic;
  std::uint64_t generation = 0;
  std::uint32_t from = 0;  ///< rank
  std::uint32_t to = 0;
  Purpose purpose = Purpose::network;
  std::uint32_t unused = 0;
  std::array<char, nonce_bytes> nonce{};

  static constexpr std::uint64_t expected_magic = 0x3170637472616c67;
  std::string bytes() const;
  static Hello of(std::string_view bytes);  ///< sizeof(Hello) of them
};

constexpr std::size_t answer_bytes = nonce_bytes + proof_bytes;

std::string key_of_plane(std::string const& secret, std::uint64_t generation,
                         std::vector<std::string> const& contacts);

std::array<char, nonce_bytes> new_nonce();

/// The called side's answer to this hello.
std::string answer_to(std::string const& key, Hello const& hello,
                      std::array<char, nonce_bytes> const& nonce);
/// Does the one that answered know the key?
bool is_answer(std::string const& key, Hello const& hello,
               std::string_view answer);
/// What the caller says last, to this answer.
std::string proof_for(std::string const& key, Hello const& hello,
                      std::string_view answer);
bool is_proof(std::string const& key, Hello const& hello,
              std::string_view answer, std::string_view proof);

}  // namespace gleaner::comm::tcp
