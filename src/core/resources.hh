// SPDX-License-Identifier: Apache-2.0
/// Amounts of what nodes have and jobs ask for: CPUs, memory, GRES.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "core/result.hh"

namespace gleaner {

/// Generic resources by name and type: {"gpu:a", 2}, {"nvme", 1}.  A name
/// without a type is, of a node, units that have none; of a request, any type.
using Gres = std::map<std::string, std::int64_t>;

/// What a node has or has free, or what is asked for on each node.
struct Resources {
  int cpus = 0;
  std::int64_t memory_mb = 0;  ///< MiB, as Slurm counts
  Gres gres;                   ///< no entry is 0
  bool operator==(Resources const&) const = default;
};

/// Read any of Slurm's notations: of nodes "gpu:a:2(S:0),gpu:b:4,nvme:1", of
/// what is in use "gpu:a:1(IDX:0),gpu:b:0(IDX:N/A)", of requests "gpu",
/// "gres:gpu:a:4", "gres/gpu=4".  Entries of one name and type add up; those
/// of no unit are left out.  Counts may end in K, M, G or T (powers of 1024).
/// Fails with invalid_argument, quoting the entry that cannot be read.
Result<Gres> parse_gres(std::string_view text);

/// Slurm's notation again: "gpu:a:2,nvme:1"; "" for nothing.
std::string to_string(Gres const& gres);

/// For people: "8 CPUs, 16000 MB, gpu:a:2"; "nothing" when there is nothing.
std::string to_string(Resources const& resources);

/// The units of a name whatever their type: of "gpu" in {"gpu:a": 2, "gpu": 1}
/// there are 3.
std::int64_t count_of(Gres const& gres, std::string_view name);

/// Is there enough of everything that is asked for?  A type is met by that
/// type alone, a name without a type by all its types together, less those
/// that the same request asks for by type.
bool covers(Gres const& have, Gres const& asked);
bool covers(Resources const& have, Resources const& asked);

/// What is missing: the first in the order CPUs, memory, GRES, such as "gpu:b:4
/// (has gpu:a:2)"; "" if `have` covers `asked`.
std::string lacks(Resources const& have, Resources const& asked);

/// Sum and difference.  Differences end at 0; units taken without a type come
/// from units without one, then from the types in the order of their names.
Resources plus(Resources const& a, Resources const& b);
Resources minus(Resources const& a, Resources const& b);
Gres plus(Gres const& a, Gres const& b);
Gres minus(Gres const& a, Gres const& b);

/// Each amount the smaller of both; entries that only one side has are gone.
Resources least_of(Resources const& a, Resources const& b);

}  // namespace gleaner
