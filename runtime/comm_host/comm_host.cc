// SPDX-License-Identifier: Apache-2.0
/// Starts a comm process for each member of this node and each generation.
#include "runtime/comm_host/comm_host.hh"

#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "core/log.hh"
#include "proto/base64.hh"
#include "proto/secret.hh"
#include "runtime/comm_host/comm_environment.hh"
#include "runtime/os/descriptors.hh"

namespace gleaner::comm_host {
namespace {

using asio::local::stream_protocol;

std::vector<std::string> own_environment() {
  std::vector<std::string> env;
  for (char** entry = environ; *entry; ++entry) env.emplace_back(*entry);
  return env;
}

bool is_of_this_user(int socket) {
  ucred peer{};
  socklen_t bytes = sizeof peer;
  return ::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &bytes) == 0 &&
         peer.uid == ::geteuid();
}

std::string how_it_ended(int code) {
  return "gleaner-comm-mpi ended " +
         (code > 128 ? "with signal " + std::to_string(code - 128)
                     : "with exit status " + std::to_string(code)) +
         " (what Open MPI wrote is in the agent's standard error)";
}

}  // namespace

CommHost::CommHost(asio::io_context& io, CommHostOptions options)
    : io_(io),
      options_(std::move(options)),
      // Only letters and a number: PMIx packs names by their numbers.
      node_("comm-host-" + proto::random_hex(8)),
      acceptor_(io, stream_protocol(), options_.listening),
      accept_pause_(io),
      children_(io, SIGCHLD) {}

CommHost::~CommHost() { end(); }

Result<void> CommHost::start() {
  auto pmix = PmixServer::start(
      node_, options_.dir,
      [this](std::string const& job, std::string data,
             PmixServer::Answer answer) {
        asio::post(
            io_, [this, job, data = std::move(data),
                  answer = std::move(answer)] { on_fence(job, data, answer); });
      });
  if (!pmix) return pmix.error();
  pmix_ = std::move(*pmix);
  on_child();
  accept();
  return {};
}

void CommHost::end() {
  processes_.end_all();
  for (auto const& [name, job] : jobs_) {
    std::error_code ignored;
    std::filesystem::remove_all(job.dir, ignored);
  }
  jobs_.clear();
  clients_.clear();
}

// --- connections -----------------------------------------------------------

void CommHost::accept() {
  acceptor_.async_accept(
      [this](asio::error_code error, stream_protocol::socket socket) {
        if (error == asio::error::operation_aborted) return;
        if (error) return accept_later(error);
        accepted(std::move(socket));
        accept();
      });
}

void CommHost::accept_later(asio::error_code why) {
  accept_failures_.note(node_, why);
  accept_pause_.expires_after(proto::AcceptFailures::pause);
  accept_pause_.async_wait([this](asio::error_code error) {
    if (!error) accept();
  });
}

void CommHost::accepted(stream_protocol::socket socket) {
  if (!is_of_this_user(socket.native_handle())) return;
  auto shared = std::make_shared<stream_protocol::socket>(std::move(socket));
  shared->async_wait(stream_protocol::socket::wait_read,
                     [this, shared](asio::error_code error) {
                       if (!error) take_input(shared);
                     });
}

void CommHost::take_input(std::shared_ptr<stream_protocol::socket> socket) {
  char byte = 0;
  os::Fd input;
  if (os::receive_with_fd(socket->native_handle(), &byte, 1, &input) != 1 ||
      !input)
    return;
  auto const key = ++last_key_;
  auto& client = clients_[key];
  client.input = std::move(input);
  client.channel = proto::Channel::make(std::move(*socket));
  client.channel->start(
      [this, key](nlohmann::json const& json) { on_message(key, json); },
      [this, key](Error const&) { closed(key); });
  send(key, msg::CommHostHello{node_});
}

void CommHost::send(Key key, msg::ToPlane const& message) {
  auto const found = clients_.find(key);
  if (found != clients_.end() && found->second.channel)
    found->second.channel->send(to_json(message));
}

void CommHost::on_message(Key key, nlohmann::json const& json) {
  auto const message = msg::parse_from_plane(json);
  if (!message) {
    send(key, msg::CommEnded{message.error().message});
    return closed(key);
  }
  std::visit([&](auto const& one) { on(key, one); }, *message);
}

/// The plane is gone: so is its process, when it is reaped.
void CommHost::closed(Key key) {
  auto const found = clients_.find(key);
  if (found == clients_.end()) return;
  if (found->second.channel) found->second.channel->close();
  found->second.channel.reset();
  if (processes_.contains(key))
    processes_.signal(key, SIGKILL);
  else
    forget(key);
}

void CommHost::forget(Key key) {
  auto const found = clients_.find(key);
  if (found == clients_.end()) return;
  auto const client = std::move(found->second);
  clients_.erase(found);
  if (client.channel) client.channel->close();
  if (!client.job.empty()) leave_job(key, client);
}

// --- jobs and processes ----------------------------------------------------

Result<CommHost::Job*> CommHost::job_of(msg::CommStart const& start) {
  if (start.rank >= start.nodes.size() || start.nodes[start.rank] != node_ ||
      start.job.empty() || start.job.find('/') != std::string::npos)
    return Error{Errc::invalid_argument,
                 "CommStart: rank " + std::to_string(start.rank) + " of job '" +
                     start.job + "' is not on node " + node_};
  auto const known = jobs_.find(start.job);
  if (known != jobs_.end()) {
    if (known->second.members.count(start.rank) == 0) return &known->second;
    return Error{Errc::invalid_argument,
                 "CommStart: rank " + std::to_string(start.rank) + " of job '" +
                     start.job + "' was started before"};
  }
  auto const dir = options_.dir + '/' + start.job;
  if (::mkdir(dir.c_str(), 0700) != 0)
    return Error{Errc::io, "cannot make the directory " + dir + " (" +
                               std::strerror(errno) + ")"};
  if (auto added = pmix_->add_job({start.job, start.nodes, dir}); !added)
    return added.error();
  auto& job = jobs_[start.job];
  job.dir = dir;
  return &job;
}

Result<void> CommHost::start_process(Key key, msg::CommStart const& start) {
  auto& client = clients_.at(key);
  if (!client.job.empty() || !client.input)
    return Error{Errc::invalid_argument,
                 "CommStart: this connection has its process already"};
  auto const job = job_of(start);
  if (!job) return job.error();
  client.job = start.job;
  client.rank = start.rank;
  (*job)->members[start.rank] = key;
  auto env = pmix_->environment_of(
      start.job, start.rank,
      comm_environment(own_environment(),
                       {interface_of(start.address), (*job)->dir,
                        ::geteuid() == 0, has_fast_network()}));
  if (!env) return env.error();
  os::ChildCommand command{{options_.program}, std::move(*env), "/"};
  command.stdin_fd = client.input.get();
  command.cpus = start.cpus;
  auto const pid = processes_.start(key, command);
  client.input = os::Fd();
  if (!pid) return pid.error();
  return {};
}

void CommHost::on(Key key, msg::CommStart const& start) {
  auto const started = start_process(key, start);
  if (started) return;
  send(key, msg::CommEnded{started.error().message});
  forget(key);
}

void CommHost::on_child() {
  children_.async_wait([this](asio::error_code error, int) {
    if (error) return;
    processes_.reap([this](Key key, int code) { ended(key, code); });
    on_child();
  });
}

void CommHost::ended(Key key, int code) {
  send(key, msg::CommEnded{how_it_ended(code)});
  forget(key);
}

void CommHost::leave_job(Key key, Client const& client) {
  auto const found = jobs_.find(client.job);
  if (found == jobs_.end()) return;
  auto& job = found->second;
  auto const member = job.members.find(client.rank);
  if (member != job.members.end() && member->second == key)
    job.members.erase(member);
  if (!job.members.empty()) return;
  for (auto const& [number, answer] : job.asked)
    answer(Error{Errc::unavailable, "the job is over"});
  pmix_->remove_job(client.job);
  std::error_code ignored;
  std::filesystem::remove_all(job.dir, ignored);
  jobs_.erase(found);
}

// --- fences ----------------------------------------------------------------

void CommHost::on_fence(std::string const& name, std::string const& data,
                        PmixServer::Answer answer) {
  auto const found = jobs_.find(name);
  if (found == jobs_.end())
    return answer(Error{Errc::unavailable, "the job is over"});
  auto& job = found->second;
  auto const number = ++job.fences;
  job.asked[number] = std::move(answer);
  bool first = true;
  for (auto const& [rank, key] : job.members)
    send(key,
         msg::Fence{number,
                    std::exchange(first, false) ? proto::base64(data) : ""});
}

/// All planes of the job bring the same; the first one is enough.
void CommHost::on(Key key, msg::FenceDone const& done) {
  auto const found = jobs_.find(clients_.at(key).job);
  if (found == jobs_.end()) return;
  auto asked = found->second.asked.extract(done.number);
  if (asked.empty()) return;
  std::string all;
  for (auto const& blob : done.blobs) {
    auto const bytes = proto::from_base64(blob);
    if (!bytes) return asked.mapped()(bytes.error());
    all += *bytes;
  }
  asked.mapped()(all);
}

}  // namespace gleaner::comm_host
