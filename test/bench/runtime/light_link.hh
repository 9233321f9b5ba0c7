// SPDX-License-Identifier: Apache-2.0
/// How does one process be a thousand peers of a coordinator?
///
/// A thousand members would read their messages on a thousand nodes.  Here one
/// process has them all, so it looks for what it needs in the text of a message
/// instead of parsing it, and believes every seal; what the coordinator does is
/// all real.
#pragma once

#include <array>
#include <asio.hpp>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "proto/frame.hh"
#include "proto/secret_door.hh"

namespace light {

/// A proven connection, taken from a channel that has not been used yet.
class Link : public std::enable_shared_from_this<Link> {
 public:
  using OnText = std::function<void(std::string_view)>;
  using OnEnd = std::function<void()>;

  Link(asio::io_context& io, gleaner::proto::Channel::Released connection)
      : stream_(io, connection.fd), seal_(std::move(connection.keys.sent)) {}

  void start(OnText on_text, OnEnd on_end) {
    on_text_ = std::move(on_text);
    on_end_ = std::move(on_end);
    read();
  }

  /// Small messages: what does not fit into the socket is waited for.
  void send(nlohmann::json const& json) {
    if (!stream_.is_open()) return;
    auto const text = gleaner::proto::json_text(json);
    asio::error_code ignored;
    asio::write(stream_,
                asio::buffer(gleaner::proto::frame_of(text) + seal_.next(text)),
                ignored);
  }

  void close() {
    asio::error_code ignored;
    on_text_ = nullptr;
    on_end_ = nullptr;
    stream_.close(ignored);
  }

 private:
  void read() {
    stream_.async_read_some(
        asio::buffer(input_),
        [self = shared_from_this()](asio::error_code error, std::size_t n) {
          if (error) {
            if (auto const on_end = std::move(self->on_end_)) on_end();
            return;
          }
          self->buffer_.append(self->input_.data(), n);
          self->deliver();
          if (self->stream_.is_open()) self->read();
        });
  }

  void deliver() {
    constexpr auto header = gleaner::proto::frame_header_bytes;
    std::size_t at = 0;
    while (buffer_.size() - at >= header && on_text_) {
      std::size_t length = 0;
      for (std::size_t i = 0; i < header; ++i)
        length = length << 8 | static_cast<unsigned char>(buffer_[at + i]);
      auto const whole = header + length + gleaner::proto::seal_bytes;
      if (buffer_.size() - at < whole) break;
      // A copy: the handler may close us.
      auto const on_text = on_text_;
      on_text(std::string_view(buffer_).substr(at + header, length));
      at += whole;
    }
    buffer_.erase(0, at);
  }

  asio::posix::stream_descriptor stream_;
  gleaner::proto::FrameSeal seal_;
  std::array<char, 1 << 16> input_;
  std::string buffer_;
  OnText on_text_;
  OnEnd on_end_;
};

/// "Prepare" of {"generation":2,...,"type":"Prepare"}.
inline std::string_view type_of(std::string_view text) {
  constexpr std::string_view name = "\"type\":\"";
  auto const at = text.rfind(name);
  if (at == text.npos) return "";
  text.remove_prefix(at + name.size());
  return text.substr(0, text.find('"'));
}

/// The message's own generation: no message has another one before it.
inline std::uint64_t generation_of(std::string_view text) {
  constexpr std::string_view name = "\"generation\":";
  auto const at = text.find(name);
  return at == text.npos
             ? 0
             : std::stoull(std::string(text.substr(at + name.size(), 20)));
}

}  // namespace light
