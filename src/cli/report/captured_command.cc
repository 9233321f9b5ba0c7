// SPDX-License-Identifier: Apache-2.0
#include "cli/report/captured_command.hh"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>

namespace gleaner::cli {
namespace {

using Clock = std::chrono::steady_clock;

/// Both ends close on exec: the child gets its end as a standard stream.
class Pipe {
 public:
  bool open() { return pipe2(ends_, O_CLOEXEC) == 0; }
  ~Pipe() { close_reader(), close_writer(); }
  Pipe() = default;
  Pipe(Pipe const&) = delete;
  Pipe& operator=(Pipe const&) = delete;

  int reader() const { return ends_[0]; }
  int writer() const { return ends_[1]; }
  void close_reader() { close_end(0); }
  void close_writer() { close_end(1); }

 private:
  void close_end(int i) {
    if (ends_[i] >= 0) close(ends_[i]);
    ends_[i] = -1;
  }
  int ends_[2] = {-1, -1};
};

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> result;
  for (auto& word : words) result.push_back(word.data());
  result.push_back(nullptr);
  return result;
}

/// Returns 0 or an errno.
int spawn(std::vector<std::string> command, std::vector<std::string> env,
          Pipe const& out, Pipe const& err, pid_t* pid) {
  for (char** entry = environ; *entry; ++entry) env.push_back(*entry);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null",
                                   O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, out.writer(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, err.writer(), STDERR_FILENO);
  int const rc = posix_spawnp(pid, command[0].c_str(), &actions, nullptr,
                              pointers(command).data(), pointers(env).data());
  posix_spawn_file_actions_destroy(&actions);
  return rc;
}

/// Append what has come; false at the end.
bool take(int fd, std::string* text) {
  char buffer[65536];
  auto const n = read(fd, buffer, sizeof buffer);
  if (n > 0) text->append(buffer, static_cast<std::size_t>(n));
  return n > 0 || (n < 0 && errno == EINTR);
}

/// Read both until they end; false when the time is over.
bool read_all(Pipe& out, Pipe& err, std::string* printed,
              std::string* complained, Clock::time_point end) {
  while (out.reader() >= 0 || err.reader() >= 0) {
    auto const left = std::chrono::duration_cast<std::chrono::milliseconds>(
        end - Clock::now());
    if (left.count() <= 0) return false;
    pollfd fds[] = {{out.reader(), POLLIN, 0}, {err.reader(), POLLIN, 0}};
    if (poll(fds, 2, static_cast<int>(left.count())) <= 0) continue;
    if (fds[0].revents && !take(out.reader(), printed)) out.close_reader();
    if (fds[1].revents && !take(err.reader(), complained)) err.close_reader();
  }
  return true;
}

int reap(pid_t pid) {
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

}  // namespace

Result<std::string> captured_command(std::vector<std::string> const& command,
                                     std::vector<std::string> const& extra_env,
                                     double limit_s) {
  auto const& name = command.at(0);
  Pipe out, err;
  if (!out.open() || !err.open())
    return Error{Errc::io, "cannot make a pipe (" +
                               std::string(std::strerror(errno)) + ")"};
  pid_t pid = 0;
  if (int const rc = spawn(command, extra_env, out, err, &pid); rc != 0)
    return Error{Errc::not_found,
                 "cannot run '" + name + "' (" + std::strerror(rc) + ")"};
  out.close_writer();
  err.close_writer();
  auto const end = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                      std::chrono::duration<double>(limit_s));
  std::string printed, complained;
  bool const ended = read_all(out, err, &printed, &complained, end);
  if (!ended) kill(pid, SIGKILL);
  int const status = reap(pid);
  if (!ended)
    return Error{Errc::timed_out,
                 "'" + name + "' did not end within " +
                     std::to_string(static_cast<int>(limit_s)) + " s"};
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    return Error{Errc::unavailable,
                 "'" + name + "' failed (" +
                     complained.substr(0, complained.find('\n')) + ")"};
  return printed;
}

}  // namespace gleaner::cli
