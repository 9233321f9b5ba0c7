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
  /// On the interface with this numeric address: one for the life of the
  /// process, as Gloo since 2023 cannot end one whose port somebody has
  /// touched. Fails with io.
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
    // Gloo of 2025 also says which loop it is: one of these is its virtual.
    void handleEvents(int);
    void handleEvents(gloo::transport::tcp::Loop&, int) { handleEvents(0); }
  };

  GlooDevice() = default;
  static Result<std::shared_ptr<GlooDevice>> make(std::string const& address);
  void fast(int change);

  int event_ = -1;  ///< readable while someone wants fast ticks
  Ticker ticker_;
  std::shared_ptr<gloo::transport::Device> device_;
};

}  // namespace gleaner
