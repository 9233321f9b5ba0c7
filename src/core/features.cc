// SPDX-License-Identifier: Apache-2.0
/// Reading a constraint, and holding it against a node.
#include "core/features.hh"

#include <algorithm>
#include <utility>

namespace gleaner {
namespace {

constexpr std::size_t steps_max = 1000;
constexpr int depth_max = 50;

bool is_name(char c) {
  return static_cast<unsigned char>(c) > ' ' &&
         std::string_view("&|!()[]*,;'\"\\").find(c) == std::string_view::npos;
}

}  // namespace

Features parse_features(std::string_view text) {
  Features features;
  while (!text.empty()) {
    auto const comma = std::min(text.find(','), text.size());
    if (comma > 0) features.emplace_back(text.substr(0, comma));
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  std::sort(features.begin(), features.end());
  features.erase(std::unique(features.begin(), features.end()), features.end());
  return features;
}

/// A recursive descent over one text.
class ConstraintReader {
 public:
  enum class Counts { refuse, map };

  ConstraintReader(std::string_view text, Counts counts)
      : text_(text), counts_(counts) {
    made_.text_ = text;
  }

  Result<Constraint> read() {
    if (text_.empty()) return made_;
    if (!chain(0) || at_ < text_.size()) {
      auto const where = at_ < text_.size()
                             ? "'" + std::string(text_.substr(at_, 20)) + "'"
                             : std::string("its end");
      return Error{Errc::invalid_argument,
                   "constraint '" + made_.text_.substr(0, 100) +
                       "' cannot be read at " + where + " (" + why_ + ")"};
    }
    return made_;
  }

 private:
  using Op = Constraint::Op;

  bool fail(char const* why) {
    why_ = why;
    return false;
  }

  bool next_is(char c) const { return at_ < text_.size() && text_[at_] == c; }

  bool skip(char c) {
    if (!next_is(c)) return false;
    ++at_;
    return true;
  }

  bool add(Op op, std::string name = "") {
    if (made_.steps_.size() >= steps_max) return fail("it is too long");
    made_.steps_.push_back({op, std::move(name)});
    return true;
  }

  /// term { (& | "|") term }, left to right.
  bool chain(int depth) {
    if (depth > depth_max) return fail("too many parentheses");
    if (!term(depth)) return false;
    for (;;) {
      Op const op = next_is('&') ? Op::all : Op::any;
      if (!skip('&') && !skip('|')) return true;
      // Within [ ] a node is of one of the groups, whatever joins them.
      if (!term(depth) || !add(brackets_ > 0 ? Op::any : op)) return false;
    }
  }

  bool term(int depth) {
    if (next_is('!'))
      return fail("Slurm's --constraint has no !; exclude nodes by name");
    if (next_is('(')) return group(depth, ')');
    if (next_is('[')) {
      if (counts_ == Counts::refuse)
        return fail(
            "[ ] speaks of all nodes at once, and nodes come one by "
            "one");
      ++brackets_;
      bool const read = group(depth, ']');
      --brackets_;
      return read && counted();
    }
    return name();
  }

  bool group(int depth, char close) {
    ++at_;
    // Parentheses within brackets join features of one node again.
    auto const brackets =
        close == ')' ? std::exchange(brackets_, 0) : brackets_;
    if (!chain(depth + 1)) return false;
    if (close == ')') brackets_ = brackets;
    if (!skip(close)) return fail("a group is not closed");
    return close == ']' || counted();
  }

  bool name() {
    auto const begin = at_;
    while (at_ < text_.size() && is_name(text_[at_])) ++at_;
    if (at_ == begin) return fail("the name of a feature was expected");
    return add(Op::feature, std::string(text_.substr(begin, at_ - begin))) &&
           counted();
  }

  /// "*4" behind a name or group.
  bool counted() {
    if (!next_is('*')) return true;
    if (counts_ == Counts::refuse)
      return fail(
          "counts speak of all nodes at once, and nodes come one by "
          "one");
    auto const begin = ++at_;
    while (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9') ++at_;
    if (at_ == begin) return fail("a number was expected");
    return brackets_ > 0 || (add(Op::always) && add(Op::any));
  }

  std::string_view text_;
  Counts counts_;
  std::size_t at_ = 0;
  int brackets_ = 0;
  char const* why_ = "& or | was expected";
  Constraint made_;
};

Result<Constraint> Constraint::parse(std::string_view text) {
  return ConstraintReader(text, ConstraintReader::Counts::refuse).read();
}

Result<Constraint> Constraint::parse_for_each(std::string_view text) {
  return ConstraintReader(text, ConstraintReader::Counts::map).read();
}

bool Constraint::is_met_by(Features const& features) const {
  std::vector<char> truth;
  for (auto const& step : steps_) {
    switch (step.op) {
      case Op::feature:
        truth.push_back(std::find(features.begin(), features.end(),
                                  step.name) != features.end());
        break;
      case Op::always:
        truth.push_back(1);
        break;
      case Op::all:
      case Op::any: {
        char const last = truth.back();
        truth.pop_back();
        truth.back() =
            step.op == Op::all ? truth.back() && last : truth.back() || last;
      }
    }
  }
  return truth.empty() || truth.back();
}

}  // namespace gleaner
