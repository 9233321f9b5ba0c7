// SPDX-License-Identifier: Apache-2.0
#include "planes/members.hh"

#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>

#include "planes/member.hh"
#include "test/unit/catch.hh"

namespace gleaner::comm::test {

using nlohmann::json;
using Clock = std::chrono::steady_clock;

namespace {

double seconds_since(Clock::time_point begun) {
  return std::chrono::duration<double>(Clock::now() - begun).count();
}

}  // namespace

Members::Members(PlaneUnderTest kind, int count)
    : kind_(std::move(kind)), links_(std::size_t(count)) {
  for (int i = 0; i < count; ++i) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) abort();
    auto& link = links_[std::size_t(i)];
    link.fd = os::Fd(ends[0]);
    if (kind_.hosting == PlaneUnderTest::Hosting::threads) {
      link.thread = std::thread([this, i, fd = ends[1]] {
        serve_member(kind_, i, fd);
        ::close(fd);
      });
      continue;
    }
    link.pid = fork();
    if (link.pid == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      for (auto& other : links_) other.fd = os::Fd();  // their end must be seen
      serve_member(kind_, i, ends[1]);
      _exit(0);
    }
    ::close(ends[1]);
  }
}

Members::~Members() {
  // Their end of the sockets is the order to end; processes get no more time
  // than that takes.
  for (auto& link : links_)
    if (link.fd) ::shutdown(link.fd.get(), SHUT_RDWR);
  for (auto& link : links_) {
    if (link.thread.joinable()) link.thread.join();
    auto const begun = Clock::now();
    while (link.pid > 0 && waitpid(link.pid, nullptr, WNOHANG) == 0) {
      if (seconds_since(begun) > 5) ::kill(link.pid, SIGKILL);
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
}

Members::Ticket Members::tell(int member, json order) {
  Ticket const ticket{member, next_op_++};
  order["op"] = ticket.op;
  send(member, order);
  return ticket;
}

void Members::send(int member, json const& message) {
  auto const line = message.dump() + '\n';
  auto const& link = links_[std::size_t(member)];
  for (std::size_t at = 0; link.fd && at < line.size();) {
    auto const n =
        ::send(link.fd.get(), line.data() + at, line.size() - at, MSG_NOSIGNAL);
    if (n <= 0) return;  // pump() will see that it is gone
    at += std::size_t(n);
  }
}

void Members::pump(double limit_s) {
  std::vector<pollfd> polled;
  for (auto const& link : links_)
    polled.push_back({link.fd ? link.fd.get() : -1, POLLIN, 0});
  if (poll(polled.data(), nfds_t(polled.size()), int(limit_s * 1000) + 1) <= 0)
    return;
  for (std::size_t i = 0; i < links_.size(); ++i) {
    if (!polled[i].revents) continue;
    auto& link = links_[i];
    char piece[65536];
    auto const n = recv(link.fd.get(), piece, sizeof piece, 0);
    if (n <= 0) {
      link.fd = os::Fd();
      continue;
    }
    link.buffer.append(piece, std::size_t(n));
    for (std::size_t end; (end = link.buffer.find('\n')) != std::string::npos;
         link.buffer.erase(0, end + 1))
      take(int(i), json::parse(link.buffer.substr(0, end)));
  }
}

void Members::take(int member, json const& message) {
  if (message.contains("blob"))
    collect(member, message);
  else if (message.contains("told"))
    told_.insert(message.at("told").get<int>());
  else
    answers_[message.at("op")] = message;
}

void Members::collect(int member, json const& message) {
  int const plane = message.at("plane");
  auto& board = boards_[{plane, message.at("key")}];
  board.blobs[message.at("rank")] = message.at("blob");
  board.members.insert(member);
  if (board.blobs.size() != message.at("size").get<std::size_t>()) return;
  json all = json::array();
  for (auto const& [rank, blob] : board.blobs) all.push_back(blob);
  for (int to : board.members)
    send(to, {{"blobs", all}, {"plane", plane}, {"key", message.at("key")}});
}

Members::Ticket Members::connect(int member, int plane, int rank, int size,
                                 double timeout_s, std::string const& then) {
  return tell(member, {{"do", "connect"},
                       {"plane", plane},
                       {"rank", rank},
                       {"size", size},
                       {"timeout_s", timeout_s},
                       {"then", then}});
}

Members::Ticket Members::sum(int member, int plane, Element type, std::size_t n,
                             unsigned seed) {
  return tell(member, {{"do", "sum"},
                       {"plane", plane},
                       {"type", int(type)},
                       {"n", n},
                       {"seed", seed}});
}

Members::Ticket Members::spin(int member, int plane, std::size_t n,
                              int tell_after) {
  return tell(
      member,
      {{"do", "spin"}, {"plane", plane}, {"n", n}, {"tell_after", tell_after}});
}

Members::Ticket Members::operate(int member, int plane, std::string const& what,
                                 std::size_t n, unsigned seed) {
  return tell(member, {{"do", "operate"},
                       {"plane", plane},
                       {"what", what},
                       {"n", n},
                       {"seed", seed}});
}

Members::Ticket Members::stop(int member, int plane) {
  return tell(member, {{"do", "stop"}, {"plane", plane}});
}

Members::Ticket Members::drop(int member, int plane) {
  return tell(member, {{"do", "drop"}, {"plane", plane}});
}

Members::Ticket Members::look(int member) {
  return tell(member, {{"do", "look"}});
}

Members::Ticket Members::misuse(int member) {
  return tell(member, {{"do", "misuse"}});
}

void Members::give_up(int member, int plane) {
  send(member, {{"give_up", plane}});
}

void Members::kill(int member) {
  auto& link = links_[std::size_t(member)];
  if (link.pid > 0) {
    ::kill(link.pid, SIGKILL);
    waitpid(link.pid, nullptr, 0);
    link.pid = 0;
  } else {
    ::shutdown(link.fd.get(), SHUT_WR);
    link.thread.join();
  }
}

json Members::wait(Ticket ticket, double limit_s) {
  auto const begun = Clock::now();
  for (;;) {
    auto it = answers_.find(ticket.op);
    if (it != answers_.end()) return it->second;
    if (!links_[std::size_t(ticket.member)].fd) return {{"lost", true}};
    auto const left_s = limit_s - seconds_since(begun);
    if (left_s <= 0) return {{"late", true}};
    pump(left_s);
  }
}

bool Members::wait_told(Ticket ticket, double limit_s) {
  auto const begun = Clock::now();
  while (!told_.count(ticket.op)) {
    auto const left_s = limit_s - seconds_since(begun);
    if (left_s <= 0 || answers_.count(ticket.op)) return false;
    pump(left_s);
  }
  return true;
}

bool Members::connect_all(int plane, std::vector<int> const& members) {
  std::vector<Ticket> tickets;
  for (std::size_t rank = 0; rank < members.size(); ++rank)
    tickets.push_back(
        connect(members[rank], plane, int(rank), int(members.size())));
  bool all = true;
  for (auto ticket : tickets) {
    auto const answer = wait(ticket);
    bool const connected = answer.value("ok", false);
    if (!connected) UNSCOPED_INFO(answer.dump());
    all &= connected;
  }
  return all;
}

bool Members::stop_all(int plane, std::vector<int> const& members) {
  std::vector<Ticket> tickets;
  for (int member : members) tickets.push_back(stop(member, plane));
  for (int member : members) tickets.push_back(drop(member, plane));
  bool all = true;
  for (auto ticket : tickets) all &= wait(ticket, 5).value("ok", false);
  return all;
}

std::string Members::check_operation(int plane, std::vector<int> const& members,
                                     std::string const& what, std::size_t n,
                                     unsigned seed) {
  std::vector<Ticket> tickets;
  for (int m : members) tickets.push_back(operate(m, plane, what, n, seed));
  std::string found;
  for (auto const& ticket : tickets) {
    auto const answer = wait(ticket);
    if (!answer.value("ok", false) || answer.value("wrong", 1) != 0)
      found += "member " + std::to_string(ticket.member) + ": " +
               answer.dump() + "; ";
  }
  return found;
}

std::string Members::check_sum(int plane, std::vector<int> const& members,
                               Element type, std::size_t n, unsigned seed) {
  std::vector<Ticket> tickets;
  for (int member : members)
    tickets.push_back(sum(member, plane, type, n, seed));
  std::string first, problem;
  for (auto ticket : tickets) {
    auto const answer = wait(ticket);
    auto const digest =
        answer.contains("digest") ? answer["digest"].dump() : "none";
    if (first.empty()) first = digest;
    if (!answer.value("ok", false) || !answer.value("local_kept", false) ||
        answer.value("wrong", 1) != 0 || digest != first)
      problem += "member " + std::to_string(ticket.member) + ": " +
                 answer.dump() + " ";
  }
  return problem;
}

}  // namespace gleaner::comm::test
