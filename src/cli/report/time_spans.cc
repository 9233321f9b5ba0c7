// SPDX-License-Identifier: Apache-2.0
#include "cli/report/time_spans.hh"

#include <algorithm>

namespace gleaner::cli {

Spans united(std::vector<Span> spans) {
  std::erase_if(spans, [](Span s) { return !(s.from_s < s.to_s); });
  std::sort(spans.begin(), spans.end(),
            [](Span a, Span b) { return a.from_s < b.from_s; });
  Spans result;
  for (Span const& span : spans) {
    if (!result.empty() && span.from_s <= result.back().to_s)
      result.back().to_s = std::max(result.back().to_s, span.to_s);
    else
      result.push_back(span);
  }
  return result;
}

Spans common(Spans const& a, Spans const& b) {
  Spans result;
  for (auto i = a.begin(), j = b.begin(); i != a.end() && j != b.end();) {
    double const from = std::max(i->from_s, j->from_s);
    double const to = std::min(i->to_s, j->to_s);
    if (from < to) result.push_back({from, to});
    (i->to_s < j->to_s ? i : j)++;
  }
  return result;
}

Spans outside(Spans const& spans, Span window) {
  Spans result;
  double free_from = window.from_s;
  for (Span const& span : spans) {
    double const to = std::min(span.from_s, window.to_s);
    if (free_from < to) result.push_back({free_from, to});
    free_from = std::max(free_from, span.to_s);
  }
  if (free_from < window.to_s) result.push_back({free_from, window.to_s});
  return result;
}

Spans longer(Spans const& spans, double longer_than_s) {
  Spans result;
  for (Span const& span : spans)
    if (span.to_s - span.from_s > longer_than_s) result.push_back(span);
  return result;
}

double length_s(Spans const& spans) {
  double sum = 0;
  for (Span const& span : spans) sum += span.to_s - span.from_s;
  return sum;
}

}  // namespace gleaner::cli
