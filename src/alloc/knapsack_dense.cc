// SPDX-License-Identifier: Apache-2.0
/// Dynamic programming over classes and every capacity.
#include <algorithm>

#include "alloc/knapsack.hh"

namespace gleaner::alloc {
namespace {

using Row = std::vector<double>;

/// sums[w] = max over c of later[w − c] + worth[c].
void add_class(double const* worth, int options, Row const& later, Row* sums) {
  int const most = static_cast<int>(later.size()) - 1;
  for (int w = 0; w <= most; ++w) (*sums)[w] = later[w] + worth[0];
  for (int c = 1; c < options; ++c) {
    if (worth[c] == not_an_option) continue;
    double const* const from = later.data();
    double* const to = sums->data() + c;
    double const gain = worth[c];
    for (int w = 0; w <= most - c; ++w) to[w] = std::max(to[w], from[w] + gain);
  }
}

}  // namespace

std::vector<int> choose_dense(Knapsack const& knapsack) {
  auto const classes = knapsack.classes();
  auto const room = static_cast<std::size_t>(knapsack.capacity());
  std::vector<Row> rows(classes + 1, Row(room + 1, 0));
  for (std::size_t j = classes; j-- > 0;)
    add_class(knapsack.worth(j), knapsack.options(j), rows[j + 1], &rows[j]);
  std::vector<int> choice;
  auto left = room;
  for (std::size_t j = 0; j < classes; ++j) {
    auto const* worth = knapsack.worth(j);
    // The same sum as above, so that the comparison is exact.
    std::size_t c = 0;
    while (rows[j + 1][left - c] + worth[c] != rows[j][left]) ++c;
    choice.push_back(static_cast<int>(c));
    left -= c;
  }
  return choice;
}

double worth_of(Knapsack const& knapsack, std::vector<int> const& choice) {
  double sum = 0;
  for (std::size_t j = 0; j < choice.size(); ++j)
    sum += knapsack.worth(j)[choice[j]];
  return sum;
}

}  // namespace gleaner::alloc
