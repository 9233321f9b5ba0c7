// SPDX-License-Identifier: Apache-2.0
/// How channels come about: connecting and listening.
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <optional>
#include <utility>

#include "proto/accept_failures.hh"
#include "proto/channel.hh"

namespace gleaner::proto {
namespace {

using asio::ip::tcp;
using asio::local::stream_protocol;

struct HostPort {
  std::string host;
  std::string port;
};

/// "host:port" or "[v6]:port".
std::optional<HostPort> split_address(std::string const& address) {
  auto const colon = address.rfind(':');
  if (colon == std::string::npos || colon == 0 || colon + 1 == address.size())
    return std::nullopt;
  auto host = address.substr(0, colon);
  if (host.size() > 2 && host.front() == '[' && host.back() == ']')
    host = host.substr(1, host.size() - 2);
  return HostPort{host, address.substr(colon + 1)};
}

Error bad_address(std::string const& address) {
  return {Errc::invalid_argument,
          "'" + address + "' is no address (expected host:port)"};
}

/// One attempt to connect: whichever comes first, the connection or the
/// deadline, calls the handler.
class Attempt : public std::enable_shared_from_this<Attempt> {
 public:
  Attempt(asio::io_context& io, std::string address, OnConnect on_connect)
      : address_(std::move(address)),
        on_connect_(std::move(on_connect)),
        resolver_(io),
        tcp_(io),
        unix_(io),
        deadline_(io) {}

  void start_tcp(HostPort const& target, double timeout_s) {
    arm(timeout_s);
    resolver_.async_resolve(
        target.host, target.port,
        [self = shared_from_this()](asio::error_code error,
                                    tcp::resolver::results_type found) {
          if (error) return self->finish(error.message());
          asio::async_connect(
              self->tcp_, found,
              [self](asio::error_code failed, tcp::endpoint const&) {
                self->connected(failed, self->tcp_);
              });
        });
  }

  void start_unix(std::string const& path, double timeout_s) {
    arm(timeout_s);
    unix_.async_connect(stream_protocol::endpoint(path),
                        [self = shared_from_this()](asio::error_code failed) {
                          self->connected(failed, self->unix_);
                        });
  }

 private:
  void arm(double timeout_s) {
    deadline_.expires_after(
        std::chrono::duration_cast<std::chrono::steady_clock::duration>(
            std::chrono::duration<double>(timeout_s)));
    deadline_.async_wait([self = shared_from_this()](asio::error_code error) {
      if (!error) self->finish("no answer in time", Errc::timed_out);
    });
  }

  template <class Socket>
  void connected(asio::error_code error, Socket& socket) {
    if (error) return finish(error.message());
    if (!on_connect_) return;
    deadline_.cancel();
    std::exchange(on_connect_, nullptr)(Channel::make(std::move(socket)));
  }

  void finish(std::string const& why, Errc code = Errc::unavailable) {
    if (!on_connect_) return;
    asio::error_code ignored;
    deadline_.cancel();
    resolver_.cancel();
    tcp_.close(ignored);
    unix_.close(ignored);
    std::exchange(on_connect_, nullptr)(
        Error{code, "cannot connect to " + address_ + " (" + why + ")"});
  }

  std::string address_;
  OnConnect on_connect_;
  tcp::resolver resolver_;
  tcp::socket tcp_;
  stream_protocol::socket unix_;
  asio::steady_timer deadline_;
};

}  // namespace

void connect_tcp(asio::io_context& io, std::string const& address,
                 double timeout_s, OnConnect on_connect) {
  auto const target = split_address(address);
  if (!target) {
    asio::post(io, [error = bad_address(address),
                    handler = std::move(on_connect)] { handler(error); });
    return;
  }
  std::make_shared<Attempt>(io, address, std::move(on_connect))
      ->start_tcp(*target, timeout_s);
}

void connect_unix(asio::io_context& io, std::string const& path,
                  double timeout_s, OnConnect on_connect) {
  std::make_shared<Attempt>(io, path, std::move(on_connect))
      ->start_unix(path, timeout_s);
}

struct Listener::Impl {
  std::function<void()> close;
  int port = 0;
};

namespace {

template <class Protocol>
class Acceptor {
 public:
  Acceptor(asio::io_context& io, std::string address,
           Listener::OnAccept on_accept)
      : acceptor(io),
        address_(std::move(address)),
        retry_(io),
        on_accept_(std::move(on_accept)) {}

  static void next(std::shared_ptr<Acceptor> self) {
    self->acceptor.async_accept(
        [self](asio::error_code error, typename Protocol::socket socket) {
          if (!self->acceptor.is_open()) return;
          if (error) return self->wait(self, error);
          self->on_accept_(Channel::make(std::move(socket)));
          next(self);
        });
  }

  void close() {
    asio::error_code ignored;
    acceptor.close(ignored);
    retry_.cancel();
  }

  typename Protocol::acceptor acceptor;

 private:
  void wait(std::shared_ptr<Acceptor> self, asio::error_code why) {
    failures_.note(address_, why);
    retry_.expires_after(AcceptFailures::pause);
    retry_.async_wait([self](asio::error_code error) {
      if (!error && self->acceptor.is_open()) next(self);
    });
  }

  std::string const address_;
  AcceptFailures failures_;
  asio::steady_timer retry_;
  Listener::OnAccept on_accept_;
};

Error cannot_listen(std::string const& address, asio::error_code error) {
  auto const why = error.value() == EADDRNOTAVAIL
                       ? "this host has no such address"
                       : error.message();
  return {Errc::io, "cannot listen on " + address + " (" + why + ")"};
}

}  // namespace

Listener::Listener(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Listener::~Listener() { impl_->close(); }
int Listener::port() const { return impl_->port; }

Result<std::unique_ptr<Listener>> Listener::tcp(asio::io_context& io,
                                                std::string const& address,
                                                OnAccept on_accept) {
  auto const target = split_address(address);
  if (!target) return bad_address(address);
  asio::error_code error;
  auto const found =
      asio::ip::tcp::resolver(io).resolve(target->host, target->port, error);
  if (error) return cannot_listen(address, error);
  auto const endpoint = found.begin()->endpoint();
  auto acceptor = std::make_shared<Acceptor<asio::ip::tcp>>(
      io, address, std::move(on_accept));
  auto& socket = acceptor->acceptor;
  socket.open(endpoint.protocol(), error);
  if (!error) socket.set_option(asio::socket_base::reuse_address(true), error);
  if (!error) socket.bind(endpoint, error);
  if (!error) socket.listen(asio::socket_base::max_listen_connections, error);
  if (error) return cannot_listen(address, error);
  auto const port = socket.local_endpoint(error).port();
  Acceptor<asio::ip::tcp>::next(acceptor);
  auto impl = std::make_unique<Impl>(
      Impl{[acceptor] { acceptor->close(); }, static_cast<int>(port)});
  return std::unique_ptr<Listener>(new Listener(std::move(impl)));
}

Result<std::unique_ptr<Listener>> Listener::unix_socket(asio::io_context& io,
                                                        std::string const& path,
                                                        OnAccept on_accept) {
  asio::error_code error;
  auto acceptor = std::make_shared<Acceptor<stream_protocol>>(
      io, path, std::move(on_accept));
  auto& socket = acceptor->acceptor;
  stream_protocol::endpoint endpoint;
  try {
    endpoint = stream_protocol::endpoint(path);
  } catch (std::system_error const& e) {
    return cannot_listen(path, e.code());  // longer than sockaddr_un takes
  }
  ::unlink(path.c_str());
  socket.open(endpoint.protocol(), error);
  // Between bind and listen nobody can connect: no moment with wider rights.
  if (!error) socket.bind(endpoint, error);
  if (!error && ::chmod(path.c_str(), S_IRUSR | S_IWUSR) != 0)
    error = asio::error_code(errno, asio::error::get_system_category());
  if (!error) socket.listen(asio::socket_base::max_listen_connections, error);
  if (error) return cannot_listen(path, error);
  Acceptor<stream_protocol>::next(acceptor);
  auto impl = std::make_unique<Impl>(Impl{[acceptor, path] {
                                            acceptor->close();
                                            ::unlink(path.c_str());
                                          },
                                          0});
  return std::unique_ptr<Listener>(new Listener(std::move(impl)));
}

}  // namespace gleaner::proto
