// SPDX-License-Identifier: Apache-2.0
/// How does a training's secret reach its processes, but by no environment?
#include "runtime/os/handed_secret.hh"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <thread>
#include <utility>

#include "core/log.hh"
#include "runtime/os/signals.hh"

namespace gleaner::os {
namespace {

/// No more is read of anything: a secret has 64 characters.
constexpr std::size_t bytes_max = 256;
/// Wrapped, it is longer.
constexpr std::size_t line_bytes_max = 4096;
constexpr std::size_t file_bytes_min = 32;
constexpr int seals = F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE;
/// Scripts redirect descriptors of one digit, shells keep some from 10 on.
constexpr int number_min = 100;

Error failed(std::string const& what) {
  return {Errc::io, what + " (" + std::strerror(errno) + ")"};
}

Result<void> write_all(int fd, std::string const& text) {
  // Less than a pipe takes at once, and than a memory file ever refuses.
  if (::write(fd, text.data(), text.size()) == ssize_t(text.size())) return {};
  return failed("cannot hand the training's secret on");
}

/// Not empty, and nothing but visible characters.
bool is_word(std::string_view text) {
  if (text.empty()) return false;
  for (unsigned char const c : text)
    if (c <= ' ' || c > '~') return false;
  return true;
}

std::string octal(mode_t mode) {
  char text[16];
  std::snprintf(text, sizeof text, "%04o", unsigned(mode & 07777));
  return text;
}

}  // namespace

Result<Fd> secret_pipe(std::function<Result<std::string>()> line) {
  std::array<int, 2> pipe{};
  if (::pipe2(pipe.data(), O_CLOEXEC) != 0) return failed("cannot make a pipe");
  Fd out(pipe[0]), in(pipe[1]);
  BlockAllSignals in_its_thread;  // and no SIGPIPE when the child is gone
  std::thread([line = std::move(line), in = std::move(in)] {
    auto const made = line();
    if (!made)
      return log_to_stderr(
          LogLevel::error,
          LogLine("secret_not_handed_on").kv("why", made.error().message));
    // A child that is gone says itself why.
    [[maybe_unused]] auto const done = write_all(in.get(), *made + '\n');
  }).detach();
  return Result<Fd>(std::move(out));
}

Result<std::string> read_secret_line(int fd, std::chrono::milliseconds limit) {
  auto const end = std::chrono::steady_clock::now() + limit;
  std::string line;
  for (;;) {
    auto const left = std::chrono::ceil<std::chrono::milliseconds>(
        end - std::chrono::steady_clock::now());
    pollfd polled{fd, POLLIN, 0};
    if (left.count() <= 0 || ::poll(&polled, 1, int(left.count())) == 0)
      return Error{Errc::timed_out, "no secret came on standard input"};
    char c = 0;
    auto const n = ::read(fd, &c, 1);
    if (n < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (n <= 0 || c == '\n') break;
    line += c;
    if (line.size() > line_bytes_max) break;
  }
  if (line.size() > line_bytes_max || !is_word(line))
    return Error{Errc::invalid_argument,
                 "what came on standard input is no secret"};
  return line;
}

Result<Fd> secret_memory(std::string const& secret) {
  Fd made(::memfd_create("gleaner-secret", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!made) return failed("cannot make a memory file");
  if (auto done = write_all(made.get(), secret); !done) return done.error();
  if (::fcntl(made.get(), F_ADD_SEALS, seals) != 0)
    return failed("cannot seal a memory file");
  if (Fd moved(::fcntl(made.get(), F_DUPFD_CLOEXEC, number_min)); moved)
    return Result<Fd>(std::move(moved));
  return Result<Fd>(std::move(made));
}

Result<std::string> take_secret(int fd) {
  auto const got = ::fcntl(fd, F_GET_SEALS);
  if (got < 0 || (got & seals) != seals)
    return Error{Errc::invalid_argument,
                 "descriptor " + std::to_string(fd) +
                     " is not the one that the agent left open"};
  Fd const taken(fd);
  std::string secret(bytes_max, '\0');
  // Not read(): others may read the same file at the same time.
  auto const n = ::pread(fd, secret.data(), secret.size(), 0);
  if (n <= 0) return failed("cannot read the training's secret");
  secret.resize(std::size_t(n));
  return secret;
}

Result<std::string> secret_of_file(std::string const& path) {
  auto const named = "the secret's file '" + path + "'";
  Fd const file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat found {};
  if (!file || ::fstat(file.get(), &found) != 0)
    return Error{Errc::not_found,
                 "cannot read " + named + " (" + std::strerror(errno) + ")"};
  if (!S_ISREG(found.st_mode))
    return Error{Errc::invalid_argument, named + " is no regular file"};
  if (found.st_uid != ::geteuid())
    return Error{Errc::denied, named + " belongs to uid " +
                                   std::to_string(found.st_uid) +
                                   " [make one of your own]"};
  if (found.st_mode & (S_IRWXG | S_IRWXO))
    return Error{Errc::denied,
                 named + " has mode " + octal(found.st_mode) +
                     " (others may know what is in it) [write another secret "
                     "into a file of mode 0600]"};
  std::string text(bytes_max + 1, '\0');
  auto const n = ::read(file.get(), text.data(), text.size());
  text.resize(n > 0 ? std::size_t(n) : 0);
  if (text.ends_with('\n')) text.pop_back();
  if (text.size() < file_bytes_min || text.size() > bytes_max || !is_word(text))
    return Error{Errc::invalid_argument,
                 named + " holds no secret (one word of " +
                     std::to_string(file_bytes_min) + " to " +
                     std::to_string(bytes_max) +
                     " characters) [openssl rand -hex 32]"};
  return text;
}

}  // namespace gleaner::os
