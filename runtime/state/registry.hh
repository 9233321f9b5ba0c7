// SPDX-License-Identifier: Apache-2.0
/// Which tensors and blobs has the program registered as its state?
///
/// The state is seen as one run of bytes, the tensors in order of
/// registration, so that different members can send stripes of it, and as a
/// list of blobs, which are small and which the program makes each time.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/result.hh"
#include "runtime/comm/device.hh"

namespace gleaner::state {

enum class Dtype {
  float32 = 1,
  float64 = 2,
  int64 = 3,
  uint8 = 4,
  float16 = 5,
  bfloat16 = 6
};
enum class Role { param = 1, optimizer = 2, buffer = 3 };

std::size_t size_of(Dtype type);

struct Tensor {
  std::string name;
  void* data = nullptr;  ///< the program's; on a device, its copy on the host
  Dtype type = Dtype::float32;
  std::vector<std::int64_t> shape;
  Role role = Role::param;
  std::shared_ptr<comm::Device> device = nullptr;  ///< NULL: memory of the host
  void* on_device = nullptr;                       ///< the program's, there

  std::size_t count() const;  ///< of elements
  std::size_t bytes() const { return count() * size_of(type); }
};

/// Memory that belongs to the state.
struct Span {
  char* data = nullptr;
  std::size_t bytes = 0;
};

/// Callbacks of the program; both run on its own thread.
struct Blob {
  std::string name;
  std::function<Result<std::string>()> save;
  std::function<Result<void>(std::string const&)> load;
};

///
/// A tensor on a device has a copy on the host, made by add(): that is what is
/// sent and received.  pull() before it is read, push() after it was written.
class Registry {
 public:
  /// Fails with invalid_argument for a name used twice or empty, no data, a
  /// negative dimension, or a size that does not fit.
  Result<void> add(Tensor tensor);
  Result<void> add(Blob blob);

  std::vector<Tensor> const& tensors() const { return tensors_; }
  Tensor const* find(std::string const& name) const;

  std::size_t bytes() const { return bytes_; }  ///< of all tensors

  /// Copy what lies on devices to the host, and back.  Fail with io.
  Result<void> pull() const;
  Result<void> push() const;

  /// The memory of these bytes of the run.
  std::vector<Span> range(std::size_t first, std::size_t last) const;

  /// Where stripe `i` of `n` begins in the run: bytes*i/n, for i up to n.
  std::size_t stripe_begin(int i, int n) const;
  /// The memory of stripe `i` of `n`.
  std::vector<Span> stripe(int i, int n) const;

  /// A digest that differs when names, types, shapes, roles or `options` do.
  std::string schema(std::string const& options) const;

  /// Ask the program for its blobs.
  Result<std::map<std::string, std::string>> save_blobs() const;

  /// Hand them back.  Fails with not_found when one is missing.
  Result<void> load_blobs(
      std::map<std::string, std::string> const& saved) const;

 private:
  std::vector<Tensor> tensors_;
  std::vector<std::shared_ptr<void>> copies_;  ///< on the host
  std::map<std::string, std::size_t> by_name_;
  std::vector<Blob> blobs_;
  std::size_t bytes_ = 0;
};

}  // namespace gleaner::state
