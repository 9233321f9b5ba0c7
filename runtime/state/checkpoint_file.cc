// SPDX-License-Identifier: Apache-2.0
#include "runtime/state/checkpoint_file.hh"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>

#include "proto/base64.hh"
#include "runtime/os/fd.hh"

namespace gleaner::state {
namespace {

using nlohmann::json;

constexpr std::size_t header_bytes_max = 256u << 20;

char const* name_of(Dtype type) {
  switch (type) {
    case Dtype::float32:
      return "F32";
    case Dtype::float64:
      return "F64";
    case Dtype::int64:
      return "I64";
    case Dtype::uint8:
      return "U8";
    case Dtype::float16:
      return "F16";
    case Dtype::bfloat16:
      return "BF16";
  }
  return "";
}

Error io_error(std::string const& what, std::string const& path) {
  return {Errc::io,
          "cannot " + what + " '" + path + "': " + std::strerror(errno)};
}

Result<void> write_all(int fd, char const* data, std::size_t bytes,
                       std::string const& path) {
  while (bytes > 0) {
    auto const n = ::write(fd, data, bytes);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return io_error("write", path);
    data += n;
    bytes -= std::size_t(n);
  }
  return {};
}

Result<void> read_all(int fd, char* data, std::size_t bytes, std::size_t at,
                      std::string const& path) {
  while (bytes > 0) {
    auto const n = ::pread(fd, data, bytes, off_t(at));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return io_error("read", path);
    if (n == 0)
      return Error{Errc::invalid_argument, "'" + path + "' is truncated"};
    data += n;
    at += std::size_t(n);
    bytes -= std::size_t(n);
  }
  return {};
}

std::string directory_of(std::string const& path) {
  auto const slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash + 1);
}

std::string file_header(std::vector<Tensor> const& tensors,
                        StateHeader const& header) {
  json object = {{"__metadata__",
                  {{"gleaner", "1"},
                   {"schema", header.schema},
                   {"state", header.to_text()}}}};
  std::size_t at = 0;
  for (auto const& tensor : tensors) {
    object[tensor.name] = {{"dtype", name_of(tensor.type)},
                           {"shape", tensor.shape},
                           {"data_offsets", {at, at + tensor.bytes()}}};
    at += tensor.bytes();
  }
  auto text = object.dump(-1, ' ', false, json::error_handler_t::replace);
  text.resize((text.size() + 7) / 8 * 8, ' ');  // tensors begin aligned
  return text;
}

std::string length_prefix(std::uint64_t length) {
  std::string bytes;
  for (int i = 0; i < 8; ++i) bytes += char(length >> (8 * i) & 0xff);
  return bytes;
}

std::uint64_t length_of(unsigned char const* prefix) {
  std::uint64_t length = 0;
  for (int i = 7; i >= 0; --i) length = length << 8 | prefix[i];
  return length;
}

struct File {
  os::Fd fd;
  std::uint64_t bytes = 0;
  std::uint64_t data_at = 0;  ///< where the tensors begin
  json header;
};

Result<File> open_file(std::string const& path) {
  auto refuse = [&](char const* why) {
    return Error{Errc::invalid_argument,
                 "'" + path + "' is no checkpoint (" + why + ")"};
  };
  File file;
  file.fd = os::Fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat status {};
  if (!file.fd || ::fstat(file.fd.get(), &status) != 0)
    return io_error("open", path);
  file.bytes = std::uint64_t(status.st_size);
  unsigned char prefix[8];
  if (file.bytes < sizeof prefix) return refuse("it is too short");
  auto* bytes = reinterpret_cast<char*>(prefix);
  if (auto r = read_all(file.fd.get(), bytes, 8, 0, path); !r) return r.error();
  auto const length = length_of(prefix);
  if (length > header_bytes_max || length > file.bytes - 8)
    return refuse("truncated, or not in safetensors form");
  std::string text(length, '\0');
  if (auto r = read_all(file.fd.get(), text.data(), length, 8, path); !r)
    return r.error();
  file.header = json::parse(text, nullptr, false);
  if (!file.header.is_object()) return refuse("its header is no JSON object");
  file.data_at = 8 + length;
  return file;
}

/// The place of `tensor` in the file.
Result<std::uint64_t> place_of(Tensor const& tensor, File const& file,
                               std::string const& path) try {
  auto const& entry = file.header.at(tensor.name);
  auto const first = entry.at("data_offsets").at(0).get<std::uint64_t>();
  auto const last = entry.at("data_offsets").at(1).get<std::uint64_t>();
  if (entry.at("dtype") != name_of(tensor.type) ||
      entry.at("shape") != json(tensor.shape) || last < first ||
      last - first != tensor.bytes())
    return Error{Errc::invalid_argument, "'" + path + "' has tensor '" +
                                             tensor.name +
                                             "' with another type or shape"};
  if (last > file.bytes - file.data_at)
    return Error{Errc::invalid_argument,
                 "'" + path + "' is truncated (tensor '" + tensor.name +
                     "' ends at byte " + std::to_string(file.data_at + last) +
                     " of " + std::to_string(file.bytes) + ")"};
  return file.data_at + first;
} catch (json::exception const&) {
  return Error{Errc::invalid_argument,
               "'" + path + "' has no tensor '" + tensor.name + "'"};
}

Result<StateHeader> metadata_of(File const& file, std::string const& path,
                                std::string const& schema) try {
  auto const& metadata = file.header.at("__metadata__");
  if (metadata.at("gleaner") != "1")
    return Error{Errc::invalid_argument,
                 "'" + path + "' is a checkpoint of another version"};
  if (metadata.at("schema") != schema)
    return Error{
        Errc::invalid_argument,
        "'" + path + "' was written by another program, or with other options"};
  return StateHeader::parse(metadata.at("state").get<std::string>());
} catch (json::exception const&) {
  return Error{Errc::invalid_argument,
               "'" + path + "' was not written by Gleaner"};
}

}  // namespace

std::string StateHeader::to_text() const {
  json saved = json::object();
  for (auto const& [name, data] : blobs) saved[name] = proto::base64(data);
  return json{{"schema", schema}, {"session", session}, {"blobs", saved}}.dump(
      -1, ' ', false, json::error_handler_t::replace);
}

Result<StateHeader> StateHeader::parse(std::string const& text) try {
  auto const object = json::parse(text);
  StateHeader header;
  header.schema = object.at("schema").get<std::string>();
  header.session = object.at("session").get<std::string>();
  for (auto const& [name, value] : object.at("blobs").items()) {
    auto data = proto::from_base64(value.get<std::string>());
    if (!data) return data.error();
    header.blobs[name] = std::move(*data);
  }
  return header;
} catch (json::exception const& why) {
  return Error{Errc::invalid_argument,
               std::string("cannot read the header of a state: ") + why.what()};
}

Result<std::uint64_t> write_checkpoint(std::string const& path,
                                       std::vector<Tensor> const& tensors,
                                       char const* data,
                                       StateHeader const& header) {
  auto const text = file_header(tensors, header);
  std::size_t bytes = 0;
  for (auto const& tensor : tensors) bytes += tensor.bytes();

  auto const temporary = path + ".tmp";
  os::Fd fd(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC,
                   0666));
  if (!fd) return io_error("create", temporary);
  auto const prefix = length_prefix(text.size());
  auto done = write_all(fd.get(), prefix.data(), prefix.size(), temporary);
  if (done) done = write_all(fd.get(), text.data(), text.size(), temporary);
  if (done) done = write_all(fd.get(), data, bytes, temporary);
  if (done && ::fsync(fd.get()) != 0) done = io_error("flush", temporary);
  if (done && ::rename(temporary.c_str(), path.c_str()) != 0)
    done = io_error("rename", temporary);
  if (!done) {
    ::unlink(temporary.c_str());
    return done.error();
  }
  // The new name must survive, too.
  os::Fd directory(::open(directory_of(path).c_str(), O_RDONLY | O_CLOEXEC));
  if (!directory || ::fsync(directory.get()) != 0)
    return io_error("flush the directory of", path);
  return prefix.size() + text.size() + bytes;
}

Result<StateHeader> read_checkpoint(std::string const& path,
                                    Registry const& registry,
                                    std::string const& schema) {
  auto file = open_file(path);
  if (!file) return file.error();
  auto header = metadata_of(*file, path, schema);
  if (!header) return header;
  std::vector<std::uint64_t> places;
  for (auto const& tensor : registry.tensors()) {
    auto place = place_of(tensor, *file, path);
    if (!place) return place.error();
    places.push_back(*place);
  }
  for (std::size_t i = 0; i < places.size(); ++i) {
    auto const& tensor = registry.tensors()[i];
    auto filled = read_all(file->fd.get(), static_cast<char*>(tensor.data),
                           tensor.bytes(), places[i], path);
    if (!filled) return filled.error();
  }
  return header;
}

}  // namespace gleaner::state
