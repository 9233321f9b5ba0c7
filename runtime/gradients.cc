// SPDX-License-Identifier: Apache-2.0
#include "runtime/gradients.hh"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>

#include "runtime/memory_pages.hh"

namespace gleaner {
namespace {

constexpr std::size_t first_bucket_bytes = 1 << 20;
constexpr std::size_t bucket_bytes = 10 << 20;
constexpr std::size_t slab_bytes = 256 << 20;  // untouched pages cost nothing
constexpr std::size_t align_bytes = 64;
constexpr std::size_t word_count = 2;

/// Zeroed memory that is given back to the system.
class Memory {
 public:
  explicit Memory(std::size_t bytes) : bytes_(bytes) {
    data_ = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  }
  ~Memory() {
    if (good()) munmap(data_, bytes_);
  }
  Memory(Memory const&) = delete;

  bool good() const { return data_ != MAP_FAILED; }
  char* data() const { return static_cast<char*>(data_); }

 private:
  std::size_t bytes_;
  void* data_;
};

/// How the gradient of a parameter is added up; nothing if it has none.
std::optional<Element> element_of(Dtype type) {
  switch (type) {
    case Dtype::float32:
      return Element::float32;
    case Dtype::float64:
      return Element::float64;
    case Dtype::float16:
      return Element::float16;
    case Dtype::bfloat16:
      return Element::bfloat16;
    case Dtype::int64:
    case Dtype::uint8:
      return std::nullopt;
  }
  return std::nullopt;
}

/// 16-bit numbers cannot count a step's samples.
bool holds_words(Element type) {
  return type == Element::float32 || type == Element::float64;
}

double get(void const* p, Element type, std::size_t i) {
  return type == Element::float32 ? static_cast<float const*>(p)[i]
                                  : static_cast<double const*>(p)[i];
}

void put(void* p, Element type, std::size_t i, double value) {
  if (type == Element::float32)
    static_cast<float*>(p)[i] = static_cast<float>(value);
  else
    static_cast<double*>(p)[i] = value;
}

}  // namespace

/// Adjacent gradients of one type, and their sums.
class Gradients::Slab {
 public:
  Slab(Element type, std::size_t capacity)
      : type(type),
        capacity(capacity),
        local_(capacity * size_of(type)),
        sum_(capacity * size_of(type)) {}

  bool good() const { return local_.good() && sum_.good(); }
  char* local(std::size_t i) const { return local_.data() + i * size_of(type); }
  char* sum(std::size_t i) const { return sum_.data() + i * size_of(type); }

  /// Room for n more, and after that for the words.
  bool fits(std::size_t n) const { return used + n + word_count <= capacity; }
  std::size_t take(std::size_t n) {
    auto const at = used;
    auto const align = align_bytes / size_of(type);
    used += (n + align - 1) / align * align;
    used = std::min(used, capacity - word_count);
    return at;
  }

  Element const type;
  void provide() const {
    provide_pages(local(0), used * size_of(type));
    provide_pages(sum(0), used * size_of(type));
  }

  std::size_t const capacity;  ///< in elements, as all here
  std::size_t used = 0;

 private:
  Memory local_;
  Memory sum_;
};

Gradients::Gradients() = default;
Gradients::~Gradients() = default;

Gradients::Slab* Gradients::slab_for(Element type, std::size_t n) {
  for (auto const& slab : slabs_)
    if (slab->type == type && slab->fits(n)) return slab.get();
  auto const capacity = std::max(slab_bytes / size_of(type), n + word_count);
  auto slab = std::make_unique<Slab>(type, capacity);
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
  auto* slab = slab_for(*type, parameter.count());
  if (!slab)
    return Error{Errc::io, "no memory for the gradient of '" + parameter.name +
                               "': " + std::strerror(errno)};
  auto const first = slab->take(parameter.count());
  by_name_[parameter.name] = {slab, first, parameter.count()};
  return slab->local(first);
}

void* Gradients::find(std::string const& name) const {
  auto it = by_name_.find(name);
  if (it == by_name_.end()) return nullptr;
  return it->second.slab->local(it->second.first);
}

Result<void> Gradients::seal() {
  assert(layout_.empty());
  // Bucket 0: the end of the last slab, and the words after it; nothing but
  // the words when that slab's numbers are too short for them.
  if (slabs_.empty() || !holds_words(slabs_.back()->type))
    slabs_.push_back(std::make_unique<Slab>(Element::float32, word_count));
  auto* last = slabs_.back().get();
  if (!last->good()) return Error{Errc::io, "no memory for gradients"};
  auto const first_max = first_bucket_bytes / size_of(last->type);
  auto const in_first = std::min(last->used, first_max);
  layout_.push_back({last, last->used - in_first, in_first + word_count});
  other_first_ = std::make_unique<Slab>(last->type, in_first + word_count);
  if (!other_first_->good()) return Error{Errc::io, "no memory for gradients"};
  for (auto slab = slabs_.rbegin(); slab != slabs_.rend(); ++slab) {
    auto end = (*slab)->used - (slab->get() == last ? in_first : 0);
    auto const size = bucket_bytes / size_of((*slab)->type);
    for (; end > 0; end -= layout_.back().n) {
      auto const n = std::min(end, size);
      layout_.push_back({slab->get(), end - n, n});
    }
    (*slab)->provide();
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

void Gradients::clear() {
  for (auto const& slab : slabs_)
    std::memset(slab->local(0), 0, slab->used * size_of(slab->type));
}

void Gradients::set_words(StepWords const& mine) {
  auto const& first = layout_[0];
  auto* local = first.slab->local(first.first);
  put(local, first.slab->type, first.n - 2, mine.not_ready);
  put(local, first.slab->type, first.n - 1, mine.samples);
}

StepWords Gradients::words(std::int64_t step) const {
  auto const& first = layout_[0];
  auto const* sum = sum_of(0, step);
  return {get(sum, first.slab->type, first.n - 2),
          get(sum, first.slab->type, first.n - 1)};
}

void Gradients::take_result(std::int64_t step, double scale) {
  for (std::size_t i = 0; i < layout_.size(); ++i) {
    auto const& range = layout_[i];
    auto const n = i == 0 ? range.n - word_count : range.n;
    gleaner::scale(range.slab->type, range.slab->local(range.first),
                   sum_of(i, step), n, scale);
  }
}

std::vector<Span> Gradients::result(std::int64_t step) const {
  std::vector<Span> spans;
  for (std::size_t i = 0; i < layout_.size(); ++i)
    spans.push_back({static_cast<char*>(sum_of(i, step)),
                     layout_[i].n * size_of(layout_[i].slab->type)});
  return spans;
}

}  // namespace gleaner
