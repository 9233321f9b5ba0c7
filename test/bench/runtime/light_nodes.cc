// SPDX-License-Identifier: Apache-2.0
/// A thousand members for one machine: what does a coordinator do for them?
///
///     light_nodes hub SOCKET     all nodes and members, in one process
///     light_nodes                what the coordinator starts as an agent;
///                                $LIGHT_HUB is the hub's socket
///
/// The hub takes lines: `hold` (members that start do not become ready), `load`
/// (those do, at once), `lose N`, `set STEP_S VALUES`, `members`; each is
/// answered by one.
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <istream>
#include <sstream>

#include "light_training.hh"
#include "runtime/os/handed_secret.hh"

namespace light {
namespace {

constexpr double connect_s = 60;
using Unix = asio::local::stream_protocol;

/// One node: its agent, and whom that started.
class Node : public std::enable_shared_from_this<Node> {
 public:
  Node(asio::io_context& io, Training& training, Unix::socket process)
      : io_(io), training_(training), process_(std::move(process)) {}

  /// "NODE COORDINATOR SECRET": where the process was started for.
  void start() {
    asio::async_read_until(
        process_, line_, '\n',
        [self = shared_from_this()](asio::error_code error, std::size_t) {
          if (error) return;
          std::istream words(&self->line_);
          words >> self->name_ >> self->coordinator_ >> self->secret_;
          self->connect("agent", self->name_, [self](auto link) {
            self->agent_ = link;
            link->start([self](std::string_view text) { self->hear(text); },
                        [self] { self->end(); });
            self->say(msg::AgentHello{self->name_, 0, 0, 16});
          });
        });
  }

 private:
  void connect(std::string const& role, std::string const& id,
               std::function<void(std::shared_ptr<Link>)> done) {
    gleaner::proto::secret_connect(
        io_, coordinator_, secret_, {role, id}, connect_s, [](auto&) {},
        [self = shared_from_this(), done](auto channel) {
          auto connection =
              channel ? (*channel)->release()
                      : gleaner::Result<gleaner::proto::Channel::Released>(
                            channel.error());
          if (!connection) {
            std::cerr << "light_nodes: " << connection.error().message << '\n';
            return self->end();
          }
          done(std::make_shared<Link>(self->io_, std::move(*connection)));
        });
  }

  void say(msg::FromAgent const& message) {
    if (agent_) agent_->send(to_json(message));
  }

  void hear(std::string_view text) {
    auto const message = *msg::parse_to_agent(nlohmann::json::parse(text));
    if (auto const* order = std::get_if<msg::StartMembers>(&message)) {
      for (auto const id : order->members) start_member(id);
      beat(order->heartbeat_s);
    } else if (std::holds_alternative<msg::AgentExit>(message) ||
               std::holds_alternative<msg::Refused>(message)) {
      end();
    }
  }

  void start_member(msg::MemberId id) {
    say(msg::MemberStarted{id, 1, ""});
    connect("member", std::to_string(id),
            [self = shared_from_this(), id](auto link) {
              self->training_.add(id, self->name_, link, [self, id] {
                // Not inside what ends it: the others are to hear of it first.
                asio::post(self->io_, [self, id] {
                  self->say(msg::MemberExited{id, 0});
                });
              });
            });
  }

  void beat(double heartbeat_s) {
    if (!agent_ || std::exchange(beats_, true)) return;
    auto const timer = std::make_shared<asio::steady_timer>(
        io_, std::chrono::milliseconds(long(1000 * heartbeat_s)));
    timer->async_wait(
        [self = shared_from_this(), timer, heartbeat_s](asio::error_code) {
          self->say(msg::Heartbeat{});
          self->beats_ = false;
          self->beat(heartbeat_s);
        });
  }

  void end() {
    if (auto const agent = std::exchange(agent_, nullptr)) agent->close();
    asio::error_code ignored;
    process_.close(ignored);
  }

  asio::io_context& io_;
  Training& training_;
  Unix::socket process_;
  asio::streambuf line_;
  std::string name_, coordinator_, secret_;
  std::shared_ptr<Link> agent_;
  bool beats_ = false;
};

void accept(asio::io_context& io, Training& training, Unix::acceptor& door) {
  door.async_accept([&](asio::error_code error, Unix::socket process) {
    if (!error)
      std::make_shared<Node>(io, training, std::move(process))->start();
    accept(io, training, door);
  });
}

void obey(std::string const& line, Training& training, Options& options) {
  std::istringstream words(line);
  std::string verb;
  words >> verb;
  if (verb == "hold") {
    options.hold_loaded = true;
    training.set(options);
  } else if (verb == "load") {
    options.hold_loaded = false;
    training.set(options);
    training.load();
  } else if (verb == "set") {
    words >> options.step_s >> options.values;
    training.set(options);
  } else if (verb == "lose") {
    std::size_t n = 0;
    words >> n;
    auto ids = training.members();
    if (ids.size() > n) ids.erase(ids.begin(), ids.end() - long(n));
    training.lose(ids);
  }
  std::cout << training.members().size() << std::endl;
}

void read_orders(asio::posix::stream_descriptor& input, asio::streambuf& buffer,
                 Training& training, Options& options) {
  asio::async_read_until(input, buffer, '\n',
                         [&](asio::error_code error, std::size_t) {
                           if (error) std::exit(0);  // who started us is gone
                           std::istream lines(&buffer);
                           std::string line;
                           std::getline(lines, line);
                           obey(line, training, options);
                           read_orders(input, buffer, training, options);
                         });
}

int run_hub(char const* path) {
  asio::io_context io;
  ::unlink(path);
  Unix::acceptor door(io, Unix::endpoint(path));
  door.listen(1024);
  Options options;
  Training training(io, options);
  accept(io, training, door);
  asio::posix::stream_descriptor input(io, ::dup(STDIN_FILENO));
  asio::streambuf buffer;
  read_orders(input, buffer, training, options);
  io.run();
  return 0;
}

/// In place of an agent: tell the hub, and stay until it has closed.
int run_node() {
  char const* const hub = std::getenv("LIGHT_HUB");
  char const* const node = std::getenv("GLEANER_NODE");
  char const* const coordinator = std::getenv("GLEANER_COORDINATOR");
  if (!hub || !node || !coordinator) return 2;
  auto const secret =
      gleaner::os::read_secret_line(STDIN_FILENO, std::chrono::seconds(30));
  if (!secret) return 2;
  asio::io_context io;
  Unix::socket socket(io);
  socket.connect(Unix::endpoint(hub));
  asio::write(socket, asio::buffer(std::string(node) + ' ' + coordinator + ' ' +
                                   *secret + '\n'));
  char byte;
  asio::error_code ended;
  socket.read_some(asio::buffer(&byte, 1), ended);
  return 0;
}

}  // namespace
}  // namespace light

int main(int argc, char** argv) {
  try {
    return argc == 3 ? light::run_hub(argv[2]) : light::run_node();
  } catch (std::exception const& e) {
    std::cerr << "light_nodes: " << e.what() << '\n';
    return 1;
  }
}
