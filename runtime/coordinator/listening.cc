// SPDX-License-Identifier: Apache-2.0
/// On which of this host's addresses does the coordinator listen?
#include "runtime/coordinator/listening.hh"

#include <algorithm>

#include "core/log.hh"

namespace gleaner::coordinator {
namespace {

using asio::ip::address;
using asio::ip::tcp;

constexpr char const* remedy =
    " [--address is what nodes call; --listen the address of this host where "
    "that arrives]";

/// Other hosts first reach what is neither of this host alone nor of one link.
int distance(address const& a) {
  if (a.is_loopback()) return 2;
  return a.is_v6() && a.to_v6().is_link_local() ? 1 : 0;
}

Result<std::vector<address>> resolved(asio::io_context& io,
                                      std::string const& name) {
  asio::error_code error;
  auto const found = tcp::resolver(io).resolve(name, "0", error);
  if (error)
    return Error{Errc::io, "cannot listen on '" + name + "' (" +
                               error.message() + ")" + remedy};
  std::vector<address> all;
  for (auto const& entry : found)
    if (auto const a = entry.endpoint().address();
        std::find(all.begin(), all.end(), a) == all.end())
      all.push_back(a);
  return all;
}

}  // namespace

ListeningPlan listening_plan(std::vector<address> resolved, bool chosen) {
  ListeningPlan plan{std::move(resolved)};
  std::stable_sort(
      plan.addresses.begin(), plan.addresses.end(),
      [](auto const& a, auto const& b) { return distance(a) < distance(b); });
  plan.everywhere = !chosen && !plan.addresses.empty() &&
                    plan.addresses.front().is_loopback();
  return plan;
}

Result<std::unique_ptr<proto::Listener>> listen_where_nodes_call(
    asio::io_context& io, ListeningWish const& wish,
    proto::Listener::OnAccept const& on_accept) {
  bool const chosen = wish.chosen || !wish.listen.empty();
  auto const& name = wish.listen.empty() ? wish.address : wish.listen;
  auto const found = resolved(io, name);
  if (!found) return found.error();
  auto const plan = listening_plan(*found, chosen);
  if (plan.everywhere) {
    log_to_stderr(LogLevel::warn,
                  LogLine("listens_everywhere")
                      .kv("name", name)
                      .kv("why",
                          "this host's name leads to loopback here, and "
                          "elsewhere on other nodes [say --listen or "
                          "--address]"));
    return proto::Listener::tcp(io, "0.0.0.0:0", on_accept);
  }
  Error last{Errc::io, "cannot listen on '" + name + "' (it has no address)"};
  for (auto const& address : plan.addresses) {
    auto listener = proto::Listener::tcp(
        io, host_and_port(address.to_string(), 0), on_accept);
    if (listener) return listener;
    last = listener.error();
  }
  return Error{last.code, last.message + remedy};
}

std::string host_and_port(std::string const& host, int port) {
  bool const bare_v6 =
      host.find(':') != std::string::npos && host.front() != '[';
  return (bare_v6 ? '[' + host + ']' : host) + ':' + std::to_string(port);
}

}  // namespace gleaner::coordinator
