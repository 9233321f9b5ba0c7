// SPDX-License-Identifier: Apache-2.0
/// The data planes of a member: the one in use and the one being connected.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "proto/runtime_messages.hh"
#include "runtime/comm/comm.hh"
#include "runtime/member/background.hh"

namespace gleaner::member {

/// Calls may come from any thread and do not block, unless said.
class Planes {
 public:
  using SendBlob = std::function<void(msg::PlaneBlob const&)>;
  using OnConnected = std::function<void(msg::Generation, Result<void> const&)>;

  /// `kind` and `options` as for make_plane(); rank, size and generation come
  /// later. Callbacks come from threads of `background`.
  Planes(Background& background, std::string kind, comm::PlaneOptions options,
         SendBlob send_blob, OnConnected on_connected)
      : background_(background),
        kind_(std::move(kind)),
        options_(std::move(options)),
        send_blob_(std::move(send_blob)),
        on_connected_(std::move(on_connected)) {}

  /// Where gradients lie; NULL: on the host.  Before the first connect().
  void set_device(std::shared_ptr<comm::Device> device) {
    options_.device = std::move(device);
  }
  /// Where most of what is summed lies.  Before the first connect().
  void share(std::vector<comm::SharedRegion> regions) {
    options_.shared = std::move(regions);
  }

  /// A link to another member that is silent for so long is lost.  Before the
  /// first connect().
  void set_silence_limit(double seconds) { options_.silence_s = seconds; }

  /// Connect the plane of a generation beside the others.  No callback follows
  /// when it is dropped meanwhile.
  void connect(msg::Generation generation, int rank, int size,
               double timeout_s);

  /// Everybody's contact data has come.
  void take(msg::PlaneBlobs const& blobs);

  /// The plane of a generation; NULL when it is not there.
  std::shared_ptr<comm::Plane> find(msg::Generation generation);

  /// Stop a plane, and get rid of it when nobody is inside any more.
  void drop(msg::Generation generation);
  void drop_all();

 private:
  struct Entry {
    std::shared_ptr<comm::Plane> plane;
    std::map<std::string, std::vector<std::string>> blobs;  ///< by key
    bool dropped = false;
    bool connected = false;
  };

  using Clock = std::chrono::steady_clock;

  void run(msg::Generation generation, std::shared_ptr<Entry> entry, int rank,
           int size, double timeout_s);
  Result<std::vector<std::string>> exchange(msg::Generation generation,
                                            Entry& entry,
                                            std::string const& key,
                                            std::string const& blob,
                                            Clock::time_point end);
  void retire(std::shared_ptr<Entry> entry);

  Background& background_;
  std::string const kind_;
  comm::PlaneOptions options_;
  SendBlob const send_blob_;
  OnConnected const on_connected_;

  std::mutex mutex_;  ///< for what follows
  std::condition_variable changed_;
  std::map<msg::Generation, std::shared_ptr<Entry>> entries_;
};

}  // namespace gleaner::member
