// SPDX-License-Identifier: Apache-2.0
/// The members of one test, and how it tells them what to do.
///
/// Single-threaded: messages are exchanged while the test waits for something.
#pragma once

#include <sys/types.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "planes/plane_under_test.hh"
#include "runtime/os/fd.hh"

namespace gleaner::comm::test {

class Members {
 public:
  /// Something a member was told to do; see member.hh.
  struct Ticket {
    int member = 0;
    int op = 0;
  };

  Members(PlaneUnderTest kind, int count);
  ~Members();
  Members(Members const&) = delete;

  int count() const { return int(links_.size()); }

  Ticket connect(int member, int plane, int rank, int size,
                 double timeout_s = 20, std::string const& then = "");
  Ticket sum(int member, int plane, Element type, std::size_t n,
             unsigned seed = 1);
  Ticket spin(int member, int plane, std::size_t n, int tell_after = 0);
  Ticket operate(int member, int plane, std::string const& what, std::size_t n,
                 unsigned seed);
  Ticket stop(int member, int plane);
  Ticket drop(int member, int plane);
  Ticket look(int member);
  Ticket misuse(int member);

  /// connect() will not get the others' contact data.
  void give_up(int member, int plane);

  /// SIGKILL where members are processes; else it stops, drops all and ends.
  void kill(int member);

  /// The answer; {"lost":true} when the member is gone, {"late":true} after
  /// `limit_s`.
  nlohmann::json wait(Ticket ticket, double limit_s = 30);

  /// Until spin() says that it has done `tell_after` rounds.
  bool wait_told(Ticket ticket, double limit_s = 30);

  // --- several at once ------------------------------------------------------
  /// Connect these members, in rank order; whether all could.
  bool connect_all(int plane, std::vector<int> const& members);
  /// stop() and then drop(); false when one took longer than it may.
  bool stop_all(int plane, std::vector<int> const& members);
  /// Sum once and compare; "" or what is wrong.
  std::string check_operation(int plane, std::vector<int> const& members,
                              std::string const& what, std::size_t n,
                              unsigned seed);
  std::string check_sum(int plane, std::vector<int> const& members,
                        Element type, std::size_t n, unsigned seed);

 private:
  struct Link {
    os::Fd fd;
    std::string buffer;
    pid_t pid = 0;
    std::thread thread;
  };

  Ticket tell(int member, nlohmann::json order);
  void send(int member, nlohmann::json const& message);
  void pump(double limit_s);
  void take(int member, nlohmann::json const& message);
  void collect(int member, nlohmann::json const& message);

  PlaneUnderTest const kind_;
  std::vector<Link> links_;
  int next_op_ = 1;
  std::map<int, nlohmann::json> answers_;  ///< by op
  std::set<int> told_;
  struct Board {
    std::map<int, std::string> blobs;  ///< by rank
    std::set<int> members;
  };
  std::map<std::pair<int, std::string>, Board> boards_;
};

}  // namespace gleaner::comm::test
