// SPDX-License-Identifier: Apache-2.0
/// What does a simulated member's process consist of?
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "runtime/generation/session.hh"
#include "simulation_lineages.hh"

namespace gleaner::generation::simulation {

constexpr int buckets = 3;
constexpr int torn = -1;

/// What one member adds to a bucket.
struct Contribution {
  int state = torn;
  Positions positions;
  std::uint64_t not_ready = 1;
  std::uint64_t samples = 0;
};
using Sum = std::map<msg::MemberId, Contribution>;

/// One process with its Session, its user's thread and its planes.
struct Process {
  Process(msg::MemberId id, std::string node, SamplerOptions options,
          ShareRules rules, std::uint64_t micro_batch_max)
      : id(id),
        node(std::move(node)),
        micro_batch_max(micro_batch_max),
        session(id, options, rules, micro_batch_max) {}

  msg::MemberId id;
  std::string node;
  std::uint64_t micro_batch_max;  ///< samples; 0: no limit
  Session session;
  bool alive = true;
  bool cut = false;       ///< the coordinator does not listen any more
  bool released = false;  ///< told to go: its state counts no more
  bool lost = false;      ///< it went before all that it said had come
  bool hung = false;      ///< connects no planes
  bool frozen = false;    ///< its process does nothing: SIGSTOP, or a dead link
  double frozen_s = 0;    ///< since when
  bool loops = false;     ///< its program does not come back to the library
  double busy_until_s = 0;
  bool reported = false;  ///< its end was reported to the coordinator
  double from_it = 2;     ///< weights: how fast its messages and results are
  double to_it = 2;
  double results = 2;
  std::deque<msg::ToMember> inbox;
  std::deque<msg::FromMember> outbox;
  msg::LogValues kept;  ///< values that wait for the next heartbeat
  void send_kept();

  enum class User { loading, ready, starting, between, computing, waiting };
  User user = User::loading;
  bool reducing = false;  ///< it waits, in gleaner_reduce()
  double there_s = 0;     ///< since when the user's thread is where it is
  std::uint64_t steps = 0;
  double beat_s = 0;  ///< of the last heartbeat
  msg::Alive told;    ///< the last one that came to the coordinator
  msg::Alive heartbeat(double now) const;
  void go_to(User there, double now) {
    user = there;
    reducing = false;
    there_s = now;
  }
  std::optional<session::BeginStep> step;
  /// A joiner's first share, as it was foretold.
  std::optional<Positions> foretold;
  int state = Lineages::initial;
  int gradients = 0;  ///< buckets of this step that are computed
  Contribution gradient;

  struct Buffer {
    msg::Step step = 0;
    std::optional<Sum> sum;  ///< nullopt: being overwritten
  };
  /// The first bucket alternates between two.
  std::array<Buffer, buckets + 1> buffers;
  Buffer& buffer(msg::Step step, int bucket) {
    return bucket == 0 ? buffers[step % 2] : buffers[bucket + 1];
  }
  std::optional<session::Reduce> reduce;
  bool spoiled = false;  ///< what was launched of it will be computed again
  int launched = 0;
  int done = 0;

  struct Plane {
    std::vector<msg::MemberId> members;
    bool blobs = false;
    bool connected = false;
    bool broken = false;
  };
  std::map<msg::Generation, Plane> planes;
  bool stopping = false;

  struct Serving {
    session::ServeState what;
    int state;
    std::set<msg::MemberId> waiting;
  };
  std::optional<Serving> serving;
  /// Its own portion comes from the donors, piece by piece; those of the other
  /// joiners from them, once they have got them.
  struct Fetching {
    session::FetchState what;
    bool requested = false;
    bool follows = false;  ///< it has the state that was fed first
    std::size_t applied = 0;
    std::set<msg::MemberId> from;  ///< donors and joiners that have sent
    int state = torn;
    std::string header;
    std::size_t pieces() const;  ///< of its own portion, that are there
  };
  std::optional<Fetching> fetching;
  /// What this member feeds joiners that follow.
  struct Feeding {
    session::PrepareFeed what;
    int state = torn;  ///< until it begins
    struct Reduction {
      msg::Step step;
      std::uint64_t pass;
      Positions positions;
      int before;
      bool operator==(Reduction const&) const = default;
    };
    std::vector<Reduction> reductions = {};
    std::optional<std::string> end = {};
  };
  std::optional<Feeding> feeding;
  struct Takeover {
    session::FetchReduction what;
    std::vector<Sum> sums;
  };
  std::optional<Takeover> takeover;
  struct Writing {
    session::WriteCheckpoint what;
    int state;
  };
  std::vector<Writing> writing;
  std::optional<session::LoadCheckpoint> loading;
};

}  // namespace gleaner::generation::simulation
