// SPDX-License-Identifier: Apache-2.0
#include "cli/status_command.hh"

#include <pwd.h>
#include <unistd.h>

#include <asio.hpp>
#include <chrono>
#include <cstdio>
#include <optional>
#include <thread>
#include <vector>

#include "cli/status_view.hh"
#include "core/config.hh"
#include "core/slurm_user.hh"
#include "proto/channel.hh"
#include "proto/munge_handshake.hh"

namespace gleaner::cli {
namespace {

constexpr double connect_s_max = 3, answer_s_max = 5;

/// One question and its answer.  Everything is bounded by answer_s_max.
class Query {
 public:
  explicit Query(Config const& config) : config_(config) {}

  Result<msg::StatusReply> run() {
    connect_tcp(io_, config_.address, connect_s_max, [this](auto channel) {
      if (!channel) return finish(channel.error());
      channel_ = *channel;
      prove();
    });
    io_.run_for(std::chrono::duration_cast<std::chrono::milliseconds>(
        std::chrono::duration<double>(answer_s_max)));
    if (channel_) channel_->close();
    if (!answer_)
      finish(Error{Errc::timed_out, "gleanerd did not answer in " +
                                        std::to_string(int(answer_s_max)) +
                                        " s"});
    return *answer_;
  }

 private:
  void prove() {
    munge_client(
        channel_, config_.munge_socket, gleanerd_uids(config_), connect_s_max,
        [this](Error const& why) { finish(why); },
        [this](Result<void> proven) {
          if (!proven) return finish(proven.error());
          channel_->on_message([this](auto const& json) { on_reply(json); });
          channel_->send(msg::to_json(msg::FromClient(msg::StatusRequest{})));
        });
  }

  void on_reply(nlohmann::json const& json) {
    auto reply = msg::parse_to_client(json);
    if (!reply) return finish(reply.error());
    finish(std::get<msg::StatusReply>(*reply));
  }

  void finish(Result<msg::StatusReply> answer) {
    if (!answer_) answer_ = std::move(answer);
    io_.stop();
  }

  Config const& config_;
  asio::io_context io_;
  std::shared_ptr<Channel> channel_;
  std::optional<Result<msg::StatusReply>> answer_;
};

std::string user_name(Uid uid) {
  passwd const* entry = getpwuid(uid);
  return entry ? entry->pw_name : std::to_string(uid);
}

class View {
 public:
  View(StatusOptions const& options, std::vector<std::string> nodes)
      : options_(options),
        nodes_(std::move(nodes)),
        terminal_(isatty(STDOUT_FILENO) == 1) {}

  void show(msg::StatusReply const& status) {
    using Form = StatusOptions::Form;
    if (since_s_ == 0) since_s_ = status.time_s;
    std::string text;
    switch (options_.form) {
      case Form::json:
        text =
            msg::to_json(msg::ToClient(status)).dump(options_.watch ? -1 : 2) +
            "\n";
        break;
      case Form::strip:
        text = status_strip(status, nodes_, since_s_,
                            terminal_ ? Ink::colour : Ink::plain) +
               "\n";
        break;
      case Form::table:
        // Home and clear, so that the table stays in its place.
        if (options_.watch && terminal_) text = "\033[H\033[2J";
        text += status_table(status, user_name);
        if (options_.watch && !terminal_) text += "\n";
    }
    std::fputs(text.c_str(), stdout);
    std::fflush(stdout);
  }

 private:
  StatusOptions const& options_;
  std::vector<std::string> nodes_;
  bool terminal_;
  double since_s_ = 0;
};

int complain(std::string const& what) {
  std::fprintf(stderr, "gleaner: %s\n", what.c_str());
  return 1;
}

}  // namespace

int run_status(StatusOptions const& options) {
  auto const path = options.config.empty() ? config_path() : options.config;
  auto const config = load_config(path);
  if (!config) return complain(config.error().message);
  auto const nodes = NodeSet::parse(options.strip_nodes);
  if (!nodes) return complain(nodes.error().message);

  View view(options, {nodes->begin(), nodes->end()});
  for (;;) {
    auto const next =
        std::chrono::steady_clock::now() + std::chrono::seconds(1);
    auto const status = Query(*config).run();
    if (status)
      view.show(*status);
    else
      complain("cannot ask gleanerd at " + config->address + " (" +
               status.error().message +
               ") [is gleanerd running, and 'address' in " + path + " right?]");
    if (!options.watch) return status ? 0 : 1;
    std::this_thread::sleep_until(next);
  }
}

}  // namespace gleaner::cli
