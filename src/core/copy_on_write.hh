// SPDX-License-Identifier: Apache-2.0
/// A value whose copies share it until one of them is to be changed.
///
/// A snapshot is copied and compared often, and what is large in it seldom
/// differs from the one before.  As with any value, several threads may have
/// copies of their own; one copy is for one thread.
#pragma once

#include <atomic>
#include <utility>

namespace gleaner {

template <class T>
class CopyOnWrite {
 public:
  CopyOnWrite() = default;
  explicit CopyOnWrite(T value) : box_(new Box(std::move(value))) {}
  CopyOnWrite(CopyOnWrite const& other) : box_(other.box_) {
    if (box_) box_->holders.fetch_add(1, std::memory_order_relaxed);
  }
  CopyOnWrite(CopyOnWrite&& other) noexcept
      : box_(std::exchange(other.box_, nullptr)) {}
  CopyOnWrite& operator=(CopyOnWrite other) noexcept {
    std::swap(box_, other.box_);
    return *this;
  }
  ~CopyOnWrite() {
    // What the others did with the value comes before its end.
    if (box_ && box_->holders.fetch_sub(1, std::memory_order_acq_rel) == 1)
      delete box_;
  }

  T const& read() const {
    static T const none{};
    return box_ ? box_->value : none;
  }

  /// The value for this copy alone.
  T& write() {
    if (!box_ || box_->holders.load(std::memory_order_acquire) != 1)
      *this = CopyOnWrite(T(read()));
    return box_->value;
  }

  /// Surely equal; if not, they may be all the same.
  bool is_shared_with(CopyOnWrite const& other) const {
    return box_ == other.box_;
  }

 private:
  struct Box {
    explicit Box(T value) : value(std::move(value)) {}
    std::atomic<int> holders{1};
    T value;
  };
  Box* box_ = nullptr;  ///< null: T{}
};

}  // namespace gleaner
