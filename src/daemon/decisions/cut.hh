// SPDX-License-Identifier: Apache-2.0
/// Into which parts is what is free of a node cut, so that they can be lent?
///
/// A part is as large as one lease (core/part_size.hh).  Pure.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/cluster.hh"

namespace gleaner::daemon {

/// A part of a node that is free.
struct Part {
  int index = 0;  ///< in its place's name: "n3+1"
  Resources has;
  bool operator==(Part const&) const = default;
};

/// Cut what is `free` of a node of this kind into parts that each serve what
/// is `asked` of a node.  Parts get the least numbers that are not `taken` by
/// leases, which count towards NodeKind::parts_max.  So while leases come and
/// go, the others keep their names.
std::vector<Part> cut(NodeKind const& kind, Resources const& free,
                      std::set<int> const& taken, Resources const& asked);

/// What a lease on each node of a kind has to serve.  Trainings that ask for
/// different amounts take turns, node by node in the order of names: with 1 and
/// 4 GPUs asked for, every second node is cut into parts of 4.  Where there are
/// fewer nodes than amounts, those of the first trainings count.
class PartSizes {
 public:
  /// `asked`: by trainings that are there, in order of arrival.
  PartSizes(std::vector<NodeKind> const& kinds,
            std::vector<Resources> const& asked);

  /// Nothing in particular where no training asks for what such a node has.
  Resources const& on(std::string const& node, KindIndex kind) const;

 private:
  struct OfKind {
    std::vector<Resources> asked;                     ///< different amounts
    std::map<std::string_view, std::size_t> turn_of;  ///< by node
  };
  std::vector<OfKind> kinds_;
};

}  // namespace gleaner::daemon
