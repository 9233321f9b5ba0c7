// SPDX-License-Identifier: Apache-2.0
/// Which points in time may be written, and how.
#include "core/slurm_time.hh"

#include <cstdlib>
#include <ctime>
#include <string>

#include "test/unit/catch.hh"

namespace gleaner {
namespace {

/// Berlin, where clocks change on 29 March and 25 October 2026.
class Berlin {
 public:
  Berlin() {
    if (char const* zone = std::getenv("TZ")) before_ = zone;
    set("CET-1CEST,M3.5.0,M10.5.0/3");
  }
  ~Berlin() {
    if (before_.empty()) {
      unsetenv("TZ");
      tzset();
    } else {
      set(before_);
    }
  }
  Berlin(Berlin const&) = delete;
  Berlin& operator=(Berlin const&) = delete;

 private:
  static void set(std::string const& zone) {
    setenv("TZ", zone.c_str(), 1);
    tzset();
  }
  std::string before_;
};

/// "2026-03-04T15:30:00"
std::string written(TimeS time_s) {
  auto const seconds = static_cast<std::time_t>(time_s);
  std::tm parts{};
  localtime_r(&seconds, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &parts);
  return text;
}

constexpr TimeS now_s = 1772634600;  // 2026-03-04T15:30:00 in Berlin

TEST_CASE("a time is written as for sbatch --begin") {
  Berlin const zone;
  REQUIRE(written(now_s) == "2026-03-04T15:30:00");
  struct Row {
    char const* text;
    char const* means;
  } const rows[] = {
      {"16:00", "2026-03-04T16:00:00"},
      {"16:00:30", "2026-03-04T16:00:30"},
      {"15:30", "2026-03-05T15:30:00"},  // the next time, not now
      {"9:05", "2026-03-05T09:05:00"},
      {"9:05pm", "2026-03-04T21:05:00"},
      {"9:05 PM", "2026-03-04T21:05:00"},
      {"12:30am", "2026-03-05T00:30:00"},
      {"12:30pm", "2026-03-05T12:30:00"},
      {"midnight", "2026-03-05T00:00:00"},
      {"Noon", "2026-03-05T12:00:00"},
      {"fika", "2026-03-05T15:00:00"},
      {"teatime", "2026-03-04T16:00:00"},
      {"today", "2026-03-04T15:30:00"},
      {"tomorrow", "2026-03-05T15:30:00"},
      {"2026-03-10", "2026-03-10T00:00:00"},
      {"2026-03-10T07:15", "2026-03-10T07:15:00"},
      {"2026-03-10T07:15:20", "2026-03-10T07:15:20"},
      {"2028-02-29", "2028-02-29T00:00:00"},
      {"2026-04-01T12:00", "2026-04-01T12:00:00"},  // in summer time
      {"03/10", "2026-03-10T00:00:00"},
      {"03/10/27", "2027-03-10T00:00:00"},
      {"0310", "2026-03-10T00:00:00"},
      {"031027", "2027-03-10T00:00:00"},
      {"0110", "2027-01-10T00:00:00"},  // this year's is past
      {"now", "2026-03-04T15:30:00"},
      {"now+90", "2026-03-04T15:31:30"},
      {"now+1minute", "2026-03-04T15:31:00"},
      {"now+0.5hours", "2026-03-04T16:00:00"},
      {"now+2days", "2026-03-06T15:30:00"},
      {"now+1week", "2026-03-11T15:30:00"},
      {"2020-01-01", "2020-01-01T00:00:00"},
  };
  for (auto const& row : rows) {
    CAPTURE(row.text);
    auto const time_s = parse_slurm_time(row.text, now_s);
    REQUIRE(time_s);
    CHECK(written(*time_s) == row.means);
  }
}

TEST_CASE("the clock's next time is a clock's, where clocks change") {
  Berlin const zone;
  auto const eve_s = *parse_slurm_time("2026-03-28T15:30", now_s);
  CHECK(written(*parse_slurm_time("12:00", eve_s)) == "2026-03-29T12:00:00");
  CHECK(written(*parse_slurm_time(
            "noon", *parse_slurm_time("2026-10-24T15:30", now_s))) ==
        "2026-10-25T12:00:00");
}

TEST_CASE("anything else is no time, and the text is quoted") {
  for (char const* text : {"",
                           " ",
                           "soon",
                           "25:00",
                           "12:60",
                           "12:00:60",
                           "1:2",
                           "13:00pm",
                           "0:30am",
                           "12:00 xm",
                           "2026-13-01",
                           "2026-02-29",
                           "2026-3-1",
                           "2026-03-10T",
                           "2026-03-10T25:00",
                           "0310T12:00",
                           "1332",
                           "03/32",
                           "031",
                           "03102",
                           "now+",
                           "now-1hour",
                           "now+-1",
                           "now+1year",
                           "now+x",
                           "now+1e3",
                           "now+99999999days",
                           "now+infweeks",
                           "nowish",
                           "1772634600",
                           "\x1b[31m"}) {
    CAPTURE(text);
    auto const time_s = parse_slurm_time(text, now_s);
    REQUIRE_FALSE(time_s);
    CHECK(time_s.error().code == Errc::invalid_argument);
    CHECK_THAT(time_s.error().message,
               Catch::Contains("is no time [write HH:MM, "));
    CHECK(time_s.error().message.find('\x1b') == std::string::npos);
  }
}

}  // namespace
}  // namespace gleaner
