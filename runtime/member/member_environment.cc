// SPDX-License-Identifier: Apache-2.0
#include "runtime/member/member_environment.hh"

#include <charconv>
#include <cstdlib>
#include <optional>

#include "runtime/os/handed_secret.hh"

namespace gleaner::member {
namespace {

std::string variable(char const* name, char const* fallback = "") {
  auto const* value = std::getenv(name);
  return value ? value : fallback;
}

template <class Number>
std::optional<Number> number(std::string const& text) {
  Number value = 0;
  auto const* end = text.data() + text.size();
  auto const read = std::from_chars(text.data(), end, value);
  if (read.ec != std::errc{} || read.ptr != end) return std::nullopt;
  return value;
}

Result<generation::ShareRules> read_share_rules() {
  generation::ShareRules rules;
  auto const on_loss = variable("GLEANER_ON_LOSS", "recompute");
  if (on_loss != "short" && on_loss != "recompute")
    return Error{Errc::invalid_argument, "GLEANER_ON_LOSS is '" + on_loss +
                                             "', expected recompute or short"};
  rules.on_loss = on_loss == "short" ? generation::OnLoss::short_step
                                     : generation::OnLoss::recompute;
  auto const shards = variable("GLEANER_DETERMINISTIC");
  if (shards.empty()) return rules;
  rules.shards = number<std::uint32_t>(shards).value_or(0);
  if (rules.shards == 0)
    return Error{Errc::invalid_argument,
                 "GLEANER_DETERMINISTIC is '" + shards +
                     "', expected the number of shards, 1 or more"};
  rules.on_loss = generation::OnLoss::recompute;
  return rules;
}

/// "LATENCY_S,BYTES_PER_S"
Result<std::optional<comm::SlowLink>> read_slow_link() {
  auto const text = variable("GLEANER_SLOW_LINK");
  if (text.empty()) return std::optional<comm::SlowLink>();
  auto const comma = text.find(',');
  if (comma != std::string::npos) {
    auto const latency_s = number<double>(text.substr(0, comma));
    auto const bytes_per_s = number<double>(text.substr(comma + 1));
    if (latency_s && bytes_per_s && *latency_s >= 0 && *latency_s < 60 &&
        *bytes_per_s >= 1)
      return std::optional(comm::SlowLink{*latency_s, *bytes_per_s});
  }
  return Error{Errc::invalid_argument,
               "GLEANER_SLOW_LINK is '" + text +
                   "', expected a latency in seconds and bytes a second, as "
                   "50e-6,1.25e9"};
}

/// The descriptor first: it has to be closed before the program starts others.
Result<std::string> read_secret() {
  auto const text = variable("GLEANER_SECRET_FD");
  auto const file = variable("GLEANER_SECRET_FILE");
  std::string missing =
      "neither GLEANER_SECRET_FD nor GLEANER_SECRET_FILE is "
      "set (what proves that this is a member)";
  if (!text.empty()) {
    auto const fd = number<int>(text);
    auto secret = os::take_secret(fd.value_or(-1));
    if (secret || secret.error().code != Errc::invalid_argument) return secret;
    missing = "GLEANER_SECRET_FD is '" + text + "', and " +
              secret.error().message +
              " (a program between the agent and this one closed it, or it was "
              "taken before)";
  }
  if (!file.empty()) return os::secret_of_file(file);
  return Error{Errc::invalid_argument,
               missing +
                   " [let a wrapper exec the program, or set "
                   "GLEANER_SECRET_FILE for the job; see gleaner(7)]"};
}

}  // namespace

Result<MemberEnvironment> MemberEnvironment::read() {
  MemberEnvironment environment;
  environment.coordinator = variable("GLEANER_COORDINATOR");
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
  auto const slow_link = read_slow_link();
  if (!slow_link) return slow_link.error();
  environment.slow_link = *slow_link;
  if (environment.coordinator.empty()) return environment;
  auto const id = variable("GLEANER_MEMBER");
  auto const member = number<msg::MemberId>(id);
  if (!member)
    return Error{Errc::invalid_argument,
                 "GLEANER_MEMBER is '" + id +
                     "', expected a number [start it with 'gleaner run']"};
  environment.member = *member;
  auto secret = read_secret();
  if (!secret) return secret.error();
  environment.secret = std::move(*secret);
  return environment;
}

}  // namespace gleaner::member
