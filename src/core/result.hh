// SPDX-License-Identifier: Apache-2.0
/// A value or the reason there is none.
///
/// Used for what can go wrong in a correct program: a bad configuration line,
/// a node that left, a solver that ran out of time.  A broken precondition is
/// a bug, and is asserted instead.
#pragma once

#include <cassert>
#include <string>
#include <utility>
#include <variant>

namespace gleaner {

enum class Errc {
  invalid_argument,  ///< what was given cannot be read or is out of bounds
  denied,            ///< the caller may not do this
  not_found,
  timed_out,
  unavailable,  ///< the other side is not there, or not now
  io,
};

/// What went wrong, for a person: "problem (why it matters) [suggestion]".
struct Error {
  Errc code;
  std::string message;
};

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  explicit operator bool() const { return state_.index() == 0; }

  T& operator*() {
    assert(*this);
    return *std::get_if<0>(&state_);
  }
  T const& operator*() const {
    assert(*this);
    return *std::get_if<0>(&state_);
  }
  T* operator->() { return &**this; }
  T const* operator->() const { return &**this; }

  Error const& error() const {
    assert(!*this);
    return *std::get_if<1>(&state_);
  }

 private:
  std::variant<T, Error> state_;
};

/// Success, or the reason it failed: `return {};` is success.
template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : failed_(true), error_(std::move(error)) {}

  explicit operator bool() const { return !failed_; }

  Error const& error() const {
    assert(failed_);
    return error_;
  }

 private:
  bool failed_ = false;
  Error error_{Errc::io, ""};
};

}  // namespace gleaner
