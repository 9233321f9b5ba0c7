// SPDX-License-Identifier: Apache-2.0
/// Sets of cluster nodes, written the way Slurm writes them: "n[01-03,7]".
#pragma once

#include <compare>
#include <cstddef>
#include <initializer_list>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "core/copy_on_write.hh"
#include "core/result.hh"

namespace gleaner {

/// A set of node names, ordered by name.  A copy costs nothing until one of
/// both is changed.
///
/// Text form: names separated by commas; a name may end in bracketed indices.
/// Leading zeros are part of the name: "n[08-10]" is n08, n09, n10.
///
///     auto idle = NodeSet::parse("n[01-04]");
///     if (!idle) return idle.error();
///     idle->erase("n02");
///     idle->to_string();   // "n[01,03-04]"
class NodeSet {
 public:
  NodeSet() = default;
  NodeSet(std::initializer_list<std::string> names) : names_(Names(names)) {}

  /// Read the text form.  Fails with invalid_argument, quoting the item that
  /// could not be read, and for more than 65,536 nodes.
  static Result<NodeSet> parse(std::string_view text);

  /// The shortest text form that parse() and Slurm both accept; "" when empty.
  std::string to_string() const;

  void insert(std::string name) { names_.write().insert(std::move(name)); }
  void erase(std::string const& name) { names_.write().erase(name); }

  bool contains(std::string const& name) const {
    return names_.read().count(name) != 0;
  }
  bool operator==(NodeSet const& other) const {
    return names_.is_shared_with(other.names_) ||
           names_.read() == other.names_.read();
  }
  std::strong_ordering operator<=>(NodeSet const& other) const {
    if (names_.is_shared_with(other.names_)) return std::strong_ordering::equal;
    return names_.read() <=> other.names_.read();
  }
  std::size_t size() const { return names_.read().size(); }
  bool empty() const { return names_.read().empty(); }

  /// Nodes in name order.
  auto begin() const { return names_.read().begin(); }
  auto end() const { return names_.read().end(); }

 private:
  using Names = std::set<std::string>;
  CopyOnWrite<Names> names_;
};

}  // namespace gleaner
