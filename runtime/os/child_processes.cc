// SPDX-License-Identifier: Apache-2.0
/// Processes we start: how they begin and end.
#include "runtime/os/child_processes.hh"

#include <fcntl.h>
#include <linux/close_range.h>
#include <linux/mempolicy.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

#include "runtime/os/cpu_list.hh"

namespace gleaner::os {
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
  enum What { program, directory, output, errors };
  What what = program;
  int error = 0;
};

/// Runs between fork and exec: whether `fd` now adds to this file.
bool redirect(int fd, std::string const& path) {
  int const file =
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  return file >= 0 && ::dup2(file, fd) >= 0;
}

/// Where the child shall run, as the system calls take it.
struct Place {
  std::vector<unsigned long> cpus;
  std::vector<unsigned long> memory;

  explicit Place(ChildCommand const& command)
      : cpus(cpu_mask(command.cpus)),
        memory(command.memory < 0 ? std::vector<unsigned long>{}
                                  : cpu_mask(std::to_string(command.memory))) {}

  /// Runs between fork and exec.  If the system refuses, the child still
  /// runs; affinity_of() tells what it got.
  void take() const {
    auto const bytes = [](auto const& mask) {
      return mask.size() * sizeof(long);
    };
    if (!cpus.empty())
      ::sched_setaffinity(0, bytes(cpus),
                          reinterpret_cast<cpu_set_t const*>(cpus.data()));
    // Linux takes one bit less than it is told of.
    if (!memory.empty())
      ::syscall(SYS_set_mempolicy, MPOL_PREFERRED, memory.data(),
                bytes(memory) * 8 + 1);
  }
};

/// Runs between fork and exec, with all signals blocked.  A handler of ours
/// would tell our event loop, through a pipe that both have, of a signal that
/// was meant for the child.
void forget_handlers() {
  for (int number = 1; number < NSIG; ++number) {
    struct sigaction action {};
    if (::sigaction(number, nullptr, &action) != 0 ||
        action.sa_handler == SIG_IGN || action.sa_handler == SIG_DFL)
      continue;
    action = {};
    action.sa_handler = SIG_DFL;
    ::sigaction(number, &action, nullptr);
  }
}

/// Runs between fork and exec: nothing but async-signal-safe calls.
[[noreturn]] void become_child(pid_t parent, int report,
                               ChildCommand const& command, Place const& place,
                               char* const* argv, char* const* env) {
  Failure failure;
  ::setpgid(0, 0);
  forget_handlers();
  ::prctl(PR_SET_PDEATHSIG, command.death_signal);
  if (::getppid() != parent) ::_exit(128 + SIGKILL);  // it died meanwhile
  place.take();
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  int const in =
      command.stdin_fd >= 0 ? command.stdin_fd : ::open("/dev/null", O_RDONLY);
  if (in >= 0) ::dup2(in, STDIN_FILENO);
  if (command.stdout_fd >= 0) ::dup2(command.stdout_fd, STDOUT_FILENO);
  if (command.stderr_fd >= 0) ::dup2(command.stderr_fd, STDERR_FILENO);
  // Our sockets are not the child's.
  ::close_range(3, ~0u, CLOSE_RANGE_CLOEXEC);
  if (command.kept_fd >= 0) ::fcntl(command.kept_fd, F_SETFD, 0);
  if (::chdir(command.cwd.c_str()) != 0) {
    failure = {Failure::directory, errno};
  } else if (!command.stdout_path.empty() &&
             !redirect(STDOUT_FILENO, command.stdout_path)) {
    failure = {Failure::output, errno};
  } else if (!command.stderr_path.empty() &&
             !redirect(STDERR_FILENO, command.stderr_path)) {
    failure = {Failure::errors, errno};
  } else {
    ::execvpe(argv[0], argv, env);
    failure = {Failure::program, errno};
  }
  [[maybe_unused]] auto const n = ::write(report, &failure, sizeof failure);
  ::_exit(127);
}

int status_code(int status) {
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace

ChildProcesses::~ChildProcesses() { end_all(); }

void ChildProcesses::reap_orphans() {
  for (;;) {
    // Look first: a child of our own is for reap(), which reports its end.
    siginfo_t info{};
    if (::waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
        info.si_pid == 0)
      return;
    for (auto const& [key, child] : children_)
      if (child.pid == info.si_pid) return;
    ::waitpid(info.si_pid, nullptr, WNOHANG);
  }
}

void ChildProcesses::end_all(std::chrono::milliseconds grace) {
  auto const now = std::chrono::steady_clock::now();
  reap_until(now + grace);
  for (auto const& [key, child] : children_) ::kill(-child.pid, SIGKILL);
  reap_until(now + grace + reap_time_max);
}

void ChildProcesses::reap_until(std::chrono::steady_clock::time_point end) {
  while (!empty() && std::chrono::steady_clock::now() < end) {
    reap([](Key, int) {});
    reap_orphans();
    if (!empty()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

Result<pid_t> ChildProcesses::start(Key key, ChildCommand const& command) {
  auto const pid = begin(key, command);
  if (!pid) return pid;
  auto const failure = read_failure(children_.at(key));
  children_.at(key).report = Fd();
  if (failure.empty()) return pid;
  ::waitpid(*pid, nullptr, 0);
  children_.erase(key);
  return Error{Errc::io, failure};
}

Result<pid_t> ChildProcesses::begin(Key key, ChildCommand const& command) {
  if (command.argv.empty())
    return Error{Errc::invalid_argument, "no program to start"};
  std::array<int, 2> pipe{};
  if (::pipe2(pipe.data(), O_CLOEXEC) != 0)
    return Error{Errc::io, std::string("cannot make a pipe (") +
                               std::strerror(errno) + ")"};
  Fd report(pipe[0]);
  auto const argv = pointers(command.argv);
  auto const env = pointers(command.env);
  Place const place(command);
  pid_t const parent = ::getpid();
  sigset_t all, before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  pid_t const pid = ::fork();
  if (pid == 0)
    become_child(parent, pipe[1], command, place, argv.data(), env.data());
  int const fork_error = errno;
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  ::close(pipe[1]);
  if (pid < 0)
    return Error{Errc::io, std::string("cannot start a process (") +
                               std::strerror(fork_error) + ")"};
  ::setpgid(pid, pid);  // in both, so that kill() works at once
  children_[key] = {pid,         std::move(report),   command.argv[0],
                    command.cwd, command.stdout_path, command.stderr_path};
  return pid;
}

/// Waits until the child has started its program, or has failed to.
std::string ChildProcesses::read_failure(Child const& child) {
  Failure failure;
  if (!child.report || ::read(child.report.get(), &failure, sizeof failure) !=
                           static_cast<ssize_t>(sizeof failure))
    return "";
  std::string const why =
      std::string(" (") + std::strerror(failure.error) + ")";
  auto const on_every_node = why + " [it must be there on every node]";
  switch (failure.what) {
    case Failure::directory:
      return "cannot enter directory '" + child.cwd + "'" + on_every_node;
    case Failure::output:
      return "cannot write '" + child.stdout_path + "'" + why;
    case Failure::errors:
      return "cannot write '" + child.stderr_path + "'" + why;
    case Failure::program:
      break;
  }
  return "cannot start '" + child.program + "'" + on_every_node;
}

void ChildProcesses::signal(Key key, int number) {
  auto const found = children_.find(key);
  if (found != children_.end()) ::kill(-found->second.pid, number);
}

void ChildProcesses::reap(std::function<void(Key, int)> const& exited) {
  for (auto next = children_.begin(); next != children_.end();) {
    int status = 0;
    auto const got = ::waitpid(next->second.pid, &status, WNOHANG);
    if (got == 0 || (got < 0 && errno == EINTR)) {
      ++next;
      continue;
    }
    // What the child left behind, data loaders for instance, goes with it.
    ::kill(-next->second.pid, SIGKILL);
    auto const key = next->first;
    auto const child = std::move(next->second);
    next = children_.erase(next);
    failure_ = read_failure(child);  // it has ended, so nobody waits
    exited(key, got < 0 ? 255 : status_code(status));
  }
}

}  // namespace gleaner::os
