// SPDX-License-Identifier: Apache-2.0
/// Reading and cutting; zlib reads plain files as they are.
#include "sim/input_file.hh"

#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <memory>

namespace gleaner::sim {
namespace {

std::string in_quotes(std::string_view text) {
  return "'" + std::string(text) + "'";
}

/// 5, 0.25, -1: shortest form, for messages.
std::string shortest(double value) {
  char text[32];
  auto const end = std::to_chars(text, text + sizeof text, value).ptr;
  return {text, end};
}

std::vector<std::string_view> cut_at_commas(std::string_view line) {
  std::vector<std::string_view> fields;
  for (std::size_t from = 0;;) {
    auto const comma = line.find(',', from);
    fields.push_back(line.substr(from, comma - from));
    if (comma == std::string_view::npos) return fields;
    from = comma + 1;
  }
}

std::vector<std::string_view> cut_at_blanks(std::string_view line) {
  constexpr std::string_view blanks = " \t";
  std::vector<std::string_view> fields;
  for (auto from = line.find_first_not_of(blanks);
       from != std::string_view::npos;) {
    auto const to = std::min(line.find_first_of(blanks, from), line.size());
    fields.push_back(line.substr(from, to - from));
    from = line.find_first_not_of(blanks, to);
  }
  return fields;
}

/// Call `use` for each line, without its end, until it fails.
template <class Use>
Result<void> for_each_line(std::string_view text, Use use) {
  std::size_t number = 0;
  while (!text.empty()) {
    auto const end = std::min(text.find('\n'), text.size());
    auto line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    if (auto used = use(++number, line); !used) return used;
  }
  return {};
}

}  // namespace

double Line::number(std::size_t field, std::string_view what, double least) {
  auto const text = field < fields_.size() ? fields_[field] : "";
  double value = 0;
  auto const [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc() && end == text.data() + text.size() &&
      std::isfinite(value) && value >= least)
    return value;
  refuse("cannot read " + std::string(what) + " from " + in_quotes(text) +
         " (expected a number" +
         (least == any ? ")" : " of at least " + shortest(least) + ")"));
  return 0;
}

int Line::whole(std::size_t field, std::string_view what, int least) {
  double const value = number(field, what, least);
  if (value == std::floor(value) && value <= std::numeric_limits<int>::max())
    return static_cast<int>(value);
  refuse("cannot read " + std::string(what) + " from " +
         in_quotes(fields_[field]) + " (expected a whole number)");
  return 0;
}

std::string Line::text(std::size_t field, std::string_view what) {
  auto const text = field < fields_.size() ? fields_[field] : "";
  if (text.empty())
    refuse("found no " + std::string(what) + " (expected a name in column " +
           std::to_string(field + 1) + ")");
  return std::string(text);
}

void Line::refuse(std::string const& problem) {
  if (!complaint_)
    complaint_ = file_ + " line " + std::to_string(number_) + ": " + problem;
}

Result<void> Line::result() const {
  if (!complaint_) return {};
  return Error{Errc::invalid_argument, *complaint_};
}

Result<std::string> read_text(std::string const& file) {
  errno = 0;
  std::unique_ptr<gzFile_s, int (*)(gzFile)> const in(
      gzopen(file.c_str(), "rb"), gzclose);
  if (!in)
    return Error{Errc::io, "cannot open " + in_quotes(file) + " (" +
                               std::strerror(errno ? errno : ENOMEM) + ")"};
  std::string text;
  std::vector<char> part(1 << 16);
  for (int n; (n = gzread(in.get(), part.data(),
                          static_cast<unsigned>(part.size()))) != 0;) {
    if (n < 0) break;
    text.append(part.data(), static_cast<std::size_t>(n));
  }
  int code = Z_OK;
  char const* const reason = gzerror(in.get(), &code);
  if (code == Z_OK || code == Z_STREAM_END) return text;
  return Error{Errc::io, "cannot read " + in_quotes(file) + " (" +
                             (code == Z_ERRNO ? std::strerror(errno) : reason) +
                             ")"};
}

Result<void> read_csv(std::string const& file, std::string_view header,
                      OnLine const& on_line) {
  return read_csv(file, header, "", on_line);
}

Result<void> read_csv(std::string const& file, std::string_view header,
                      std::string_view last, OnLine const& on_line) {
  auto const text = read_text(file);
  if (!text) return text.error();
  auto columns = cut_at_commas(header).size();
  auto const longer = std::string(header) + "," + std::string(last);
  bool has_header = false;
  auto const read = for_each_line(
      *text, [&](std::size_t number, std::string_view content) -> Result<void> {
        Line line(file, number, cut_at_commas(content));
        if (number == 1) {
          has_header = true;
          bool const is_longer = !last.empty() && content == longer;
          if (is_longer) ++columns;
          if (content != header && !is_longer)
            line.refuse("found " + in_quotes(content) +
                        " (expected the header " + in_quotes(header) + ")");
        } else if (line.size() != columns) {
          line.refuse("found " + std::to_string(line.size()) +
                      " fields (expected " + std::to_string(columns) + ": " +
                      std::string(header) + ")");
        }
        if (auto read = line.result(); !read || number == 1) return read;
        return on_line(line);
      });
  if (read && !has_header)
    return Error{
        Errc::invalid_argument,
        file + " is empty (expected the header " + in_quotes(header) + ")"};
  return read;
}

Result<void> read_columns(
    std::string const& file, char comment,
    std::function<void(std::string_view)> const& on_comment,
    OnLine const& on_line) {
  auto const text = read_text(file);
  if (!text) return text.error();
  return for_each_line(
      *text, [&](std::size_t number, std::string_view content) -> Result<void> {
        if (!content.empty() && content.front() == comment) {
          on_comment(content);
          return {};
        }
        Line line(file, number, cut_at_blanks(content));
        if (line.size() == 0) return {};
        return on_line(line);
      });
}

}  // namespace gleaner::sim
