// SPDX-License-Identifier: Apache-2.0
/// Text files of records, a line each: where a reader says what it expects.
#pragma once

#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hh"

namespace gleaner::sim {

/// One line of a file, cut into fields.
///
/// A reader takes the fields it needs and asks once, at the end, whether all
/// could be read: the first that could not is remembered, with file and line.
///
///     double const t_s = line.number(0, "t_s", 0);
///     if (auto read = line.result(); !read) return read;
class Line {
 public:
  static constexpr double any = -std::numeric_limits<double>::infinity();

  Line(std::string const& file, std::size_t number,
       std::vector<std::string_view> fields)
      : file_(file), number_(number), fields_(std::move(fields)) {}

  /// The field as a number of at least `least`; 0 where it is not one.
  double number(std::size_t field, std::string_view what, double least = any);
  /// The same for a number without a fraction.
  int whole(std::size_t field, std::string_view what, int least);
  /// The field as it stands; it may not be empty.
  std::string text(std::size_t field, std::string_view what);

  /// Refuse the line: say what is wrong and what was expected.
  void refuse(std::string const& problem);
  /// Success, or the first complaint.
  Result<void> result() const;

  std::size_t size() const { return fields_.size(); }

 private:
  std::string const& file_;
  std::size_t number_;
  std::vector<std::string_view> fields_;
  std::optional<std::string> complaint_;
};

using OnLine = std::function<Result<void>(Line&)>;

/// The whole file, decompressed if it was made by gzip.
Result<std::string> read_text(std::string const& file);

/// Call `on_line` for every line after the first, which must be `header`; it
/// names the columns, separated by commas.  Stops at the first failure.
Result<void> read_csv(std::string const& file, std::string_view header,
                      OnLine const& on_line);
/// The same for a file that may have one more column, `last`, in all its lines.
Result<void> read_csv(std::string const& file, std::string_view header,
                      std::string_view last, OnLine const& on_line);

/// Call `on_comment` for every line that begins with `comment`, `on_line` for
/// every other one that is not empty, its fields separated by blanks.
Result<void> read_columns(
    std::string const& file, char comment,
    std::function<void(std::string_view)> const& on_comment,
    OnLine const& on_line);

}  // namespace gleaner::sim
