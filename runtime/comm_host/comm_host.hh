// SPDX-License-Identifier: Apache-2.0
/// Starts a comm process for each member of this node and each generation.
///
/// Members connect on a UNIX socket; src/proto/comm_messages.hh is what is
/// said there.  A connection is one comm process: when the plane closes it, or
/// its member dies, the process is killed; when the process ends, the plane is
/// told why.  Members of one generation on this node are one job: the first to
/// come registers it with PMIx, and the last process to end removes it and its
/// directory.
///
/// Single-threaded: PMIx's own thread only posts to the event loop.
#pragma once

#include <asio.hpp>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "proto/accept_failures.hh"
#include "proto/channel.hh"
#include "proto/comm_messages.hh"
#include "runtime/comm_host/pmix_server.hh"
#include "runtime/os/child_processes.hh"
#include "runtime/os/fd.hh"

namespace gleaner::comm_host {

struct CommHostOptions {
  int listening = -1;   ///< a UNIX stream socket; becomes the host's
  std::string dir;      ///< for temporary files; exists
  std::string program;  ///< gleaner-comm-mpi
};

class CommHost {
 public:
  CommHost(asio::io_context& io, CommHostOptions options);
  ~CommHost();  ///< end()

  /// Serve until the event loop is stopped.  Fails with io.
  Result<void> start();

  /// Kill and reap all comm processes, and remove their directories.
  void end();

 private:
  using Key = os::ChildProcesses::Key;
  /// A plane that is connected, or whose process is not reaped yet.
  struct Client {
    std::shared_ptr<proto::Channel> channel;
    os::Fd input;  ///< the comm process's, until it is started
    std::string job;
    std::uint32_t rank = 0;
  };
  struct Job {
    std::string dir;
    std::map<std::uint32_t, Key> members;  ///< by rank
    std::uint32_t fences = 0;
    std::map<std::uint32_t, PmixServer::Answer> asked;  ///< by fence
  };

  void accept();
  void accept_later(asio::error_code why);
  void accepted(asio::local::stream_protocol::socket socket);
  void take_input(std::shared_ptr<asio::local::stream_protocol::socket> socket);
  void on_message(Key key, nlohmann::json const& json);
  void on(Key key, msg::CommStart const& start);
  void on(Key key, msg::FenceDone const& done);
  Result<void> start_process(Key key, msg::CommStart const& start);
  Result<Job*> job_of(msg::CommStart const& start);
  void on_fence(std::string const& job, std::string const& data,
                PmixServer::Answer answer);
  void on_child();
  void ended(Key key, int code);
  void closed(Key key);
  void forget(Key key);
  void leave_job(Key key, Client const& client);
  void send(Key key, msg::ToPlane const& message);

  asio::io_context& io_;
  CommHostOptions const options_;
  std::string const node_;
  asio::local::stream_protocol::acceptor acceptor_;
  proto::AcceptFailures accept_failures_;
  asio::steady_timer accept_pause_;
  asio::signal_set children_;
  std::unique_ptr<PmixServer> pmix_;
  os::ChildProcesses processes_;
  std::map<Key, Client> clients_;
  std::map<std::string, Job> jobs_;
  Key last_key_ = 0;
};

}  // namespace gleaner::comm_host
