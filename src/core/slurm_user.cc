// SPDX-License-Identifier: Apache-2.0
/// Users of this host, by getpwnam_r.
#include "core/slurm_user.hh"

#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

namespace gleaner {
namespace {

std::optional<Uid> uid_of(std::string const& user) {
  Uid number = 0;
  auto const end = user.data() + user.size();
  auto const [stop, error] = std::from_chars(user.data(), end, number);
  if (!user.empty() && error == std::errc() && stop == end) return number;
  passwd entry{};
  passwd* found = nullptr;
  std::array<char, 16384> texts{};
  if (::getpwnam_r(user.c_str(), &entry, texts.data(), texts.size(), &found) !=
          0 ||
      !found)
    return std::nullopt;
  return static_cast<Uid>(entry.pw_uid);
}

}  // namespace

std::vector<Uid> gleanerd_uids(Config const& config) {
  std::vector<Uid> uids = {0};
  auto const uid = uid_of(config.slurm_user);
  if (uid && *uid != 0) uids.push_back(*uid);
  return uids;
}

Result<void> check_own_user(Config const& config) {
  auto const self = static_cast<Uid>(::geteuid());
  auto const uids = gleanerd_uids(config);
  if (std::find(uids.begin(), uids.end(), self) != uids.end()) return {};
  return Error{Errc::denied,
               "gleanerd runs as uid " + std::to_string(self) +
                   ", and slurm_user in gleaner.yaml is '" + config.slurm_user +
                   "' (coordinators believe nobody but root and slurm_user) "
                   "[set slurm_user to SlurmUser of slurm.conf]"};
}

}  // namespace gleaner
