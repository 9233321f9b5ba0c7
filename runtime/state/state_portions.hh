// SPDX-License-Identifier: Apache-2.0
/// Which member sends which bytes of the state when several members join?
///
/// Joiner j of J has portion j of the state.  Donor i of D sends it piece i of
/// that portion; and while pieces come in, the joiner relays them to the other
/// joiners.  So a donor sends 1/D of the state, however many joiners there
/// are, and no member sends more than one whole state.
///
/// The pieces of a portion are relayed in chunks, in turn, because they come in
/// at the same time.
#pragma once

#include <cstddef>
#include <vector>

#include "runtime/state/registry.hh"
#include "runtime/state/transfer.hh"

namespace gleaner::state {

class StatePortions {
 public:
  StatePortions(Registry const& registry, int donors, int joiners)
      : registry_(registry), donors_(donors), joiners_(joiners) {}

  /// The number of a piece among all of them: also that of the stripe, of
  /// pieces(), that it is.
  int piece(int joiner, int donor) const { return joiner * donors_ + donor; }
  int pieces() const { return joiners_ * donors_; }

  std::vector<Span> from_donor(int joiner, int donor) const {
    return registry_.stripe(piece(joiner, donor), pieces());
  }

  /// A joiner's portion in the order in which it is relayed.  needs[k] says of
  /// which donor's piece spans[k] is, and how much of that must be there.
  struct Relay {
    std::vector<Span> spans;
    std::vector<Stream::Need> needs;
  };
  Relay relay(int joiner) const;

 private:
  Registry const& registry_;
  int const donors_;
  int const joiners_;
};

}  // namespace gleaner::state
