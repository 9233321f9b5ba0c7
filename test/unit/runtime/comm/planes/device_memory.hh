// SPDX-License-Identifier: Apache-2.0
/// Buffers on a device, for planes that sum there.
#pragma once

#include <algorithm>
#include <memory>

#include "planes/plane_under_test.hh"

namespace gleaner::comm::test {

class DeviceMemory final : public TestMemory {
 public:
  DeviceMemory(std::shared_ptr<Device> device, std::size_t bytes)
      : device_(std::move(device)), bytes_(bytes) {
    auto data = device_->allocate(bytes);
    if (data) data_ = *data;
  }
  ~DeviceMemory() override {
    if (data_) device_->release(data_, bytes_);
  }
  void* at() override { return data_; }
  void put(void const* from, std::size_t bytes) override {
    good_ &= bool(device_->from_host(data_, from, bytes));
  }
  void get(void* to, std::size_t bytes) const override {
    // What cannot be read is not what was expected.
    if (!good_ || !device_->to_host(to, data_, bytes))
      std::fill_n(static_cast<char*>(to), bytes, char(0x77));
  }

 private:
  std::shared_ptr<Device> const device_;
  std::size_t const bytes_;
  void* data_ = nullptr;
  bool good_ = true;
};

}  // namespace gleaner::comm::test
