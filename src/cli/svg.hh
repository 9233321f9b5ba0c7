// SPDX-License-Identifier: Apache-2.0
/// A picture as SVG text, shape after shape.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gleaner::cli {

struct Point {
  double x = 0;
  double y = 0;
};

/// Later shapes cover earlier ones.  `style` is SVG attributes, as in
/// `fill="#fff" stroke="none"`, or names a class of the style sheet:
/// `class="axis"`; the style sheet may fill with `url(#hatched)`.
class Svg {
 public:
  Svg(double width, double height, std::string_view style_sheet);

  void rect(double x, double y, double width, double height,
            std::string_view style, std::string_view tooltip = "");
  void line(Point a, Point b, std::string_view style);
  void polyline(std::vector<Point> const& points, std::string_view style);
  void polygon(std::vector<Point> const& points, std::string_view style);
  void text(Point at, std::string_view text, std::string_view style);

  /// The whole file.
  std::string str() const { return text_ + "</svg>\n"; }

 private:
  void points(char const* element, std::vector<Point> const& points,
              std::string_view style);
  std::string text_;
};

}  // namespace gleaner::cli
