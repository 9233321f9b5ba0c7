// SPDX-License-Identifier: Apache-2.0
/// Writing and reading the kept configuration.
#include "plugins/last_good.hh"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string_view>

namespace gleaner::plugins {
namespace {

// A file without it was cut short, and would read as defaults.
constexpr std::string_view last_line = "# whole\n";

std::string file_text(Config const& config) {
  return "# Written by job_submit_gleaner: gleaner.yaml as it was last "
         "good.\n" +
         to_yaml(config) + std::string(last_line);
}

Error cannot(char const* what, std::string const& path) {
  return {Errc::io, std::string("cannot ") + what + " " + path + " (" +
                        std::strerror(errno) + ")"};
}

bool write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    auto const wrote = ::write(fd, text.data(), text.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(wrote));
  }
  return true;
}

Result<void> write_file(std::string const& path, std::string_view text) {
  int const fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC,
                        S_IRUSR | S_IWUSR);
  if (fd < 0) return cannot("create", path);
  bool const written = write_all(fd, text) && ::fsync(fd) == 0;
  auto const result = written ? Result<void>() : cannot("write", path);
  ::close(fd);
  return result;
}

}  // namespace

Result<Config> LastGood::load() const {
  std::ifstream file(path_);
  if (path_.empty() || !file)
    return Error{Errc::not_found, "no configuration was kept"};
  std::ostringstream text;
  text << file.rdbuf();
  if (file.bad()) return cannot("read", path_);
  if (!text.str().ends_with(last_line))
    return Error{Errc::io, path_ + " is not whole"};
  return parse_config(text.str(), path_);
}

Result<void> LastGood::keep(Config const& config) {
  if (path_.empty()) return {};
  auto text = file_text(config);
  if (text == kept_) return {};
  auto const next = path_ + ".new";
  if (auto done = write_file(next, text); !done) return done;
  if (std::rename(next.c_str(), path_.c_str()) != 0)
    return cannot("replace", path_);
  kept_ = std::move(text);
  return {};
}

}  // namespace gleaner::plugins
