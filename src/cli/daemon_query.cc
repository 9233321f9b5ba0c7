// SPDX-License-Identifier: Apache-2.0
#include "cli/daemon_query.hh"

#include <asio.hpp>
#include <chrono>
#include <optional>

#include "core/slurm_user.hh"
#include "proto/channel.hh"
#include "proto/munge_handshake.hh"

namespace gleaner::cli {
namespace {

constexpr double connect_s_max = 3, answer_s_max = 5;

/// Everything is bounded by answer_s_max.
class Query {
 public:
  Query(Config const& config, msg::FromClient const& question)
      : config_(config), question_(question) {}

  Result<msg::ToClient> run() {
    proto::connect_tcp(io_, config_.address, connect_s_max,
                       [this](auto channel) {
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
    proto::munge_client(
        channel_, config_.munge_socket, gleanerd_uids(config_), connect_s_max,
        proto::wait_here(), [this](Error const& why) { finish(why); },
        [this](Result<void> proven) {
          if (!proven) return finish(proven.error());
          channel_->on_message(
              [this](auto const& json) { finish(msg::parse_to_client(json)); });
          channel_->send(msg::to_json(question_));
        });
  }

  void finish(Result<msg::ToClient> answer) {
    if (!answer_) answer_ = std::move(answer);
    io_.stop();
  }

  Config const& config_;
  msg::FromClient const& question_;
  asio::io_context io_;
  std::shared_ptr<proto::Channel> channel_;
  std::optional<Result<msg::ToClient>> answer_;
};

}  // namespace

Result<msg::ToClient> ask_daemon(Config const& config,
                                 msg::FromClient const& question) {
  return Query(config, question).run();
}

std::string unanswered(Config const& config, std::string const& config_file,
                       Error const& why) {
  return "cannot ask gleanerd at " + config.address + " (" + why.message +
         ") [is gleanerd running, and 'address' in " + config_file + " right?]";
}

}  // namespace gleaner::cli
