// SPDX-License-Identifier: Apache-2.0
/// Which members hold which cells of a training's sharded state?
///
/// A *cell* is slice v of every bucket: parameters, their gradients and the
/// optimizer's state of the same numbers.  There are as many cells in each
/// generation of a training; what changes is who holds them.  See
/// doc/sharding.md.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "proto/runtime_messages.hh"

namespace gleaner::generation {

/// A member and where it runs: copies on one node are lost together.
struct Holder {
  msg::MemberId id = 0;
  std::string node;

  bool operator==(Holder const&) const = default;
};

/// Who holds each cell.  A value; equal on all members.
struct Layout {
  /// Holders of cell v, the owner first, all of different nodes.  Empty when
  /// all were lost.
  std::vector<std::vector<msg::MemberId>> cells;

  bool operator==(Layout const&) const = default;
};

/// A copy of a cell that a member needs and did not hold.
struct CellMove {
  std::size_t cell = 0;
  msg::MemberId from = 0;
  msg::MemberId to = 0;

  bool operator==(CellMove const&) const = default;
};

/// The most cells that any of these members must hold, when none holds more
/// than it has to.  Members are not empty, their ids differ, copies > 0.
std::size_t cells_max(std::vector<Holder> const& members, std::size_t cells,
                      std::size_t copies);

/// Cells on these members, each `copies` times, or as often as there are nodes.
///
/// No member holds more than cells_max(), no node two copies of a cell.  Of all
/// such layouts it is one that asks for the fewest copies that their holder did
/// not have in `previous`.  Equal input gives an equal layout.  `previous` has
/// the same number of cells, and may name members that are gone; with no
/// holders at all it is that of a training that begins.
Layout next_layout(Layout const& previous, std::vector<Holder> const& members,
                   std::size_t copies);

/// The copies that `next` has and `previous` had not, each from a member that
/// is in both and had it; senders are used evenly.  A cell that no such member
/// has is left out: it comes from a checkpoint, see lost_cells().
std::vector<CellMove> moves(Layout const& previous, Layout const& next);

/// Cells of `previous` that none of these members holds, in order.
std::vector<std::size_t> lost_cells(Layout const& previous,
                                    std::vector<Holder> const& members);

}  // namespace gleaner::generation
