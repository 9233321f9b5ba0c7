// SPDX-License-Identifier: Apache-2.0
/// The member processes of one node: started, killed, reaped.
#include "runtime/agent/member_processes.hh"

#include <fcntl.h>
#include <linux/close_range.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

namespace gleaner {
namespace {

constexpr std::chrono::seconds reap_time_max{5};

/// Pointers into `strings`, ended by a null pointer, as exec wants them.
std::vector<char*> pointers(std::vector<std::string> const& strings) {
  std::vector<char*> list;
  for (auto const& text : strings)
    list.push_back(const_cast<char*>(text.c_str()));
  list.push_back(nullptr);
  return list;
}

/// What went wrong in the child, told through a pipe that exec closes.
struct Failure {
  int in_directory = 0;  ///< 1: chdir() failed, 0: exec() failed
  int error = 0;
};

/// Runs between fork and exec: nothing but async-signal-safe calls.
[[noreturn]] void become_member(pid_t agent, int report, char const* cwd,
                                char* const* argv, char* const* env) {
  Failure failure;
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != agent) ::_exit(128 + SIGKILL);  // it died meanwhile
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  int const null = ::open("/dev/null", O_RDONLY);
  if (null >= 0) ::dup2(null, STDIN_FILENO);
  // The agent's sockets are not the member's.
  ::close_range(3, ~0u, CLOSE_RANGE_CLOEXEC);
  if (::chdir(cwd) != 0) {
    failure = {1, errno};
  } else {
    ::execvpe(argv[0], argv, env);
    failure = {0, errno};
  }
  [[maybe_unused]] auto const n = ::write(report, &failure, sizeof failure);
  ::_exit(127);
}

int status_code(int status) {
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace

MemberProcesses::~MemberProcesses() { end_all(); }

void MemberProcesses::end_all() {
  kill_all();
  auto const end = std::chrono::steady_clock::now() + reap_time_max;
  while (!empty() && std::chrono::steady_clock::now() < end) {
    reap([](msg::MemberId, int) {});
    if (!empty()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

Result<pid_t> MemberProcesses::start(msg::MemberId member,
                                     MemberCommand const& command) {
  if (command.argv.empty())
    return Error{Errc::invalid_argument, "no program to start"};
  std::array<int, 2> pipe{};
  if (::pipe2(pipe.data(), O_CLOEXEC) != 0)
    return Error{Errc::io, std::string("cannot make a pipe (") +
                               std::strerror(errno) + ")"};
  auto const argv = pointers(command.argv);
  auto const env = pointers(command.env);
  pid_t const agent = ::getpid();
  pid_t const pid = ::fork();
  if (pid == 0)
    become_member(agent, pipe[1], command.cwd.c_str(), argv.data(), env.data());
  int const fork_error = errno;
  ::close(pipe[1]);
  Failure failure;
  auto const told = pid < 0 ? 0 : ::read(pipe[0], &failure, sizeof failure);
  ::close(pipe[0]);
  if (pid < 0)
    return Error{Errc::io, std::string("cannot start a process (") +
                               std::strerror(fork_error) + ")"};
  ::setpgid(pid, pid);  // in both, so that kill() works at once
  if (told == static_cast<ssize_t>(sizeof failure)) {
    ::waitpid(pid, nullptr, 0);
    return Error{
        Errc::io,
        (failure.in_directory ? "cannot enter directory '" + command.cwd + "' ("
                              : "cannot start '" + command.argv[0] + "' (") +
            std::strerror(failure.error) +
            ") [it must be there on every node]"};
  }
  pids_[member] = pid;
  return pid;
}

void MemberProcesses::kill(msg::MemberId member) {
  auto const found = pids_.find(member);
  if (found != pids_.end()) ::kill(-found->second, SIGKILL);
}

void MemberProcesses::kill_all() {
  for (auto const& [member, pid] : pids_) ::kill(-pid, SIGKILL);
}

void MemberProcesses::reap(
    std::function<void(msg::MemberId, int)> const& exited) {
  for (auto member = pids_.begin(); member != pids_.end();) {
    int status = 0;
    auto const got = ::waitpid(member->second, &status, WNOHANG);
    if (got == 0 || (got < 0 && errno == EINTR)) {
      ++member;
      continue;
    }
    // What the member left behind, data loaders for instance, goes with it.
    ::kill(-member->second, SIGKILL);
    auto const id = member->first;
    member = pids_.erase(member);
    exited(id, got < 0 ? 255 : status_code(status));
  }
}

}  // namespace gleaner
