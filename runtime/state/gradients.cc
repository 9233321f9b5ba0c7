// SPDX-License-Identifier: Apache-2.0
#include "runtime/state/gradients.hh"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <optional>

#include "runtime/os/memory_pages.hh"

namespace gleaner::state {
namespace {

constexpr std::size_t first_bucket_bytes = 1 << 20;
constexpr std::size_t bucket_bytes = 10 << 20;
constexpr std::size_t slab_bytes = 256 << 20;  // untouched pages cost nothing
constexpr std::size_t align_bytes = 64;
constexpr std::size_t word_count = 2;

/// On a GPU untouched memory costs as much as any.
constexpr std::size_t device_slab_bytes = 32 << 20;

/// Zeroed memory of the host or of a device, given back at the end.
class SlabMemory {
 public:
  SlabMemory(std::size_t bytes, std::shared_ptr<comm::Device> device,
             os::Sharing sharing)
      : bytes_(bytes), device_(std::move(device)) {
    if (device_) {
      if (auto const data = device_->allocate(bytes)) data_ = *data;
    } else if (host_.emplace(bytes, sharing).good()) {
      data_ = host_->data();
    }
  }
  ~SlabMemory() {
    if (good() && device_) device_->release(data_, bytes_);
  }
  SlabMemory(SlabMemory const&) = delete;

  bool good() const { return data_ != nullptr; }
  char* data() const { return static_cast<char*>(data_); }
  comm::SharedRegion region() const {
    return {data_, bytes_, host_ ? host_->descriptor() : -1};
  }

 private:
  std::size_t bytes_;
  std::shared_ptr<comm::Device> device_;
  std::optional<os::Memory> host_;
  void* data_ = nullptr;
};

/// 16-bit numbers cannot count a step's samples.
bool holds_words(comm::Element type) {
  return type == comm::Element::float32 || type == comm::Element::float64;
}

double get(void const* p, comm::Element type, std::size_t i) {
  return type == comm::Element::float32 ? static_cast<float const*>(p)[i]
                                        : static_cast<double const*>(p)[i];
}

void put(void* p, comm::Element type, std::size_t i, double value) {
  if (type == comm::Element::float32)
    static_cast<float*>(p)[i] = static_cast<float>(value);
  else
    static_cast<double*>(p)[i] = value;
}

}  // namespace

std::optional<comm::Element> element_of(Dtype type) {
  switch (type) {
    case Dtype::float32:
      return comm::Element::float32;
    case Dtype::float64:
      return comm::Element::float64;
    case Dtype::float16:
      return comm::Element::float16;
    case Dtype::bfloat16:
      return comm::Element::bfloat16;
    case Dtype::int64:
    case Dtype::uint8:
      return std::nullopt;
  }
  return std::nullopt;
}

/// Adjacent gradients of one type, and their sums.
class Gradients::Slab {
 public:
  Slab(comm::Element type, std::size_t capacity,
       std::shared_ptr<comm::Device> const& device, os::Sharing sharing)
      : type(type),
        capacity(capacity),
        local_(capacity * comm::size_of(type), device, sharing),
        sum_(capacity * comm::size_of(type), device, sharing) {}

  bool good() const { return local_.good() && sum_.good(); }
  std::array<SlabMemory const*, 2> memory() const { return {&local_, &sum_}; }
  char* local(std::size_t i) const {
    return local_.data() + i * comm::size_of(type);
  }
  char* sum(std::size_t i) const {
    return sum_.data() + i * comm::size_of(type);
  }

  /// Room for n more, and after that for the words.
  bool fits(std::size_t n) const { return used + n + word_count <= capacity; }
  std::size_t take(std::size_t n) {
    auto const at = used;
    auto const align = align_bytes / comm::size_of(type);
    used += (n + align - 1) / align * align;
    used = std::min(used, capacity - word_count);
    return at;
  }

  comm::Element const type;
  void provide() const {
    os::provide_pages(local(0), used * comm::size_of(type));
    os::provide_pages(sum(0), used * comm::size_of(type));
  }

  std::size_t const capacity;  ///< in elements, as all here
  std::size_t used = 0;

 private:
  SlabMemory local_;
  SlabMemory sum_;
};

Gradients::Gradients(os::Sharing sharing) : sharing_(sharing) {}
Gradients::~Gradients() = default;

Gradients::Slab* Gradients::slab_for(comm::Element type, std::size_t n) {
  for (auto const& slab : slabs_)
    if (slab->type == type && slab->fits(n)) return slab.get();
  auto const usual = device_ ? device_slab_bytes : slab_bytes;
  auto const capacity = std::max(usual / comm::size_of(type), n + word_count);
  auto slab = std::make_unique<Slab>(type, capacity, device_, sharing_);
  if (!slab->good()) return nullptr;
  slabs_.push_back(std::move(slab));
  return slabs_.back().get();
}

Result<void*> Gradients::add(Tensor const& parameter) {
  assert(layout_.empty());
  auto const type = element_of(parameter.type);
  if (!type)
    return Error{Errc::invalid_argument,
                 "parameter '" + parameter.name +
                     "' has no gradient (only floating point numbers have "
                     "one); register it as a buffer"};
  if (slabs_.empty())
    device_ = parameter.device;
  else if (device_ != parameter.device)
    return Error{Errc::invalid_argument,
                 "parameter '" + parameter.name +
                     "' lies elsewhere than those before (gradients are summed "
                     "on one GPU, or on the host) [register all parameters on "
                     "one device]"};
  return add(parameter.name, *type, parameter.count());
}

Result<void*> Gradients::add(std::string const& name, comm::Element type,
                             std::size_t n) {
  assert(layout_.empty());
  auto* slab = slab_for(type, n);
  if (!slab)
    return Error{Errc::io, "no memory for the gradient of '" + name +
                               "': " + std::strerror(errno)};
  auto const first = slab->take(n);
  by_name_[name] = {slab, first, n};
  return slab->local(first);
}

std::size_t Gradients::first_bucket_max(comm::Element type) {
  return first_bucket_bytes / comm::size_of(type);
}

void* Gradients::find(std::string const& name) const {
  auto it = by_name_.find(name);
  if (it == by_name_.end()) return nullptr;
  return it->second.slab->local(it->second.first);
}

void const* Gradients::find_sum(std::string const& name,
                                std::int64_t step) const {
  auto it = by_name_.find(name);
  if (it == by_name_.end()) return nullptr;
  auto const& range = it->second;
  auto const& first = layout_[0];
  if (!first.overlaps(range)) return range.slab->sum(range.first);
  if (range.first < first.first) return nullptr;
  return static_cast<char const*>(sum_of(0, step)) +
         (range.first - first.first) * comm::size_of(range.slab->type);
}

Result<void> Gradients::seal() {
  assert(layout_.empty());
  // Bucket 0: the end of the last slab, and the words after it; nothing but
  // the words when that slab's numbers are too short for them.
  if (slabs_.empty() || !holds_words(slabs_.back()->type))
    slabs_.push_back(std::make_unique<Slab>(comm::Element::float32, word_count,
                                            device_, sharing_));
  auto* last = slabs_.back().get();
  if (!last->good()) return Error{Errc::io, "no memory for gradients"};
  auto const first_max = first_bucket_max(last->type);
  auto const in_first = std::min(last->used, first_max);
  layout_.push_back({last, last->used - in_first, in_first + word_count});
  other_first_ = std::make_unique<Slab>(last->type, in_first + word_count,
                                        device_, sharing_);
  if (!other_first_->good()) return Error{Errc::io, "no memory for gradients"};
  for (auto slab = slabs_.rbegin(); slab != slabs_.rend(); ++slab) {
    auto end = (*slab)->used - (slab->get() == last ? in_first : 0);
    auto const size = bucket_bytes / comm::size_of((*slab)->type);
    for (; end > 0; end -= layout_.back().n) {
      auto const n = std::min(end, size);
      layout_.push_back({slab->get(), end - n, n});
    }
    if (!device_) (*slab)->provide();
  }
  return {};
}

Readiness::Parts Gradients::parts() const {
  Readiness::Parts parts;
  for (auto const& [name, range] : by_name_) {
    auto& buckets = parts[name];
    for (std::size_t i = 0; i < layout_.size(); ++i)
      if (layout_[i].overlaps(range)) buckets.push_back(i);
  }
  return parts;
}

void* Gradients::sum_of(std::size_t i, std::int64_t step) const {
  if (i == 0 && step % 2 != 0) return other_first_->sum(0);
  return layout_[i].slab->sum(layout_[i].first);
}

Gradients::Bucket Gradients::bucket(std::size_t i, std::int64_t step) const {
  auto const& range = layout_[i];
  return {range.slab->local(range.first), sum_of(i, step), range.n,
          range.slab->type};
}

Result<void> Gradients::clear() {
  for (auto const& slab : slabs_) {
    auto const bytes = slab->used * comm::size_of(slab->type);
    if (!device_)
      std::memset(slab->local(0), 0, bytes);
    else if (auto done = device_->zero(slab->local(0), bytes); !done)
      return done;
  }
  return {};
}

Result<void> Gradients::set_words(StepWords const& mine) {
  auto const& first = layout_[0];
  auto const type = first.slab->type;
  auto* const at = first.slab->local(first.first + first.n - word_count);
  double room[word_count];  // of float32 or float64
  put(room, type, 0, mine.not_ready);
  put(room, type, 1, mine.samples);
  auto const bytes = word_count * comm::size_of(type);
  if (device_) return device_->from_host(at, room, bytes);
  std::memcpy(at, room, bytes);
  return {};
}

Result<StepWords> Gradients::words(std::int64_t step) const {
  auto const& first = layout_[0];
  auto const type = first.slab->type;
  auto const* const at = static_cast<char const*>(sum_of(0, step)) +
                         (first.n - word_count) * comm::size_of(type);
  double room[word_count];
  auto const bytes = word_count * comm::size_of(type);
  if (device_) {
    if (auto done = device_->to_host(room, at, bytes); !done)
      return done.error();
  } else {
    std::memcpy(room, at, bytes);
  }
  return StepWords{get(room, type, 0), get(room, type, 1)};
}

Result<void> Gradients::take_result(std::int64_t step, double scale) {
  for (std::size_t i = 0; i < layout_.size(); ++i) {
    auto const& range = layout_[i];
    auto const type = range.slab->type;
    auto const n = i == 0 ? range.n - word_count : range.n;
    auto* const to = range.slab->local(range.first);
    if (!device_)
      comm::scale(type, to, sum_of(i, step), n, scale);
    else if (auto done = device_->scale(type, to, sum_of(i, step), n, scale);
             !done)
      return done;
  }
  return {};
}

std::vector<Span> Gradients::result(std::int64_t step) const {
  std::vector<Span> spans;
  for (std::size_t i = 0; i < layout_.size(); ++i)
    spans.push_back({static_cast<char*>(sum_of(i, step)),
                     layout_[i].n * comm::size_of(layout_[i].slab->type)});
  return spans;
}

Result<std::vector<Span>> Gradients::read_result(std::int64_t step,
                                                 std::string& room) const {
  auto spans = result(step);
  if (!device_) return spans;
  room.resize(result_bytes());
  std::size_t at = 0;
  for (auto const& span : spans) {
    if (auto done = device_->to_host(room.data() + at, span.data, span.bytes);
        !done)
      return done.error();
    at += span.bytes;
  }
  return std::vector<Span>{{room.data(), room.size()}};
}

Result<void> Gradients::write_result(std::int64_t step,
                                     std::vector<char> const& bytes) {
  std::size_t at = 0;
  for (auto const& span : result(step)) {
    if (!device_)
      std::memcpy(span.data, bytes.data() + at, span.bytes);
    else if (auto done =
                 device_->from_host(span.data, bytes.data() + at, span.bytes);
             !done)
      return done;
    at += span.bytes;
  }
  return {};
}

std::size_t Gradients::result_bytes() const {
  std::size_t bytes = 0;
  for (auto const& range : layout_)
    bytes += range.n * comm::size_of(range.slab->type);
  return bytes;
}

std::vector<comm::SharedRegion> Gradients::regions() const {
  std::vector<comm::SharedRegion> regions;
  if (sharing_ == os::Sharing::none || device_) return regions;
  auto const add = [&](Slab const& slab) {
    for (auto const* memory : slab.memory())
      regions.push_back(memory->region());
  };
  for (auto const& slab : slabs_) add(*slab);
  if (other_first_) add(*other_first_);
  return regions;
}

}  // namespace gleaner::state
