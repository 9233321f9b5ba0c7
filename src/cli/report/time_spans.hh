// SPDX-License-Identifier: Apache-2.0
/// Stretches of time, as sets: what the report's arithmetic is made of.
#pragma once

#include <vector>

namespace gleaner::cli {

/// The time from `from_s` up to, not including, `to_s`.
struct Span {
  double from_s = 0;
  double to_s = 0;
  bool operator==(Span const&) const = default;
};

/// Disjoint, in order, none empty, none touching the next.
using Spans = std::vector<Span>;

/// Put any spans in that form; those without length vanish.
Spans united(std::vector<Span> spans);

/// Time that is in both.
Spans common(Spans const& a, Spans const& b);

/// Time of `window` that is not in `spans`.
Spans outside(Spans const& spans, Span window);

/// Only the spans longer than `longer_than_s`.
Spans longer(Spans const& spans, double longer_than_s);

/// How much time that is in all.
double length_s(Spans const& spans);

}  // namespace gleaner::cli
