// SPDX-License-Identifier: Apache-2.0
/// One function for each notation.
#include "core/slurm_time.hh"

#include <charconv>
#include <cmath>
#include <ctime>
#include <optional>
#include <string>

#include "core/quoted.hh"

namespace gleaner {
namespace {

constexpr double day_s = 24 * 3600;
/// A count so large is a mistake: ten years.
constexpr double ahead_s_most = 3653 * day_s;

struct Date {
  int year = 0;  ///< 0: the next such date
  int month = 0;
  int day = 0;
};

struct Clock {
  int hour = 0;
  int minute = 0;
  int second = 0;
};

std::tm local(TimeS time_s) {
  auto const seconds = static_cast<std::time_t>(std::floor(time_s));
  std::tm parts{};
  localtime_r(&seconds, &parts);
  return parts;
}

/// None for what no calendar has, such as 31 June.
std::optional<TimeS> time_of(Date const& date, Clock const& clock) {
  std::tm parts{};
  parts.tm_year = date.year - 1900;
  parts.tm_mon = date.month - 1;
  parts.tm_mday = date.day;
  parts.tm_hour = clock.hour;
  parts.tm_min = clock.minute;
  parts.tm_sec = clock.second;
  parts.tm_isdst = -1;
  auto const seconds = std::mktime(&parts);
  if (seconds == -1 || parts.tm_mon != date.month - 1 ||
      parts.tm_mday != date.day)
    return std::nullopt;
  return static_cast<TimeS>(seconds);
}

/// Takes exactly `digits` digits from the front of `text`.
bool take(std::string_view* text, int digits, int* number) {
  auto const count = static_cast<std::size_t>(digits);
  if (text->size() < count) return false;
  int value = 0;
  for (char const c : text->substr(0, count)) {
    if (c < '0' || c > '9') return false;
    value = 10 * value + (c - '0');
  }
  text->remove_prefix(count);
  *number = value;
  return true;
}

bool take(std::string_view* text, char sign) {
  if (text->empty() || text->front() != sign) return false;
  text->remove_prefix(1);
  return true;
}

/// "9:05", "09:05:30", with "pm" or " pm".
std::optional<Clock> read_clock(std::string_view text) {
  Clock clock;
  auto hours = text.substr(0, text.find(':'));
  auto const digits = static_cast<int>(hours.size());
  if (digits < 1 || digits > 2 || !take(&text, digits, &clock.hour) ||
      !take(&text, ':') || !take(&text, 2, &clock.minute))
    return std::nullopt;
  if (take(&text, ':') && !take(&text, 2, &clock.second)) return std::nullopt;
  if (clock.hour > 23 || clock.minute > 59 || clock.second > 59)
    return std::nullopt;
  if (text.empty()) return clock;
  take(&text, ' ');
  if ((text != "am" && text != "pm") || clock.hour < 1 || clock.hour > 12)
    return std::nullopt;
  clock.hour = clock.hour % 12 + (text == "pm" ? 12 : 0);
  return clock;
}

/// "0131", "013126", "01/31", "01/31/26", "2026-01-31".
std::optional<Date> read_date(std::string_view text) {
  Date date;
  auto rest = text;
  if (take(&rest, 4, &date.year) && take(&rest, '-') &&
      take(&rest, 2, &date.month) && take(&rest, '-') &&
      take(&rest, 2, &date.day) && rest.empty())
    return date;
  date = {};
  rest = text;
  if (!take(&rest, 2, &date.month)) return std::nullopt;
  bool const slashes = take(&rest, '/');
  if (!take(&rest, 2, &date.day)) return std::nullopt;
  if (rest.empty()) return date;
  if (take(&rest, '/') != slashes || !take(&rest, 2, &date.year) ||
      !rest.empty())
    return std::nullopt;
  date.year += 2000;
  return date;
}

Date date_of(TimeS time_s) {
  auto const parts = local(time_s);
  return {parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday};
}

/// The next time that the clock shows this.
std::optional<TimeS> next(Clock const& clock, TimeS now_s) {
  auto const today = time_of(date_of(now_s), clock);
  if (!today || *today > now_s) return today;
  // A day may have 23 or 25 hours: from one noon it is the next date.
  auto const noon = time_of(date_of(now_s), {12, 0, 0});
  return noon ? time_of(date_of(*noon + day_s), clock) : std::nullopt;
}

std::optional<TimeS> next(Date date, TimeS now_s) {
  if (date.year != 0) return time_of(date, {});
  date.year = date_of(now_s).year;
  auto const this_year = time_of(date, {});
  if (this_year && *this_year >= now_s) return this_year;
  ++date.year;
  return time_of(date, {});
}

std::optional<double> unit_s(std::string_view name) {
  struct Row {
    char const* name;
    double seconds;
  } const rows[] = {
      {"", 1},         {"second", 1},       {"seconds", 1},      {"minute", 60},
      {"minutes", 60}, {"hour", 3600},      {"hours", 3600},     {"day", day_s},
      {"days", day_s}, {"week", 7 * day_s}, {"weeks", 7 * day_s}};
  for (auto const& row : rows)
    if (name == row.name) return row.seconds;
  return std::nullopt;
}

/// What stands after "now".
std::optional<TimeS> read_ahead(std::string_view text, TimeS now_s) {
  if (text.empty()) return now_s;
  if (!take(&text, '+')) return std::nullopt;
  double count = 0;
  auto const* const end = text.data() + text.size();
  auto const [stop, error] =
      std::from_chars(text.data(), end, count, std::chars_format::fixed);
  if (error != std::errc() || text.front() == '-') return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(stop - text.data()));
  auto const unit = unit_s(text);
  if (!unit || !(count * *unit <= ahead_s_most)) return std::nullopt;
  return now_s + count * *unit;
}

std::optional<TimeS> read_word(std::string_view text, TimeS now_s) {
  if (text == "today") return now_s;
  if (text == "tomorrow") return now_s + day_s;
  struct Row {
    char const* word;
    int hour;
  } const rows[] = {
      {"midnight", 0}, {"noon", 12}, {"fika", 15}, {"teatime", 16}};
  for (auto const& row : rows)
    if (text == row.word) return next(Clock{row.hour, 0, 0}, now_s);
  return std::nullopt;
}

std::optional<TimeS> read(std::string_view text, TimeS now_s) {
  if (text.starts_with("now")) return read_ahead(text.substr(3), now_s);
  if (auto const word = read_word(text, now_s)) return word;
  if (auto const t = text.find('t'); t != text.npos) {
    auto const date = read_date(text.substr(0, t));
    auto const clock = read_clock(text.substr(t + 1));
    if (!date || !clock || date->year == 0) return std::nullopt;
    return time_of(*date, *clock);
  }
  if (auto const clock = read_clock(text)) return next(*clock, now_s);
  auto const date = read_date(text);
  return date ? next(*date, now_s) : std::nullopt;
}

}  // namespace

Result<TimeS> parse_slurm_time(std::string_view text, TimeS now_s) {
  std::string small(text);
  for (char& c : small)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  auto const time_s = read(small, now_s);
  if (!time_s)
    return Error{Errc::invalid_argument,
                 in_quotes(text) +
                     " is no time [write HH:MM, YYYY-MM-DDTHH:MM or "
                     "now+COUNThours, as for sbatch --begin]"};
  return *time_s;
}

}  // namespace gleaner
