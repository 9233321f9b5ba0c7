// SPDX-License-Identifier: Apache-2.0
/// Asking glibc's dynamic linker, and reading its answer.
#include "slurm/symbols.hh"

#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/auxv.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <set>

namespace gleaner::slurm {
namespace {

constexpr std::chrono::seconds answer_within{10};

Error bad(std::string why) { return {Errc::invalid_argument, std::move(why)}; }

/// The linker this program was started by, "/lib64/ld-linux-x86-64.so.2".
Result<std::string> linker_path() {
  Dl_info info{};
  auto const base = getauxval(AT_BASE);
  if (base && dladdr(reinterpret_cast<void const*>(base), &info) &&
      info.dli_fname && *info.dli_fname == '/')
    return std::string(info.dli_fname);
  return Error{Errc::not_found, "cannot find the dynamic linker"};
}

/// What `fd` says until its end, or until `answer_within` is over.
Result<std::string> read_all(int fd) {
  using Clock = std::chrono::steady_clock;
  auto const until = Clock::now() + answer_within;
  std::string text;
  for (;;) {
    auto const left = std::chrono::duration_cast<std::chrono::milliseconds>(
        until - Clock::now());
    pollfd poll_fd{fd, POLLIN, 0};
    if (left.count() <= 0 ||
        poll(&poll_fd, 1, static_cast<int>(left.count())) == 0)
      return Error{Errc::timed_out, "the dynamic linker does not answer"};
    char buffer[4096];
    auto const got = read(fd, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return text;
    text.append(buffer, static_cast<std::size_t>(got));
  }
}

/// What `argv` prints, on both outputs.  The process is over at return.
Result<std::string> output_of(std::vector<std::string> argv,
                              std::vector<std::string> env) {
  auto const pointers = [](std::vector<std::string>& texts) {
    std::vector<char*> all;
    for (auto& text : texts) all.push_back(text.data());
    all.push_back(nullptr);
    return all;
  };
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    return Error{Errc::io, std::string("pipe: ") + std::strerror(errno)};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
  pid_t child = 0;
  int const failed = posix_spawn(&child, argv[0].c_str(), &actions, nullptr,
                                 pointers(argv).data(), pointers(env).data());
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  auto text = failed ? Result<std::string>(Error{
                           Errc::io, argv[0] + ": " + std::strerror(failed)})
                     : read_all(ends[0]);
  close(ends[0]);
  if (failed) return text;
  if (!text) kill(child, SIGKILL);
  while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) continue;
  return text;
}

Result<void> check_readable(std::string const& path) {
  // The linker takes spaces and colons as ends of names.
  if (path.find_first_of(" :\n") != std::string::npos)
    return bad("'" + path + "' has a space or a colon in its name");
  if (access(path.c_str(), R_OK) == 0) return {};
  return Error{Errc::not_found, path + ": " + std::strerror(errno)};
}

/// "undefined symbol: NAME<tab>(FILE)" -> NAME, when FILE is the plugin.
/// With a version it is "symbol NAME, version V not defined in file F…".
std::string_view symbol_in(std::string_view line, std::string_view plugin) {
  constexpr std::string_view undefined = "undefined symbol: ";
  constexpr std::string_view symbol = "symbol ";
  if (line.find(plugin) == std::string_view::npos) return {};
  if (line.starts_with(undefined)) {
    line.remove_prefix(undefined.size());
    return line.substr(0, line.find_first_of(" \t,("));
  }
  if (line.find(" not defined in file ") == std::string_view::npos) return {};
  auto const at = line.find(symbol);
  if (at == std::string_view::npos) return {};
  line.remove_prefix(at + symbol.size());
  return line.substr(0, line.find_first_of(" \t,("));
}

}  // namespace

Result<std::vector<std::string>> parse_linker_trace(
    std::string_view text, std::string_view plugin_path) {
  std::set<std::string> missing;
  while (!text.empty()) {
    auto const end = std::min(text.find('\n'), text.size());
    auto line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    if (line.find("cannot be preloaded") != std::string_view::npos ||
        line.find("error while loading") != std::string_view::npos)
      return bad(std::string(line));
    if (auto const arrow = line.find(" => not found");
        arrow != std::string_view::npos)
      missing.insert(std::string(line.substr(0, arrow)) + " (library)");
    else if (auto const name = symbol_in(line, plugin_path); !name.empty())
      missing.insert(std::string(name));
  }
  return std::vector<std::string>(missing.begin(), missing.end());
}

Result<std::vector<std::string>> missing_symbols(
    std::string const& plugin_path, std::string const& daemon_path) {
  for (auto const* path : {&plugin_path, &daemon_path})
    if (auto readable = check_readable(*path); !readable)
      return readable.error();
  auto const linker = linker_path();
  if (!linker) return linker.error();
  // The linker is started by its own name: a daemon that is a script, or not
  // linked dynamically, would otherwise run.
  auto const trace =
      output_of({*linker, daemon_path},
                {"LD_TRACE_LOADED_OBJECTS=1", "LD_WARN=yes", "LD_BIND_NOW=yes",
                 "LC_ALL=C", "LD_PRELOAD=" + plugin_path});
  if (!trace) return trace.error();
  return parse_linker_trace(*trace, plugin_path);
}

}  // namespace gleaner::slurm
