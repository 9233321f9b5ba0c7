// SPDX-License-Identifier: Apache-2.0
/// Does a request name the lease partition, reservation, licence, account or
/// QOS?
///
/// Asked of every request, and again when something has gone wrong: nothing
/// here allocates or throws.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "core/config.hh"
#include "plugins/job_submit/job_request.hh"

namespace gleaner::job_submit {

/// The names that are for leases only; "" where there is none.
struct OurNames {
  std::string_view partition;
  std::string_view reservation;
  std::string_view licence;
  std::string_view account;
  std::string_view qos;
};

/// Views of `config`'s strings.
OurNames names_of(Config const& config) noexcept;

/// Where a request can name them; "" where it says nothing.
struct NamedPlaces {
  std::string_view partition;
  std::string_view reservation;
  std::string_view licences;
  std::string_view account;
  std::string_view qos;
  /// Per node, job, socket and task: since 24.05 TRES can be licences.
  std::array<std::string_view, 4> tres;
};

/// Views of `request`'s strings.
NamedPlaces places_of(JobRequest const& request) noexcept;

struct FoundName {
  char const*
      kind;  ///< "partition", "reservation", "licence", "account", "QOS"
  std::string_view name;

  std::string to_string() const;  ///< "partition 'lease'"
};

/// The first of `ours` that is named, in a list too ("main,lease",
/// "gleaner:1"); none when none is.
std::optional<FoundName> find_ours(NamedPlaces const& places,
                                   OurNames const& ours) noexcept;

}  // namespace gleaner::job_submit
