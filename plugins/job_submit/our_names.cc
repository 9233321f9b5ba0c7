// SPDX-License-Identifier: Apache-2.0
/// Finding our names in the lists that Slurm's options are.
#include "plugins/job_submit/our_names.hh"

#include <algorithm>

#include "plugins/malleable_range.hh"

namespace gleaner::job_submit {
namespace {

char lower(char c) noexcept {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

/// Slurm ignores case in some names (account, QOS), so we do in all.
bool equal_ignoring_case(std::string_view a, std::string_view b) noexcept {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return lower(x) == lower(y); });
}

/// Is `name` a word of `list`?  Words are what lies between the characters
/// that Slurm puts between names or after them: "main,lease", "gleaner:1",
/// "gleaner@db=2", "license/gleaner:1".
bool has_word(std::string_view list, std::string_view name) noexcept {
  constexpr std::string_view between = ",;|&:=@/()[] \t\n";
  if (name.empty()) return false;
  while (!list.empty()) {
    auto const end = std::min(list.find_first_of(between), list.size());
    if (equal_ignoring_case({list.data(), end}, name)) return true;
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return false;
}

/// A name may itself hold one of the characters between words.
bool names(std::string_view list, std::string_view name) noexcept {
  return !name.empty() &&
         (has_word(list, name) || equal_ignoring_case(list, name));
}

/// "license:gleaner:1", "license/gleaner:1"
bool tres_names_licence(std::string_view tres, std::string_view name) noexcept {
  return has_word(tres, "license") && has_word(tres, name);
}

}  // namespace

OurNames names_of(Config const& config) noexcept {
  return {config.lease_partition, config.reservation, config.licence,
          config.lease_account, config.lease_qos};
}

NamedPlaces places_of(JobRequest const& request) noexcept {
  return {request.partition,
          request.reservation,
          request.licences,
          request.account,
          request.qos,
          {request.tres_per_node, request.tres_per_job, request.tres_per_socket,
           request.tres_per_task}};
}

std::string FoundName::to_string() const {
  return std::string(kind) + " " + in_quotes(name);
}

std::optional<FoundName> find_ours(NamedPlaces const& places,
                                   OurNames const& ours) noexcept {
  using Found = std::optional<FoundName>;
  if (names(places.partition, ours.partition))
    return Found({"partition", ours.partition});
  if (names(places.reservation, ours.reservation))
    return Found({"reservation", ours.reservation});
  if (names(places.licences, ours.licence))
    return Found({"licence", ours.licence});
  for (auto const tres : places.tres)
    if (tres_names_licence(tres, ours.licence))
      return Found({"licence", ours.licence});
  if (names(places.account, ours.account))
    return Found({"account", ours.account});
  if (names(places.qos, ours.qos)) return Found({"QOS", ours.qos});
  return std::nullopt;
}

}  // namespace gleaner::job_submit
