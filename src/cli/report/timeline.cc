// SPDX-License-Identifier: Apache-2.0
#include "cli/report/timeline.hh"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <set>

#include "cli/axes.hh"
#include "cli/report/timeline_layout.hh"
#include "cli/report/timeline_title.hh"
#include "cli/svg.hh"
#include "core/place.hh"

namespace gleaner::cli {
namespace {

constexpr double page_width = 1280;
constexpr double left = 74, right = 24;
constexpr double row_height = 26, row_gap = 3;
constexpr double lane_height = 18;
constexpr double thin_height = 10, thin_gap = 2;
constexpr double share_height = 84, loss_height = 96;
constexpr double header_height = 118, panel_gap = 34, footer_height = 40;

/// Okabe and Ito's colours, which people with any kind of colour vision tell
/// apart; the pale one is for a lease that does not train yet.
struct Colour {
  char const* strong;
  char const* pale;
};
constexpr Colour colours[] = {{"#0072B2", "#a9d3ea"}, {"#E69F00", "#f8deaa"},
                              {"#009E73", "#a6dccb"}, {"#CC79A7", "#ecd0e0"},
                              {"#D55E00", "#f2c3a3"}, {"#56B4E9", "#cbe7f8"}};
Colour colour_of(std::size_t trainer) {
  return colours[trainer % std::size(colours)];
}

constexpr char style_sheet[] = R"(
text { font-family: "DejaVu Sans", Verdana, Helvetica, sans-serif;
       font-size: 12px; fill: #1f2933; }
.title { font-size: 21px; font-weight: bold; }
.figures { font-size: 13.5px; fill: #3e4c59; }
.small { font-size: 11px; fill: #52606d; }
.end { text-anchor: end; } .middle { text-anchor: middle; }
.label { font-size: 11px; fill: #ffffff; text-anchor: middle; }
.grid { stroke: #dde3ea; stroke-width: 1; }
.frame { fill: none; stroke: #9aa5b1; stroke-width: 1; }
.idle { fill: #f4f6f8; }
.rigid { fill: #7b8794; stroke: #ffffff; stroke-width: 1; }
.undone { fill: url(#hatched); }
.switch { stroke: #ffffff; stroke-width: 1; stroke-opacity: 0.75; }
)";

std::string filled(char const* colour) {
  return std::string("fill=\"") + colour + "\"";
}

std::string stroked(char const* colour, double width) {
  char text[96];
  std::snprintf(text, sizeof text,
                "fill=\"none\" stroke=\"%s\" stroke-width=\"%.1f\" "
                "stroke-linejoin=\"round\"",
                colour, width);
  return text;
}

std::string format(char const* pattern, double a, double b = 0, double c = 0,
                   double d = 0) {
  char text[256];
  std::snprintf(text, sizeof text, pattern, a, b, c, d);
  return text;
}

/// One picture; every method draws one part, from the top down.
class Timeline {
 public:
  Timeline(History const& history, Summary const& summary)
      : history_(history),
        summary_(summary),
        leases_(history.leases.value_or(std::vector<Lease>{})),
        rigid_(history.rigid.value_or(std::vector<RigidJob>{})),
        without_(without_beside(history)),
        parted_(parted_nodes(history)),
        whole_nodes_(nodes_of(history.nodes)),
        time_{history.window.from_s, history.window.to_s, left,
              page_width - right},
        rows_top_(header_height),
        without_top_(rows_top_ + count(history.nodes) * (row_height + row_gap) +
                     panel_gap - row_gap),
        lanes_top_(without_.empty()
                       ? without_top_ - panel_gap + row_gap + 12
                       : without_top_ +
                             count(whole_nodes_) * (thin_height + thin_gap) +
                             12),
        share_top_(lanes_top_ +
                   static_cast<double>(history.trainers.size()) * lane_height +
                   panel_gap),
        loss_top_(share_top_ + share_height + panel_gap),
        bottom_(loss_top_ + loss_height),
        svg_(page_width, bottom_ + footer_height, style_sheet) {}

  std::string draw() {
    svg_.rect(0, 0, page_width, bottom_ + footer_height, "fill=\"#ffffff\"");
    title();
    legend();
    grid();
    for (std::size_t row = 0; row < history_.nodes.size(); ++row) node_row(row);
    rigid_blocks(rigid_, {history_.nodes, rows_top_, row_height, row_gap});
    without();
    for (std::size_t i = 0; i < history_.trainers.size(); ++i) lane(i);
    share();
    loss();
    return svg_.str();
  }

 private:
  static double count(std::vector<std::string> const& rows) {
    return static_cast<double>(rows.size());
  }

  /// The nodes of these rows, each once.
  static std::vector<std::string> nodes_of(
      std::vector<std::string> const& rows) {
    std::vector<std::string> nodes;
    for (auto const& row : rows)
      if (nodes.empty() || nodes.back() != node_of(row))
        nodes.push_back(node_of(row));
    return nodes;
  }

  double row_y(std::size_t row) const {
    return rows_top_ + static_cast<double>(row) * (row_height + row_gap);
  }

  void title() {
    auto const title = timeline_title(summary_);
    svg_.text({left, 34}, title.headline, "class=\"title\"");
    svg_.text({left, 57}, title.trained, "class=\"figures\"");
    svg_.text({left, 76}, title.others, "class=\"figures\"");
  }

  void legend() {
    double x = left;
    auto const entry = [&](std::string const& style, std::string const& text,
                           double width) {
      svg_.rect(x, 90, 16, 12, style);
      svg_.text({x + 22, 100}, text, "class=\"small\"");
      x += width;
    };
    entry("class=\"rigid\"", "other jobs", 106);
    for (std::size_t i = 0; i < history_.trainers.size(); ++i)
      entry(filled(colour_of(i).strong), "training " + name(i), 106);
    for (std::size_t i = 0; i < history_.trainers.size(); ++i, x += 18)
      svg_.rect(x, 90, 16, 12, filled(colour_of(i).pale));
    svg_.text({x + 4, 100}, "lent, starting", "class=\"small\"");
    x += 102;
    entry("class=\"idle\" stroke=\"#9aa5b1\"", "idle", 70);
    auto const mark = [&](int direction, std::string const& text) {
      marker({x + 8, 96}, direction, "#52606d");
      svg_.text({x + 20, 100}, text, "class=\"small\"");
      x += 30 + 6.6 * static_cast<double>(text.size());
    };
    mark(1, "grew");
    mark(-1, "shrank");
    mark(0, "lost a node without notice");
    if (summary_.undone_node_s <= 0) return;
    svg_.rect(x, 90, 16, 12, filled(colour_of(0).strong));  // under the hatches
    entry("class=\"undone\" stroke=\"#9aa5b1\"", "steps undone", 100);
  }

  /// Trainers are called A, B, C … in the picture.
  static std::string name(std::size_t trainer) {
    return std::string(1, static_cast<char>('A' + trainer % 26));
  }

  void grid() {
    double const length = history_.window.to_s - history_.window.from_s;
    double const step = tick_step_s(length, 15);
    for (double t = 0; t <= length; t += step) {
      double const x = time_.at(history_.window.from_s + t);
      svg_.line({x, rows_top_ - 4}, {x, bottom_}, "class=\"grid\"");
      svg_.text({x, bottom_ + 18}, tick_label(t, step),
                "class=\"small middle\"");
    }
  }

  void bar(std::size_t row, Span span, std::string const& style,
           std::string const& tooltip = "") {
    double const from = time_.at(std::max(span.from_s, history_.window.from_s));
    double const to = time_.at(std::min(span.to_s, history_.window.to_s));
    if (from < to)
      svg_.rect(from, row_y(row), to - from, row_height, style, tooltip);
  }

  void node_row(std::size_t row) {
    auto const& node = history_.nodes[row];
    svg_.text({left - 10, row_y(row) + row_height / 2 + 4}, node,
              "class=\"end\"");
    // Where a node is lent in parts nobody knows which of them jobs have.
    bool const in_parts = is_part(node) || parted_.count(node) != 0;
    if (!in_parts) bar(row, history_.window, "class=\"idle\"");
    if (history_.trainers.empty())
      for (Span s : leased_on(leases_, node, 0))
        bar(row, s, filled(colour_of(0).pale), "lent");
    for (std::size_t i = 0; i < history_.trainers.size(); ++i) {
      auto const& trainer = history_.trainers[i];
      for (Span s : leased_on(leases_, node, trainer.job))
        bar(row, s, filled(colour_of(i).pale), "lent to " + name(i));
      auto const training = training_on(trainer, node);
      for (Span s : training)
        bar(row, s, filled(colour_of(i).strong), "training " + name(i));
      for (Span s : common(training, undone_in(trainer)))
        bar(row, s, "class=\"undone\"",
            "steps of " + name(i) + " undone later");
      for (auto const& generation : trainer.generations)
        if (generation.nodes.contains(node)) {
          double const x = time_.at(generation.t_s);
          svg_.line({x, row_y(row)}, {x, row_y(row) + row_height},
                    "class=\"switch\"");
        }
    }
  }

  struct Rows {
    std::vector<std::string> const& nodes;
    double top, height, gap;
  };

  void rigid_blocks(std::vector<RigidJob> const& jobs, Rows const& rows) {
    for (Block const& block : blocks(jobs, rows.nodes, history_.window)) {
      double const from = time_.at(block.span.from_s);
      double const to = time_.at(block.span.to_s);
      double const y = rows.top + static_cast<double>(block.first_row) *
                                      (rows.height + rows.gap);
      double const height =
          static_cast<double>(block.rows) * (rows.height + rows.gap) - rows.gap;
      svg_.rect(from, y, to - from, height, "class=\"rigid\" rx=\"2\"",
                block.job->name + " on " + block.job->nodes.to_string());
      auto const& job = block.job->name;
      if (to - from > 7.0 * static_cast<double>(job.size()) + 6 && height > 12)
        svg_.text({(from + to) / 2, y + height / 2 + 4}, job,
                  "class=\"label\"");
    }
  }

  /// The same jobs on the same nodes when nothing was lent, in thin rows.
  void without() {
    if (without_.empty()) return;
    double const pitch = thin_height + thin_gap;
    double idle_s = 0;
    for (std::size_t row = 0; row < whole_nodes_.size(); ++row) {
      svg_.rect(left, without_top_ + static_cast<double>(row) * pitch,
                page_width - right - left, thin_height, "class=\"idle\"");
      idle_s += length_s(
          outside(rigid_on(without_, whole_nodes_[row], history_.window.to_s),
                  history_.window));
    }
    rigid_blocks(without_, {whole_nodes_, without_top_, thin_height, thin_gap});
    std::string caption = "the same jobs without Gleaner";
    if (parted_.empty())
      caption += ": " + format("%.0f", idle_s) + " node-seconds nobody used";
    svg_.text({left, without_top_ - 7}, caption, "class=\"small\"");
    svg_.text({left - 10, without_top_ + count(whole_nodes_) * pitch / 2 + 3},
              "without", "class=\"small end\"");
  }

  /// Up: grew; down: shrank; 0: a cross, a loss.
  void marker(Point at, int direction, char const* colour) {
    double const h = 4.5;
    if (direction > 0)
      svg_.polygon(
          {{at.x - h, at.y + h}, {at.x + h, at.y + h}, {at.x, at.y - h}},
          filled(colour));
    else if (direction < 0)
      svg_.polygon(
          {{at.x - h, at.y - h}, {at.x + h, at.y - h}, {at.x, at.y + h}},
          filled(colour));
    else
      for (double slope : {-1.0, 1.0})
        svg_.line({at.x - 4, at.y - 4 * slope}, {at.x + 4, at.y + 4 * slope},
                  stroked(colour, 2));
  }

  void lane(std::size_t i) {
    double const y = lanes_top_ + (static_cast<double>(i) + 0.5) * lane_height;
    svg_.text({left - 10, y + 4}, "resizes " + name(i), "class=\"small end\"");
    svg_.line({left, y}, {page_width - right, y}, "class=\"grid\"");
    for (auto const& g : history_.trainers[i].generations) {
      if (g.t_s < history_.window.from_s || g.t_s > history_.window.to_s)
        continue;
      int const direction = g.kind == "loss" ? 0
                            : g.to > g.from  ? 1
                            : g.to < g.from  ? -1
                                             : 1;
      marker({time_.at(g.t_s), y}, direction, colour_of(i).strong);
    }
  }

  void frame(double top, double height, std::string const& caption) {
    svg_.rect(left, top, page_width - right - left, height, "class=\"frame\"");
    svg_.text({left, top - 7}, caption, "class=\"small\"");
  }

  /// Nodes of each trainer, stacked, under the line of nodes that are idle or
  /// lent: white below the line is time nobody used.
  void share() {
    auto const nodes = static_cast<double>(std::count_if(
        history_.nodes.begin(), history_.nodes.end(),
        [&](std::string const& row) { return !parted_.count(row); }));
    Scale const count{0, nodes, share_top_ + share_height, share_top_};
    for (int n = 0; n <= static_cast<int>(nodes);
         n += std::max(1, static_cast<int>(nodes) / 4))
      svg_.text({left - 10, count.at(n) + 4}, std::to_string(n),
                "class=\"small end\"");
    std::vector<Spans> stacked;
    std::vector<std::vector<Point>> areas;
    for (auto const& trainer : history_.trainers) {
      for (auto const& node : history_.nodes)
        stacked.push_back(
            common(training_on(trainer, node), {history_.window}));
      areas.push_back(steps(count_over_time(stacked), count));
    }
    for (std::size_t i = areas.size(); i-- > 0;) {
      auto area = areas[i];
      if (area.empty()) continue;
      area.push_back({page_width - right, count.at(0)});
      area.push_back({area.front().x, count.at(0)});
      svg_.polygon(area, filled(colour_of(i).strong));
    }
    frame(share_top_, share_height,
          !parted_.empty() ? "nodes and parts of nodes that train"
          : history_.rigid ? "nodes that train, of the nodes no other job uses "
                             "(dashed)"
                           : "nodes that train");
    if (!history_.rigid || !parted_.empty()) return;
    std::vector<Spans> free;
    for (auto const& node : history_.nodes)
      free.push_back(outside(rigid_on(rigid_, node, history_.window.to_s),
                             history_.window));
    svg_.polyline(steps(count_over_time(free), count),
                  stroked("#1f2933", 1.5) + " stroke-dasharray=\"4 2\"");
  }

  /// The corners of a stair, from its first change to the right edge.
  std::vector<Point> steps(std::vector<Change> const& changes,
                           Scale const& count) const {
    std::vector<Point> corners;
    for (Change const& change : changes) {
      if (change.t_s >= history_.window.to_s) break;
      double const x = time_.at(change.t_s);
      if (!corners.empty()) corners.push_back({x, corners.back().y});
      corners.push_back({x, count.at(change.value)});
    }
    if (!corners.empty())
      corners.push_back({page_width - right, corners.back().y});
    return corners;
  }

  void loss() {
    double lowest = std::numeric_limits<double>::infinity(), highest = 0;
    std::vector<std::vector<LossPoint>> curves;
    for (auto const& trainer : history_.trainers) {
      curves.push_back(smoothed(trainer.losses, 2));
      for (auto const& point : curves.back()) {
        lowest = std::min(lowest, point.loss);
        highest = std::max(highest, point.loss);
      }
    }
    frame(loss_top_, loss_height, "loss");
    if (!(lowest < highest)) return;
    Scale const y{lowest - 0.06 * (highest - lowest),
                  highest + 0.06 * (highest - lowest), loss_top_ + loss_height,
                  loss_top_};
    double const step = round_step((highest - lowest) / 3);
    for (double value = std::ceil(lowest / step) * step; value <= highest;
         value += step) {
      svg_.line({left, y.at(value)}, {page_width - right, y.at(value)},
                "class=\"grid\"");
      svg_.text({left - 10, y.at(value) + 4}, format("%g", value),
                "class=\"small end\"");
    }
    for (std::size_t i = 0; i < curves.size(); ++i) {
      for (auto const& undone : history_.trainers[i].undone)
        curve(smoothed(undone.losses, 2), y, colour_of(i).pale);
      curve(curves[i], y, colour_of(i).strong);
    }
  }

  /// A line with a gap wherever the training waited.
  void curve(std::vector<LossPoint> const& points, Scale const& y,
             char const* colour) {
    constexpr double pause_s = 2;
    std::vector<Point> run;
    double last_s = 0;
    auto const finish = [&] {
      if (run.size() > 1) svg_.polyline(run, stroked(colour, 1.8));
      run.clear();
    };
    for (auto const& point : points) {
      if (point.t_s < history_.window.from_s ||
          point.t_s > history_.window.to_s)
        continue;
      if (point.t_s - last_s > pause_s) finish();
      run.push_back({time_.at(point.t_s), y.at(point.loss)});
      last_s = point.t_s;
    }
    finish();
  }

  History const& history_;
  Summary const& summary_;
  std::vector<Lease> const leases_;
  std::vector<RigidJob> const rigid_;
  std::vector<RigidJob> const without_;
  std::set<std::string> const parted_;
  std::vector<std::string> const whole_nodes_;
  Scale time_;
  double rows_top_, without_top_, lanes_top_, share_top_, loss_top_, bottom_;
  Svg svg_;
};

}  // namespace

std::string timeline_svg(History const& history, Summary const& summary) {
  return Timeline(history, summary).draw();
}

}  // namespace gleaner::cli
