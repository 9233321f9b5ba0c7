// SPDX-License-Identifier: Apache-2.0
#include "cli/admin_command.hh"

#include <chrono>
#include <cstdio>
#include <thread>
#include <vector>

#include "cli/daemon_query.hh"
#include "core/config.hh"

namespace gleaner::cli {
namespace {

struct AdminOptions {
  std::string config;  ///< path of gleaner.yaml; "": where it is by default
  std::string action;  ///< "drain", "resume", "observe", "on"
  std::string nodes;   ///< "n[1-4]"; "": all
  double wait_s = 30;  ///< for nodes to come back; 0: do not wait
};

constexpr int exit_not_back = 1, exit_refused = 2;
constexpr std::chrono::milliseconds look_gap(100);

using Clock = std::chrono::steady_clock;

int complain(std::string const& what) {
  std::fprintf(stderr, "gleaner: %s\n", what.c_str());
  return exit_refused;
}

std::string text_of(std::vector<std::string> const& nodes) {
  NodeSet set;
  for (auto const& node : nodes) set.insert(node);
  return set.to_string();
}

/// Those of `nodes` that leases are still on; all of them if nobody answers.
std::vector<std::string> still_lent(Config const& config,
                                    std::vector<std::string> const& nodes) {
  auto const answer = ask_daemon(config, msg::StatusRequest{});
  auto const* status =
      answer ? std::get_if<msg::StatusReply>(&*answer) : nullptr;
  if (!status) return nodes;
  NodeSet lent;
  for (auto const& lease : status->leases) lent.insert(lease.node);
  std::vector<std::string> left;
  for (auto const& node : nodes)
    if (lent.contains(node)) left.push_back(node);
  return left;
}

int await(Config const& config, std::vector<std::string> nodes, double wait_s) {
  auto const began = Clock::now();
  auto const elapsed_s = [&] {
    return std::chrono::duration<double>(Clock::now() - began).count();
  };
  auto const count = nodes.size();
  while (!nodes.empty() && elapsed_s() < wait_s) {
    std::this_thread::sleep_for(look_gap);
    nodes = still_lent(config, nodes);
  }
  if (nodes.empty()) {
    std::printf("%zu %s back after %.1f s\n", count,
                count == 1 ? "node is" : "nodes are", elapsed_s());
    return 0;
  }
  std::fprintf(stderr,
               "gleaner: %s: still on lease after %.0f s [see gleanerd's log; "
               "scancel ends what Slurm shows in the lease partition]\n",
               text_of(nodes).c_str(), elapsed_s());
  return exit_not_back;
}

void show(msg::AdminReply const& reply) {
  std::printf("mode %s", reply.mode.c_str());
  if (!reply.drained.empty())
    std::printf(", drained: %s", reply.drained.c_str());
  std::printf("\n");
  if (!reply.why.empty())
    std::fprintf(stderr, "gleaner: %s\n", reply.why.c_str());
}

/// Returns the exit status: 0 when the order is in force and no lease is left
/// on what it is about, 1 when nodes were not back in time, 2 when gleanerd
/// refused it or cannot be asked.
int run_admin(AdminOptions const& options) {
  auto const path = options.config.empty() ? config_path() : options.config;
  auto const config = load_config(path);
  if (!config) return complain(config.error().message);
  auto const answer =
      ask_daemon(*config, msg::AdminRequest{options.action, options.nodes});
  if (!answer) return complain(unanswered(*config, path, answer.error()));
  auto const* reply = std::get_if<msg::AdminReply>(&*answer);
  if (!reply) return complain("gleanerd answered something else");
  if (!reply->done) return complain(reply->why);
  show(*reply);
  if (reply->returning.empty() || options.wait_s <= 0) return 0;
  return await(*config, reply->returning, options.wait_s);
}

/// One of `gleaner admin`'s orders.
CLI::App* add_order(CLI::App& admin, char const* action, char const* help,
                    std::shared_ptr<AdminOptions> const& options, Run& run) {
  auto* order = admin.add_subcommand(action, help);
  order->add_option("--config", options->config, "gleaner.yaml to read");
  order
      ->add_option(
          "--wait", options->wait_s,
          "Longest time to wait for nodes to come back; 0: do not wait")
      ->check(CLI::NonNegativeNumber)
      ->type_name("SECONDS")
      ->capture_default_str();
  order->callback([options, action, &run] {
    options->action = action;
    run = [options] { return run_admin(*options); };
  });
  return order;
}

}  // namespace

void admin_command(CLI::App& admin, Run& run) {
  auto const options = std::make_shared<AdminOptions>();
  admin.require_subcommand(1);
  for (auto* order :
       {add_order(admin, "drain",
                  "Take nodes back, and lend them no more; without NODES: all",
                  options, run),
        add_order(admin, "resume", "Undo drain; without NODES: for all nodes",
                  options, run)})
    order->add_option("nodes", options->nodes, "As Slurm writes them: n[1-4]")
        ->type_name("NODES");
  add_order(admin, "observe", "Take all nodes back, and then only report holes",
            options, run);
  add_order(admin, "on", "Undo observe", options, run);
}

}  // namespace gleaner::cli
