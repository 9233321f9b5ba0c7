// SPDX-License-Identifier: Apache-2.0
/// What the memory of a GPU promises, on one.
#include <cstring>
#include <vector>

#include "runtime/comm/gpu_module.hh"
#include "runtime/comm/half.hh"
#include "test/unit/catch.hh"

using namespace gleaner;

namespace {

std::shared_ptr<comm::Device> gpu() {
  auto const module = comm::gpu_module();
  INFO((module ? "" : module.error().message));
  REQUIRE(module);
  auto device = (*module)->open_device(0);
  INFO((device ? "" : device.error().message));
  REQUIRE(device);
  return *device;
}

/// `in` * factor, by the GPU and by the host.
template <class T>
void check_scale(comm::Device& device, comm::Element type,
                 std::vector<T> const& in, double factor) {
  auto const bytes = in.size() * sizeof(T);
  std::vector<T> host(in.size()), back(in.size());
  comm::scale(type, host.data(), in.data(), in.size(), factor);
  void* const from = *device.allocate(bytes);
  void* const to = *device.allocate(bytes);
  REQUIRE(device.from_host(from, in.data(), bytes));
  REQUIRE(device.scale(type, to, from, in.size(), factor));
  REQUIRE(device.to_host(back.data(), to, bytes));
  CHECK(std::memcmp(host.data(), back.data(), bytes) == 0);
  device.release(from, bytes);
  device.release(to, bytes);
}

}  // namespace

TEST_CASE("memory of a GPU is zero at first, and moves there and back") {
  auto const device = ::gpu();
  std::vector<float> numbers(100'003, 1.5f), back(numbers.size(), 7);
  auto const bytes = numbers.size() * sizeof(float);
  void* const a = *device->allocate(bytes);
  void* const b = *device->allocate(bytes);
  REQUIRE(device->to_host(back.data(), a, bytes));
  CHECK(back == std::vector<float>(numbers.size()));
  REQUIRE(device->from_host(a, numbers.data(), bytes));
  REQUIRE(device->copy(b, a, bytes));
  REQUIRE(device->to_host(back.data(), b, bytes));
  CHECK(back == numbers);
  REQUIRE(device->zero(b, bytes));
  REQUIRE(device->to_host(back.data(), b, bytes));
  CHECK(back == std::vector<float>(numbers.size()));
  REQUIRE(device->join(nullptr));
  REQUIRE(device->mark(nullptr));
  REQUIRE(device->wait_for_mark());
  device->release(a, bytes);
  device->release(b, bytes);
}

TEST_CASE("a GPU scales to the same bits as the host") {
  auto const device = ::gpu();
  std::vector<float> singles;
  std::vector<double> doubles;
  std::vector<gleaner::comm::half::Float16> halves;
  std::vector<gleaner::comm::half::Bfloat16> bfloats;
  for (int i = 0; i < 10'007; ++i) {
    auto const x = (i - 5000) / 37.0;
    singles.push_back(float(x));
    doubles.push_back(x);
    halves.push_back(gleaner::comm::half::Float16::nearest(float(x)));
    bfloats.push_back(gleaner::comm::half::Bfloat16::nearest(float(x)));
  }
  for (double factor : {1.0, 4.0 / 3, 0.1}) {
    check_scale(*device, comm::Element::float32, singles, factor);
    check_scale(*device, comm::Element::float64, doubles, factor);
    check_scale(*device, comm::Element::float16, halves, factor);
    check_scale(*device, comm::Element::bfloat16, bfloats, factor);
  }
}
