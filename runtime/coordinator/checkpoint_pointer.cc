// SPDX-License-Identifier: Apache-2.0
#include "runtime/coordinator/checkpoint_pointer.hh"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "runtime/os/fd.hh"

namespace gleaner::coordinator {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

fs::path directory_of(std::string const& dir) {
  return fs::path(dir) / "checkpoints";
}
fs::path pointer_of(std::string const& dir) {
  return directory_of(dir) / "latest.json";
}

Result<void> flush(char const* path, int how) {
  os::Fd const fd(::open(path, how | O_CLOEXEC));
  if (!fd || ::fsync(fd.get()) != 0)
    return Error{Errc::io, "cannot flush '" + std::string(path) +
                               "': " + std::strerror(errno)};
  return {};
}

/// After the name of a checkpoint that is being written (checkpoint_file.cc).
constexpr char const* unfinished = ".tmp";

Result<void> write_flushed(std::string const& path, std::string const& text) {
  std::ofstream file(path);
  file << text;
  if (!file.flush()) return Error{Errc::io, "cannot write '" + path + "'"};
  return flush(path.c_str(), O_WRONLY);
}

Result<void> point_to(std::string const& dir,
                      generation::membership::Register const& newest) {
  auto const pointer = pointer_of(dir);
  auto const temporary = pointer.string() + ".tmp";
  auto const text = json{{"path", newest.path},
                         {"step", newest.step},
                         {"samples_seen", newest.samples_seen}}
                        .dump() +
                    '\n';
  if (auto done = write_flushed(temporary, text); !done) return done;
  std::error_code error;
  fs::rename(temporary, pointer, error);
  if (error)
    return Error{Errc::io,
                 "cannot rename '" + temporary + "': " + error.message()};
  // Only a pointer that is sure to be there may let the old files go.
  return flush(directory_of(dir).c_str(), O_RDONLY);
}

}  // namespace

std::string checkpoint_prefix(std::string const& dir) {
  std::error_code error;
  fs::create_directories(directory_of(dir), error);  // writing will tell
  auto const since_epoch = std::chrono::system_clock::now().time_since_epoch();
  auto const run =
      std::chrono::duration_cast<std::chrono::seconds>(since_epoch).count();
  return directory_of(dir) /
         ("run-" + std::to_string(run) + '-' + std::to_string(getpid()) + '-');
}

struct CheckpointPointer::State {
  std::string const dir;
  OnTrouble const on_trouble;
  std::vector<std::string> superseded;  ///< to be removed
};

CheckpointPointer::CheckpointPointer(std::string dir, OnTrouble on_trouble)
    : state_(std::make_shared<State>(
          State{std::move(dir), std::move(on_trouble), {}})) {}

void CheckpointPointer::move_to(generation::membership::Register newest,
                                std::shared_future<void> after) {
  queue_.push([state = state_, newest = std::move(newest),
               after = std::move(after)] {
    after.wait();
    auto& old = state->superseded;
    old.insert(old.end(), newest.superseded.begin(), newest.superseded.end());
    auto const pointed = point_to(state->dir, newest);
    if (!pointed) return state->on_trouble(pointed.error().message);
    std::error_code ignored;
    for (auto const& path : std::exchange(old, {})) {
      fs::remove(path, ignored);
      fs::remove(path + unfinished, ignored);
    }
  });
}

void CheckpointPointer::remove_unfinished(std::string prefix) {
  queue_.push([state = state_, prefix = std::move(prefix)] {
    std::error_code error;
    std::vector<fs::path> left;
    fs::directory_iterator file(directory_of(state->dir), error);
    for (; !error && file != fs::directory_iterator(); file.increment(error)) {
      auto const& path = file->path();
      if (path.string().compare(0, prefix.size(), prefix) == 0 &&
          path.extension() == unfinished)
        left.push_back(path);
    }
    for (auto const& path : left) fs::remove(path, error);
  });
}

std::optional<generation::membership::Checkpoint> read_latest(
    std::string const& dir) {
  std::ifstream file(pointer_of(dir));
  auto const pointer = json::parse(file, nullptr, false);
  if (!pointer.is_object()) return std::nullopt;
  try {
    generation::membership::Checkpoint checkpoint;
    checkpoint.path = pointer.at("path").get<std::string>();
    checkpoint.step = pointer.at("step").get<msg::Step>();
    checkpoint.samples_seen = pointer.at("samples_seen").get<std::uint64_t>();
    std::error_code error;
    if (!fs::exists(checkpoint.path, error)) return std::nullopt;
    return checkpoint;
  } catch (json::exception const&) {
    return std::nullopt;
  }
}

}  // namespace gleaner::coordinator
