// SPDX-License-Identifier: Apache-2.0
#include "runtime/agent/binding.hh"

#include <hwloc.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <map>

namespace gleaner::agent {
namespace {

/// A member with so many cores computes on one less: what moves bytes and
/// loads data runs beside it.
constexpr int plenty = 8;

/// A set of hardware threads, or of NUMA nodes.
class Bitmap {
 public:
  Bitmap() : set_(hwloc_bitmap_alloc()) {}
  explicit Bitmap(hwloc_const_bitmap_t from) : set_(hwloc_bitmap_dup(from)) {}
  Bitmap(Bitmap const& other) : Bitmap(other.set_) {}
  Bitmap& operator=(Bitmap const&) = delete;
  ~Bitmap() { hwloc_bitmap_free(set_); }

  static Bitmap from_list(std::string const& text) {
    Bitmap set;
    if (hwloc_bitmap_list_sscanf(set.set_, text.c_str()) != 0)
      hwloc_bitmap_zero(set.set_);
    return set;
  }
  std::string to_list() const {
    char* text = nullptr;
    if (hwloc_bitmap_list_asprintf(&text, set_) < 0) return "";
    std::string const list = text;
    std::free(text);
    return list;
  }

  hwloc_bitmap_t get() const { return set_; }
  bool empty() const { return hwloc_bitmap_iszero(set_); }
  void keep_only(Bitmap const& other) {
    hwloc_bitmap_and(set_, set_, other.set_);
  }
  void add(Bitmap const& other) { hwloc_bitmap_or(set_, set_, other.set_); }

 private:
  hwloc_bitmap_t set_;
};

}  // namespace

struct Machine::Topology {
  hwloc_topology_t topology = nullptr;
  Bitmap allowed;

  ~Topology() {
    if (topology) hwloc_topology_destroy(topology);
  }

  /// The allowed hardware threads of each object of a type, within `within`,
  /// neighbours next to each other.
  std::vector<Bitmap> each(hwloc_obj_type_t type, Bitmap const& within) const {
    std::vector<Bitmap> sets;
    for (hwloc_obj_t object = nullptr;
         (object = hwloc_get_next_obj_by_type(topology, type, object));) {
      Bitmap set(object->cpuset);
      set.keep_only(within);
      if (!set.empty()) sets.push_back(set);
    }
    return sets;
  }

  int memory_of(Bitmap const& cpus) const {
    int found = -1;
    for (hwloc_obj_t node = nullptr;
         (node = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_NUMANODE,
                                            node));) {
      if (!hwloc_bitmap_intersects(node->cpuset, cpus.get())) continue;
      if (found >= 0) return -1;
      found = int(node->os_index);
    }
    return found;
  }

  /// Share `place` of `places` of what is within; nothing when there are more
  /// members than hardware threads.
  Binding share_of(Bitmap const& within, std::size_t place,
                   std::size_t places) const {
    auto units = each(HWLOC_OBJ_CORE, within);
    if (units.size() < places) units = each(HWLOC_OBJ_PU, within);
    if (units.size() < places) return {};
    auto const first = units.size() * place / places;
    auto const last = units.size() * (place + 1) / places;
    Bitmap cpus;
    for (auto i = first; i < last; ++i) cpus.add(units[i]);
    auto const cores = int(last - first);
    return {cpus.to_list(), memory_of(cpus),
            cores >= plenty ? cores - 1 : cores};
  }
};

std::string Binding::text() const {
  if (cpus.empty()) return "";
  auto const cpus_text = "cpus=" + cpus;
  return memory < 0 ? cpus_text
                    : cpus_text + " memory=" + std::to_string(memory);
}

Machine::Machine(std::unique_ptr<Topology> topology)
    : topology_(std::move(topology)) {}
Machine::Machine(Machine&&) noexcept = default;
Machine::~Machine() = default;

Result<Machine> Machine::here() {
  auto machine = std::make_unique<Topology>();
  if (hwloc_topology_init(&machine->topology) != 0 ||
      hwloc_topology_load(machine->topology) != 0)
    return Error{Errc::io, std::string("hwloc cannot look at this machine: ") +
                               std::strerror(errno)};
  // Slurm confines the lease by a cpuset, by affinity, or by both.
  if (hwloc_get_cpubind(machine->topology, machine->allowed.get(),
                        HWLOC_CPUBIND_PROCESS) != 0)
    return Error{Errc::io,
                 std::string("cannot read this process's affinity: ") +
                     std::strerror(errno)};
  machine->allowed.keep_only(
      Bitmap(hwloc_topology_get_allowed_cpuset(machine->topology)));
  return Machine(std::move(machine));
}

Result<Machine> Machine::synthetic(std::string const& description,
                                   std::string const& allowed) {
  auto machine = std::make_unique<Topology>();
  if (hwloc_topology_init(&machine->topology) != 0 ||
      hwloc_topology_set_synthetic(machine->topology, description.c_str()) !=
          0 ||
      hwloc_topology_load(machine->topology) != 0)
    return Error{Errc::invalid_argument,
                 "hwloc cannot make a machine of '" + description + "'"};
  machine->allowed.add(
      Bitmap(hwloc_topology_get_allowed_cpuset(machine->topology)));
  if (!allowed.empty()) machine->allowed.keep_only(Bitmap::from_list(allowed));
  return Machine(std::move(machine));
}

std::vector<Binding> Machine::share(
    std::vector<std::string> const& near) const {
  // Members near the same hardware threads share those; one that is near none
  // that may be used shares all.
  std::vector<std::string> groups;
  std::map<std::string, std::size_t> sizes, taken;
  for (auto const& text : near) {
    auto cpus = Bitmap::from_list(text);
    cpus.keep_only(topology_->allowed);
    groups.push_back(cpus.empty() ? topology_->allowed.to_list()
                                  : cpus.to_list());
    ++sizes[groups.back()];
  }
  std::vector<Binding> bindings;
  for (auto const& group : groups)
    bindings.push_back(topology_->share_of(Bitmap::from_list(group),
                                           taken[group]++, sizes[group]));
  return bindings;
}

}  // namespace gleaner::agent
