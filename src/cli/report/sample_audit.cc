// SPDX-License-Identifier: Apache-2.0
#include "cli/report/sample_audit.hh"

#include <algorithm>

namespace gleaner::cli {
namespace {

std::uint64_t count(std::vector<msg::Interval> const& positions) {
  std::uint64_t n = 0;
  for (auto const& i : positions) n += i.last - i.first;
  return n;
}

/// How often the positions of one pass were taken.
struct Coverage {
  std::uint64_t once = 0;   ///< positions taken at least once
  std::uint64_t again = 0;  ///< takings beyond the first
  std::uint64_t end = 0;    ///< one past the highest position taken
};

Coverage coverage(std::vector<msg::Interval> positions) {
  std::sort(positions.begin(), positions.end(),
            [](auto const& a, auto const& b) { return a.first < b.first; });
  Coverage c;
  for (auto const& i : positions) {
    auto const fresh_from = std::clamp(c.end, i.first, i.last);
    c.once += i.last - fresh_from;
    c.again += fresh_from - i.first;
    c.end = std::max(c.end, i.last);
  }
  return c;
}

}  // namespace

void SampleAudit::step(msg::Step step, std::uint64_t pass,
                       std::vector<msg::Interval> const& taken) {
  steps_.insert({step, {pass, taken}});
}

void SampleAudit::rollback(msg::Step to_step) {
  auto const first = steps_.upper_bound(to_step);
  for (auto i = first; i != steps_.end(); ++i)
    undone_ += count(i->second.positions);
  steps_.erase(first, steps_.end());
}

SampleAudit::Findings SampleAudit::findings(std::uint64_t dataset_size) const {
  std::map<std::uint64_t, std::vector<msg::Interval>> passes;
  for (auto const& [step, taken] : steps_) {
    auto& positions = passes[taken.pass];
    positions.insert(positions.end(), taken.positions.begin(),
                     taken.positions.end());
  }
  Findings f;
  f.undone = undone_;
  if (passes.empty()) return f;
  auto const last_pass = passes.rbegin()->first;
  for (std::uint64_t pass = 0; pass <= last_pass; ++pass) {
    Coverage const c = coverage(passes[pass]);
    f.samples += c.once + c.again;
    f.duplicates += c.again;
    if (pass < first_whole_pass_) continue;
    auto const due = pass < last_pass ? std::max(dataset_size, c.end) : c.end;
    f.missing += due - c.once;
    if (c.once >= dataset_size) ++f.passes;
  }
  return f;
}

}  // namespace gleaner::cli
