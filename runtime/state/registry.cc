// SPDX-License-Identifier: Apache-2.0
#include "runtime/state/registry.hh"

#include <algorithm>
#include <limits>

#include "proto/secret.hh"

namespace gleaner::state {

std::size_t size_of(Dtype type) {
  switch (type) {
    case Dtype::float32:
      return 4;
    case Dtype::float64:
    case Dtype::int64:
      return 8;
    case Dtype::uint8:
      return 1;
    case Dtype::float16:
    case Dtype::bfloat16:
      return 2;
  }
  return 0;
}

std::size_t Tensor::count() const {
  std::size_t n = 1;
  for (auto d : shape) n *= static_cast<std::size_t>(d);
  return n;
}

Result<void> Registry::add(Tensor tensor) {
  auto refuse = [&](std::string const& why) {
    return Error{Errc::invalid_argument,
                 "cannot register tensor '" + tensor.name + "' (" + why + ")"};
  };
  if (tensor.name.empty()) return refuse("it has no name");
  if (by_name_.count(tensor.name)) return refuse("the name is taken");
  if (size_of(tensor.type) == 0) return refuse("unknown dtype");
  if (tensor.role != Role::param && tensor.role != Role::optimizer &&
      tensor.role != Role::buffer)
    return refuse("unknown role");
  // Half of what can be addressed: sums of sizes cannot overflow.
  std::size_t room = std::numeric_limits<std::ptrdiff_t>::max() / 16;
  for (auto d : tensor.shape) {
    if (d < 0) return refuse("a dimension is negative");
    if (d > 0) room /= static_cast<std::size_t>(d);
  }
  if (room == 0) return refuse("it is too large");
  auto const* data = tensor.device ? tensor.on_device : tensor.data;
  if (!data && tensor.bytes() > 0) return refuse("data is NULL");
  if (tensor.device && tensor.bytes() > 0) {
    auto const device = tensor.device;
    auto const bytes = tensor.bytes();
    tensor.data = device->allocate_host(bytes);
    if (!tensor.data)
      return Error{Errc::io, "no memory on the host for a copy of tensor '" +
                                 tensor.name + "' on a GPU"};
    copies_.emplace_back(tensor.data, [device, bytes](void* copy) {
      device->release_host(copy, bytes);
    });
  }
  by_name_[tensor.name] = tensors_.size();
  bytes_ += tensor.bytes();
  tensors_.push_back(std::move(tensor));
  return {};
}

Result<void> Registry::add(Blob blob) {
  auto const taken =
      std::any_of(blobs_.begin(), blobs_.end(),
                  [&](Blob const& other) { return other.name == blob.name; });
  if (blob.name.empty() || taken)
    return Error{Errc::invalid_argument, "cannot register blob '" + blob.name +
                                             "' (the name is empty or taken)"};
  blobs_.push_back(std::move(blob));
  return {};
}

Result<void> Registry::pull() const {
  for (auto const& tensor : tensors_) {
    if (!tensor.device) continue;
    auto done =
        tensor.device->to_host(tensor.data, tensor.on_device, tensor.bytes());
    if (!done) return done;
  }
  return {};
}

Result<void> Registry::push() const {
  for (auto const& tensor : tensors_) {
    if (!tensor.device) continue;
    auto done =
        tensor.device->from_host(tensor.on_device, tensor.data, tensor.bytes());
    if (!done) return done;
  }
  return {};
}

Tensor const* Registry::find(std::string const& name) const {
  auto it = by_name_.find(name);
  return it == by_name_.end() ? nullptr : &tensors_[it->second];
}

std::size_t Registry::stripe_begin(int i, int n) const {
  assert(n > 0 && i >= 0 && i <= n);
  return bytes_ / n * i + bytes_ % n * i / n;
}

std::vector<Span> Registry::stripe(int i, int n) const {
  return range(stripe_begin(i, n), stripe_begin(i + 1, n));
}

std::vector<Span> Registry::range(std::size_t first, std::size_t last) const {
  std::vector<Span> spans;
  std::size_t at = 0;
  for (auto const& tensor : tensors_) {
    auto const from = std::max(at, first);
    auto const to = std::min(at + tensor.bytes(), last);
    if (from < to)
      spans.push_back(
          {static_cast<char*>(tensor.data) + (from - at), to - from});
    at += tensor.bytes();
  }
  return spans;
}

std::string Registry::schema(std::string const& options) const {
  std::string text = options;
  for (auto const& tensor : tensors_) {
    text += '\n' + std::to_string(tensor.name.size()) + ':' + tensor.name;
    text += ' ' + std::to_string(int(tensor.type));
    text += ' ' + std::to_string(int(tensor.role));
    for (auto d : tensor.shape) text += ' ' + std::to_string(d);
  }
  for (auto const& blob : blobs_)
    text += "\nblob " + std::to_string(blob.name.size()) + ':' + blob.name;
  return proto::hmac_hex("gleaner schema 1", text);
}

Result<std::map<std::string, std::string>> Registry::save_blobs() const {
  std::map<std::string, std::string> saved;
  for (auto const& blob : blobs_) {
    auto data = blob.save();
    if (!data) return data.error();
    saved[blob.name] = std::move(*data);
  }
  return saved;
}

Result<void> Registry::load_blobs(
    std::map<std::string, std::string> const& saved) const {
  for (auto const& blob : blobs_) {
    auto it = saved.find(blob.name);
    if (it == saved.end())
      return Error{Errc::not_found, "the state has no blob '" + blob.name +
                                        "' (another program made it)"};
    if (auto loaded = blob.load(it->second); !loaded) return loaded;
  }
  return {};
}

}  // namespace gleaner::state
