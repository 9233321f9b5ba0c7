// SPDX-License-Identifier: Apache-2.0
/// The thread that moves a Gloo plane's bytes, and how not to wait for it.
#pragma once

#include <gloo/transport/tcp/device.h>
#include <gloo/transport/tcp/loop.h>

#include <atomic>
#include <memory>
#include <string>

#include "core/result.hh"

namespace gleaner {

/// A Gloo device: one thread in epoll_wait().
///
/// To close or to begin a connection Gloo waits until that thread has gone
/// round its loop, which it does every 10 ms when nothing arrives: 70 ms for
/// seven connections.  tick_fast() keeps it going round meanwhile.
class GlooDevice {
 public:
  /// On the interface with this numeric address.  Fails with io.
  static Result<std::shared_ptr<GlooDevice>> on(std::string const& address);
  ~GlooDevice();

  std::shared_ptr<gloo::transport::Device> const& device() { return device_; }

  class Fast {
   public:
    explicit Fast(GlooDevice& device) : device_(device) { device_.fast(1); }
    ~Fast() { device_.fast(-1); }
    Fast(Fast const&) = delete;

   private:
    GlooDevice& device_;
  };
  [[nodiscard]] Fast tick_fast() { return Fast(*this); }

 private:
  class Ticker final : public gloo::transport::tcp::Handler {
   public:
    void handleEvents(int) override;
  };

  GlooDevice() = default;
  void fast(int change);

  int event_ = -1;  ///< readable while someone wants fast ticks
  Ticker ticker_;
  std::shared_ptr<gloo::transport::Device> device_;
};

}  // namespace gleaner
