// SPDX-License-Identifier: Apache-2.0
#include "cli/sim/sim_timeline.hh"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>

#include "cli/axes.hh"
#include "cli/svg.hh"

namespace gleaner::cli {
namespace {

constexpr double page_width = 1280, left = 84, right = 24;
constexpr double header_height = 92, panel_height = 120, panel_gap = 40;
constexpr double strip_height = 6;
constexpr std::size_t strips_max = 48;
constexpr std::size_t bins_per_page = 590;  // two pixels each

constexpr char blue[] = "#0072B2", orange[] = "#E69F00", green[] = "#009E73",
               pink[] = "#CC79A7", red[] = "#D55E00", sky[] = "#56B4E9";
constexpr char const* strip_colours[] = {blue, orange, green, pink, red, sky};

constexpr char style_sheet[] = R"(
text { font-family: "DejaVu Sans", Verdana, Helvetica, sans-serif;
       font-size: 12px; fill: #1f2933; }
.title { font-size: 21px; font-weight: bold; }
.figures { font-size: 13.5px; fill: #3e4c59; }
.small { font-size: 11px; fill: #52606d; }
.end { text-anchor: end; } .middle { text-anchor: middle; }
.grid { stroke: #dde3ea; stroke-width: 1; }
.frame { fill: none; stroke: #9aa5b1; stroke-width: 1; }
)";

std::string filled(char const* colour) {
  return std::string("fill=\"") + colour + "\"";
}

std::string stroked(char const* colour) {
  return std::string("fill=\"none\" stroke=\"") + colour +
         "\" stroke-width=\"1.3\" stroke-linejoin=\"round\"";
}

template <class... Values>
std::string format(char const* pattern, Values... values) {
  char text[256];
  std::snprintf(text, sizeof text, pattern, values...);
  return text;
}

/// What a panel shows: a name, a colour, and a value for each bin.
struct Series {
  char const* name;
  char const* colour;
  double Bin::*value;
  enum class Form { line, area } form = Form::line;
};

class Picture {
 public:
  explicit Picture(SimResult const& result)
      : result_(result),
        time_{0, std::max(1.0, result.outcome.length_s), left,
              page_width - right},
        bins_(binned(result.outcome.intervals, result.outcome.length_s,
                     bins_per_page)),
        strips_(chosen_nodes()),
        strips_top_(header_height + 4 * (panel_height + panel_gap)),
        bottom_(strips_top_ +
                static_cast<double>(strips_.size()) * strip_height),
        svg_(page_width, bottom_ + 40, style_sheet) {}

  std::string draw() {
    svg_.rect(0, 0, page_width, bottom_ + 40, "fill=\"#ffffff\"");
    title();
    grid();
    using Form = Series::Form;
    panel(0, "nodes without a rigid job",
          {{"idle", "#c5ced8", &Bin::idle, Form::area},
           {"of these, trained on", blue, &Bin::used, Form::area}});
    panel(1, "trainings",
          {{"with nodes", blue, &Bin::trainers},
           {"waiting for nodes", orange, &Bin::waiting}});
    panel(2, "samples per hour",
          {{"made", green, &Bin::samples_per_h, Form::area}});
    panel(3, "changes per hour",
          {{"planned resizes", sky, &Bin::resizes_per_h},
           {"trainings that lost a node", red, &Bin::losses_per_h}});
    strips();
    return svg_.str();
  }

 private:
  void title() {
    auto const& f = result_.figures;
    svg_.text({left, 32},
              format("%s: %.3g samples in %.1f h",
                     f["policy"].get<std::string>().c_str(),
                     f["samples"].get<double>(), f["hours"].get<double>()),
              "class=\"title\"");
    auto line = format(
        "%d of %d trainings finished  ·  %.1f %% of %.0f idle node-hours used"
        "  ·  %d resizes, %d losses",
        f["finished"].get<int>(), f["trainings"].get<int>(),
        100 * f["harvest_ratio"].get<double>(), f["node_h_idle"].get<double>(),
        f["rescales"].get<int>(), f["preempts"].get<int>());
    if (f.contains("rigid_jobs"))
      line += format("  ·  rigid jobs start %.2f s later (mean of %d)",
                     f["rigid_start_delay_s"].get<double>(),
                     f["rigid_jobs"].get<int>());
    svg_.text({left, 54}, line, "class=\"figures\"");
  }

  void grid() {
    double const length_s = time_.to;
    double const step = tick_step_s(length_s, 14);
    for (double t = 0; t <= length_s; t += step) {
      svg_.line({time_.at(t), header_height - 8}, {time_.at(t), bottom_},
                "class=\"grid\"");
      svg_.text({time_.at(t), bottom_ + 18}, tick_label(t, step),
                "class=\"small middle\"");
    }
  }

  void panel(int place, char const* caption, std::vector<Series> const& all) {
    double const top = header_height + place * (panel_height + panel_gap);
    double highest = 0;
    for (auto const& series : all)
      for (auto const& bin : bins_)
        highest = std::max(highest, bin.*series.value);
    if (highest <= 0) highest = 1;
    Scale const y{0, highest * 1.05, top + panel_height, top};
    double const step = round_step(highest / 3);
    for (double value = 0; value <= highest; value += step) {
      svg_.line({left, y.at(value)}, {page_width - right, y.at(value)},
                "class=\"grid\"");
      svg_.text({left - 8, y.at(value) + 4}, format("%g", value),
                "class=\"small end\"");
    }
    svg_.text({left, top - 8}, caption, "class=\"small\"");
    double x = left + 190;
    for (auto const& series : all) {
      draw(series, y);
      svg_.rect(x, top - 18, 14, 10, filled(series.colour));
      svg_.text({x + 20, top - 8}, series.name, "class=\"small\"");
      x += 180;
    }
    svg_.rect(left, top, page_width - right - left, panel_height,
              "class=\"frame\"");
  }

  void draw(Series const& series, Scale const& y) {
    std::vector<Point> corners;
    double const width = (page_width - right - left) / bins_per_page;
    for (std::size_t i = 0; i < bins_.size(); ++i) {
      double const x = left + static_cast<double>(i) * width;
      double const at = y.at(bins_[i].*series.value);
      corners.push_back({x, at});
      corners.push_back({x + width, at});
    }
    if (corners.empty()) return;
    if (series.form == Series::Form::line) {
      svg_.polyline(corners, stroked(series.colour));
      return;
    }
    corners.push_back({corners.back().x, y.at(0)});
    corners.push_back({left, y.at(0)});
    svg_.polygon(corners, filled(series.colour));
  }

  /// Nodes that trained at all, evenly spread over their numbers.
  std::vector<sim::NodeNumber> chosen_nodes() const {
    std::vector<bool> trained(result_.nodes.size());
    for (auto const& handover : result_.outcome.handovers)
      if (handover.training >= 0) trained[handover.node] = true;
    std::vector<sim::NodeNumber> all, chosen;
    for (sim::NodeNumber node = 0; node < trained.size(); ++node)
      if (trained[node]) all.push_back(node);
    auto const count = std::min(all.size(), strips_max);
    for (std::size_t i = 0; i < count; ++i)
      chosen.push_back(all[i * all.size() / count]);
    return chosen;
  }

  void strips() {
    std::map<sim::NodeNumber, std::size_t> row;
    for (std::size_t i = 0; i < strips_.size(); ++i) row[strips_[i]] = i;
    svg_.text({left, strips_top_ - 8},
              format("%zu of the nodes: which training (colour) had them when",
                     strips_.size()),
              "class=\"small\"");
    std::vector<sim::Handover> now(strips_.size());
    auto const end = [&](std::size_t i, double t_s) {
      auto const& span = now[i];
      if (span.training >= 0 && t_s > span.t_s)
        svg_.rect(time_.at(span.t_s),
                  strips_top_ + static_cast<double>(i) * strip_height,
                  time_.at(t_s) - time_.at(span.t_s), strip_height - 1,
                  filled(strip_colours[static_cast<std::size_t>(span.training) %
                                       std::size(strip_colours)]));
    };
    for (auto& span : now) span.training = -1;
    for (auto const& handover : result_.outcome.handovers) {
      auto const at = row.find(handover.node);
      if (at == row.end() || now[at->second].training == handover.training)
        continue;
      end(at->second, handover.t_s);
      now[at->second] = handover;
    }
    for (std::size_t i = 0; i < now.size(); ++i) {
      end(i, time_.to);
      if (i % 8 == 0)
        svg_.text({left - 8,
                   strips_top_ + (static_cast<double>(i) + 1) * strip_height},
                  result_.nodes[strips_[i]], "class=\"small end\"");
    }
    svg_.rect(left, strips_top_, page_width - right - left,
              bottom_ - strips_top_, "class=\"frame\"");
  }

  SimResult const& result_;
  Scale time_;
  std::vector<Bin> bins_;
  std::vector<sim::NodeNumber> strips_;
  double strips_top_, bottom_;
  Svg svg_;
};

}  // namespace

std::vector<Bin> binned(std::vector<sim::Interval> const& intervals,
                        double length_s, std::size_t bins) {
  std::vector<Bin> result(bins);
  double const width_s = length_s / static_cast<double>(bins);
  auto const bin_at = [&](double t_s) {
    return std::min(bins - 1, static_cast<std::size_t>(t_s / width_s));
  };
  for (auto const& interval : intervals) {
    if (!(interval.from_s < interval.to_s)) continue;
    double const rate =
        interval.made_samples / (interval.to_s - interval.from_s);
    for (auto i = bin_at(interval.from_s); i <= bin_at(interval.to_s); ++i) {
      auto& bin = result[i];
      auto const place = static_cast<double>(i);
      double const part_s = std::min(interval.to_s, (place + 1) * width_s) -
                            std::max(interval.from_s, place * width_s);
      if (part_s <= 0) continue;
      bin.length_s += part_s;
      bin.idle += part_s * interval.idle;
      bin.used += part_s * interval.used;
      bin.trainers += part_s * interval.trainers;
      bin.waiting += part_s * interval.waiting;
      bin.samples_per_h += part_s * rate * 3600;
    }
    result[bin_at(interval.from_s)].resizes_per_h += interval.resizes;
    result[bin_at(interval.to_s)].losses_per_h += interval.losses;
  }
  for (auto& bin : result) {
    if (bin.length_s <= 0) continue;
    for (double* mean : {&bin.idle, &bin.used, &bin.trainers, &bin.waiting,
                         &bin.samples_per_h})
      *mean /= bin.length_s;
    bin.resizes_per_h *= 3600 / width_s;
    bin.losses_per_h *= 3600 / width_s;
    bin.samples_per_h = std::max(0.0, bin.samples_per_h);
  }
  return result;
}

std::string sim_timeline_svg(SimResult const& result) {
  return Picture(result).draw();
}

}  // namespace gleaner::cli
