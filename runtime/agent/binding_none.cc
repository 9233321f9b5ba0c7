// SPDX-License-Identifier: Apache-2.0
/// Replaces binding.cc in a build without hwloc: no member is bound.
#include "runtime/agent/binding.hh"

namespace gleaner::agent {

struct Machine::Topology {};

std::string Binding::text() const { return ""; }

Machine::Machine(std::unique_ptr<Topology> topology)
    : topology_(std::move(topology)) {}
Machine::Machine(Machine&&) noexcept = default;
Machine::~Machine() = default;

Result<Machine> Machine::here() {
  return Error{Errc::not_found, "built without hwloc"};
}

Result<Machine> Machine::synthetic(std::string const&, std::string const&) {
  return here();
}

std::vector<Binding> Machine::share(
    std::vector<std::string> const& near) const {
  return std::vector<Binding>(near.size());
}

}  // namespace gleaner::agent
