// SPDX-License-Identifier: Apache-2.0
/// The picture of `gleaner profile`.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "cli/profile/profile_view.hh"
#include "cli/svg.hh"
#include "cli/text_table.hh"

namespace gleaner::cli {
namespace {

constexpr double width = 860, height = 520;
constexpr double left = 84, right = 28, top = 92, bottom = 56;

constexpr char style_sheet[] = R"(
text { font-family: "DejaVu Sans", Verdana, Helvetica, sans-serif;
       font-size: 12px; fill: #1f2933; }
.title { font-size: 19px; font-weight: bold; }
.small { font-size: 12px; fill: #52606d; }
.end { text-anchor: end; } .middle { text-anchor: middle; }
.grid { stroke: #dde3ea; stroke-width: 1; }
.axis { stroke: #9aa5b1; stroke-width: 1; }
.perfect { fill: none; stroke: #9aa5b1; stroke-width: 1.2;
           stroke-dasharray: 5 4; }
.band { fill: #0072B2; fill-opacity: 0.16; }
.expected { fill: none; stroke: #0072B2; stroke-width: 2; }
.now { stroke: #E69F00; stroke-width: 2; stroke-dasharray: 2 3; }
.measured { fill: #D55E00; stroke: #ffffff; stroke-width: 1; }
)";

/// 1, 2 or 5 times a power of ten: about `count` of them up to `most`.
double tick_of(double most, int count) {
  double const raw = most / count;
  double const power = std::pow(10, std::floor(std::log10(raw)));
  for (double const factor : {1.0, 2.0, 5.0})
    if (factor * power >= raw) return factor * power;
  return 10 * power;
}

std::string number(double value) {
  return fixed(value, value == std::floor(value) ? 0 : value < 1 ? 2 : 1);
}

class Picture {
 public:
  explicit Picture(msg::ProfileReply const& profile)
      : p_(profile), svg_(width, height, style_sheet) {
    nodes_max_ = std::max(2, p_.curve.back().nodes);
    for (auto const& point : p_.curve)
      rate_max_ = std::max({rate_max_, point.expected,
                            std::min(point.high, 2 * point.expected)});
    for (auto const& size : p_.measured)
      rate_max_ = std::max(rate_max_, rate_of(size));
    rate_max_ *= 1.08;
  }

  std::string draw() {
    svg_.rect(0, 0, width, height, "fill=\"#ffffff\"");
    svg_.text({left, 32},
              "job " + std::to_string(p_.job) + " (" + p_.name +
                  "): speed over nodes",
              "class=\"title\"");
    svg_.text({left, 54}, p_.family, "class=\"small\"");
    axes();
    curves();
    points();
    legend();
    return svg_.str();
  }

 private:
  double x(double nodes) const {
    return left + (width - left - right) * nodes / nodes_max_;
  }
  double y(double rate) const {
    return height - bottom -
           (height - top - bottom) * std::min(rate / rate_max_, 1.0);
  }
  double rate_of(msg::ProfileSize const& size) const {
    return static_cast<double>(p_.global_batch) / size.step_s;
  }

  void axes() {
    double const rate_tick = tick_of(rate_max_, 5);
    for (double rate = 0; rate <= rate_max_; rate += rate_tick) {
      svg_.line({left, y(rate)}, {width - right, y(rate)}, "class=\"grid\"");
      svg_.text({left - 8, y(rate) + 4}, number(rate), "class=\"end\"");
    }
    double const nodes_tick = std::max(1.0, tick_of(nodes_max_, 10));
    for (double nodes = 0; nodes <= nodes_max_; nodes += nodes_tick)
      svg_.text({x(nodes), height - bottom + 18}, number(nodes),
                "class=\"middle\"");
    svg_.line({left, y(0)}, {width - right, y(0)}, "class=\"axis\"");
    svg_.text({(left + width - right) / 2, height - 14}, "nodes",
              "class=\"middle\"");
    svg_.text({left, top - 14}, "samples/s", "class=\"small\"");
  }

  void curves() {
    std::vector<Point> band, expected;
    for (auto const& point : p_.curve) {
      band.push_back({x(point.nodes), y(point.high)});
      expected.push_back({x(point.nodes), y(point.expected)});
    }
    for (auto point = p_.curve.rbegin(); point != p_.curve.rend(); ++point)
      band.push_back({x(point->nodes), y(point->low)});
    svg_.polygon(band, "class=\"band\"");
    double const one = p_.curve.front().expected;
    double const most = std::min<double>(nodes_max_, rate_max_ / one);
    svg_.line({x(0), y(0)}, {x(most), y(most * one)}, "class=\"perfect\"");
    svg_.polyline(expected, "class=\"expected\"");
  }

  void points() {
    if (p_.nodes_now > 0)
      svg_.line({x(p_.nodes_now), y(0)}, {x(p_.nodes_now), top},
                "class=\"now\"");
    constexpr double half = 5;
    for (auto const& size : p_.measured)
      svg_.rect(x(size.nodes) - half, y(rate_of(size)) - half, 2 * half,
                2 * half, "class=\"measured\"",
                std::to_string(size.nodes) + " nodes, " +
                    std::to_string(size.steps) + " steps");
  }

  void legend() {
    struct Entry {
      char const* text;
      char const* style;
      bool is_line;
    };
    double at = left + 90;
    for (auto const& [text, style, is_line] :
         {Entry{"measured", "class=\"measured\"", false},
          Entry{"expected", "class=\"expected\"", true},
          Entry{"9 times in 10", "class=\"band\"", false},
          Entry{"perfect", "class=\"perfect\"", true},
          Entry{"now", "class=\"now\"", true}}) {
      if (is_line)
        svg_.line({at, top - 18}, {at + 22, top - 18}, style);
      else
        svg_.rect(at + 6, top - 23, 10, 10, style);
      svg_.text({at + 28, top - 14}, text, "class=\"small\"");
      at += 44 + 7.2 * static_cast<double>(std::string(text).size());
    }
  }

  msg::ProfileReply const& p_;
  int nodes_max_ = 2;
  double rate_max_ = 0;
  Svg svg_;
};

}  // namespace

std::string profile_svg(msg::ProfileReply const& profile) {
  return Picture(profile).draw();
}

}  // namespace gleaner::cli
