// SPDX-License-Identifier: Apache-2.0
#include "runtime/agent/labelled_output.hh"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

namespace gleaner::agent {
namespace {

/// A longer one is cut.
constexpr std::size_t line_bytes_max = 64 << 10;

os::LineFile::Hooks hooks() {
  os::LineFile::Hooks hooks;
  hooks.lost_line = [](std::uint64_t lost) {
    return "gleaner: " + std::to_string(lost) + " lines of output were lost\n";
  };
  return hooks;
}

os::Fd copy_of(int fd) { return os::Fd(::fcntl(fd, F_DUPFD_CLOEXEC, 3)); }

}  // namespace

/// One pipe of one member.
struct LabelledOutput::Stream {
  Stream(asio::io_context& io, int fd, std::string label, os::LineFile& to)
      : pipe(io, fd), label(std::move(label)), to(to) {}

  asio::posix::stream_descriptor pipe;
  std::string const label;
  os::LineFile& to;
  std::string line;  ///< not yet complete
  std::array<char, 4096> input{};

  void take(std::string_view bytes);
  void end_line();
};

void LabelledOutput::Stream::take(std::string_view bytes) {
  for (char const c : bytes) {
    if (c == '\n' || line.size() == line_bytes_max) end_line();
    if (c != '\n') line += c;
  }
}

void LabelledOutput::Stream::end_line() {
  to.write(label + line + '\n');
  line.clear();
}

LabelledOutput::LabelledOutput(asio::io_context& io, int out_fd, int err_fd)
    : io_(io), out_(copy_of(out_fd), hooks()), err_(copy_of(err_fd), hooks()) {}

LabelledOutput::~LabelledOutput() {
  for (auto const& weak : streams_)
    if (auto const stream = weak.lock()) {
      asio::error_code ignored;
      stream->pipe.close(ignored);
    }
}

Result<LabelledOutput::Ends> LabelledOutput::make(msg::MemberId member) {
  auto out = make_stream(member, out_);
  if (!out) return out.error();
  auto err = make_stream(member, err_);
  if (!err) return err.error();
  return Ends{std::move(*out), std::move(*err)};
}

Result<os::Fd> LabelledOutput::make_stream(msg::MemberId member,
                                           os::LineFile& to) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0)
    return Error{Errc::io, std::string("cannot make a pipe (") +
                               std::strerror(errno) + ")"};
  auto stream =
      std::make_shared<Stream>(io_, ends[0], std::to_string(member) + ": ", to);
  std::erase_if(streams_, [](auto const& weak) { return weak.expired(); });
  streams_.push_back(stream);
  read(std::move(stream));
  return os::Fd(ends[1]);
}

void LabelledOutput::read(std::shared_ptr<Stream> stream) {
  auto& pipe = stream->pipe;
  auto const input = asio::buffer(stream->input);
  pipe.async_read_some(input, [this, stream = std::move(stream)](
                                  asio::error_code error, std::size_t n) {
    if (error == asio::error::operation_aborted) return;
    stream->take({stream->input.data(), n});
    if (!error) return read(stream);
    if (!stream->line.empty()) stream->end_line();
  });
}

void LabelledOutput::finish() {
  for (auto const& weak : streams_) {
    auto const stream = weak.lock();
    if (!stream) continue;
    asio::error_code error;
    stream->pipe.non_blocking(true, error);
    while (!error) {
      auto const n = stream->pipe.read_some(asio::buffer(stream->input), error);
      stream->take({stream->input.data(), n});
    }
    if (!stream->line.empty()) stream->end_line();
  }
}

}  // namespace gleaner::agent
