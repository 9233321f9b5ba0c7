// SPDX-License-Identifier: Apache-2.0
#include "cli/svg.hh"

#include <cstdio>

namespace gleaner::cli {
namespace {

/// A tenth of a pixel is as fine as anyone sees.
std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", value);
  return text;
}

std::string attribute(char const* name, double value) {
  return std::string(" ") + name + "=\"" + number(value) + "\"";
}

std::string escaped(std::string_view text) {
  std::string result;
  for (char c : text) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

}  // namespace

Svg::Svg(double width, double height, std::string_view style_sheet) {
  text_ = "<svg xmlns=\"http://www.w3.org/2000/svg\"" +
          attribute("width", width) + attribute("height", height) +
          " viewBox=\"0 0 " + number(width) + " " + number(height) +
          "\">\n<defs><pattern id=\"hatched\" width=\"6\" height=\"6\" "
          "patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\">"
          "<rect width=\"2.5\" height=\"6\" fill=\"#ffffff\" "
          "fill-opacity=\"0.75\"/></pattern></defs>\n<style>" +
          std::string(style_sheet) + "</style>\n";
}

void Svg::rect(double x, double y, double width, double height,
               std::string_view style, std::string_view tooltip) {
  text_ += "<rect" + attribute("x", x) + attribute("y", y) +
           attribute("width", width) + attribute("height", height) + " " +
           std::string(style);
  if (tooltip.empty())
    text_ += "/>\n";
  else
    text_ += "><title>" + escaped(tooltip) + "</title></rect>\n";
}

void Svg::line(Point a, Point b, std::string_view style) {
  text_ += "<line" + attribute("x1", a.x) + attribute("y1", a.y) +
           attribute("x2", b.x) + attribute("y2", b.y) + " " +
           std::string(style) + "/>\n";
}

void Svg::points(char const* element, std::vector<Point> const& points,
                 std::string_view style) {
  text_ += std::string("<") + element + " points=\"";
  for (Point const& p : points) text_ += number(p.x) + "," + number(p.y) + " ";
  text_ += "\" " + std::string(style) + "/>\n";
}

void Svg::polyline(std::vector<Point> const& p, std::string_view style) {
  points("polyline", p, style);
}

void Svg::polygon(std::vector<Point> const& p, std::string_view style) {
  points("polygon", p, style);
}

void Svg::text(Point at, std::string_view text, std::string_view style) {
  text_ += "<text" + attribute("x", at.x) + attribute("y", at.y) + " " +
           std::string(style) + ">" + escaped(text) + "</text>\n";
}

}  // namespace gleaner::cli
