// SPDX-License-Identifier: Apache-2.0
#include "runtime/member/member_environment.hh"

#include <charconv>
#include <cstdlib>

namespace gleaner {
namespace {

std::string variable(char const* name, char const* fallback = "") {
  auto const* value = std::getenv(name);
  return value ? value : fallback;
}

Result<ShareRules> read_share_rules() {
  ShareRules rules;
  auto const on_loss = variable("GLEANER_ON_LOSS", "short");
  if (on_loss != "short" && on_loss != "recompute")
    return Error{Errc::invalid_argument, "GLEANER_ON_LOSS is '" + on_loss +
                                             "', expected short or recompute"};
  if (on_loss == "recompute") rules.on_loss = OnLoss::recompute;
  auto const shards = variable("GLEANER_DETERMINISTIC");
  if (shards.empty()) return rules;
  auto const* end = shards.data() + shards.size();
  auto const read = std::from_chars(shards.data(), end, rules.shards);
  if (read.ec != std::errc{} || read.ptr != end || rules.shards == 0)
    return Error{Errc::invalid_argument,
                 "GLEANER_DETERMINISTIC is '" + shards +
                     "', expected the number of shards, 1 or more"};
  rules.on_loss = OnLoss::recompute;
  return rules;
}

}  // namespace

Result<MemberEnvironment> MemberEnvironment::read() {
  MemberEnvironment environment;
  environment.coordinator = variable("GLEANER_COORDINATOR");
  environment.secret = variable("GLEANER_SECRET");
  environment.node = variable("GLEANER_NODE");
  environment.plane = variable("GLEANER_COMM", "auto");
  environment.address = variable("GLEANER_ADDRESS");
  auto rules = read_share_rules();
  if (!rules) return rules.error();
  environment.rules = *rules;
  auto const overlap = variable("GLEANER_OVERLAP", "1");
  if (overlap != "0" && overlap != "1")
    return Error{Errc::invalid_argument,
                 "GLEANER_OVERLAP is '" + overlap + "', expected 0 or 1"};
  environment.overlap = overlap == "1";
  environment.comm_host = variable("GLEANER_COMM_HOST");
  environment.topology = variable("SLURM_TOPOLOGY_ADDR");
  environment.cpus = variable("GLEANER_CPUS");
  if (environment.coordinator.empty()) return environment;
  auto const id = variable("GLEANER_MEMBER");
  char* end = nullptr;
  auto const number = std::strtoul(id.c_str(), &end, 10);
  if (id.empty() || *end != '\0' || number > 0xffffffff)
    return Error{Errc::invalid_argument,
                 "GLEANER_MEMBER is '" + id +
                     "', expected a number [start it with 'gleaner run']"};
  environment.member = msg::MemberId(number);
  return environment;
}

}  // namespace gleaner
