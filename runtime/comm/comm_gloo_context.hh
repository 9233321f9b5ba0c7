// SPDX-License-Identifier: Apache-2.0
/// A Gloo context's pairs: what members tell each other, and how they connect.
#pragma once

#include <gloo/context.h>

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/result.hh"
#include "runtime/comm/comm.hh"
#include "runtime/comm/comm_gloo_device.hh"
#include "runtime/comm/comm_gloo_sockets.hh"

namespace gleaner {

/// A Gloo context that shows its pairs before they are connected.
class GlooContext final : public gloo::Context {
 public:
  /// `connect_s`: how long Gloo may take for one pair.
  GlooContext(PlaneOptions const& options, GlooDevice& device,
              double connect_s);

  /// "10.0.0.7 41000 -1 0 0 41002 -1": the interface, then for each rank the
  /// port of its pair and its number there, both 0 for the member's own.
  /// Before 2023 each pair has a port; since then all have the same, and who
  /// connects says the number.
  std::string contact(std::string const& address) const;

  /// Close all pairs; what waits on them fails.
  void close();
};

/// The connecting of a context's pairs, on a thread of its own.
///
/// Gloo since 2023 calls a pair back when its connection comes, and ends the
/// process when it is closed by then.  So a connect that is given up is left
/// alone with its context, for as long as it takes: at most ten minutes.
class GlooConnect final {
 public:
  /// Fails with invalid_argument for contact data that cannot be read.
  static Result<std::shared_ptr<GlooConnect>> prepare(
      PlaneOptions const& options, std::shared_ptr<GlooDevice> device,
      std::shared_ptr<GlooContext> context,
      std::vector<std::string> const& contacts);

  /// Start it, and wait.  Fails with timed_out, and with unavailable when it
  /// was given up or a member cannot be reached.
  static Result<void> run(std::shared_ptr<GlooConnect> const& connect,
                          double timeout_s);

  /// End run(), which may not have begun.
  void give_up();

  /// How long Gloo may take for a pair, when its user waits for `timeout_s`.
  static double pair_s(double timeout_s);

 private:
  struct To {
    int rank = 0;
    std::vector<char> address;
    PairEnds ends;
  };
  enum class State { connecting, connected, failed, given_up };

  GlooConnect() = default;
  void connect_all();
  void connect_pair(To const& to);
  Result<void> outcome() const;

  std::shared_ptr<GlooDevice> device_;
  std::shared_ptr<GlooContext> context_;
  std::vector<To> to_;
  double silence_s_ = 0;
  std::mutex mutex_;  ///< for what follows
  std::condition_variable changed_;
  State state_ = State::connecting;
  std::string why_;
};

}  // namespace gleaner
