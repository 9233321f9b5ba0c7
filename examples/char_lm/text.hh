// SPDX-License-Identifier: Apache-2.0
/// The text to learn, cut into samples.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace char_lm {

/// A text as numbers 0 … vocabulary() − 1, one per character, and its samples:
/// sample i is the characters i·context … (i+1)·context − 1, its targets are
/// the characters one further.  Equal on every member that reads equal files.
class Text {
 public:
  /// `path` names a file, or a folder whose regular files are joined in the
  /// order of their names.  Throws std::runtime_error, naming the path, when
  /// it cannot be read or holds less than one sample.
  static Text read(std::string const& path, std::size_t context);

  std::size_t samples() const { return (tokens_.size() - 1) / context_; }
  std::size_t context() const { return context_; }
  std::size_t vocabulary() const { return characters_.size(); }

  /// The first character of a sample; `context() + 1` of them follow.
  std::int64_t const* sample(std::size_t i) const {
    return tokens_.data() + i * context_;
  }
  char character(std::size_t token) const { return characters_[token]; }

 private:
  std::vector<std::int64_t> tokens_;
  std::string characters_;  ///< those that occur, in order
  std::size_t context_ = 1;
};

}  // namespace char_lm
