// SPDX-License-Identifier: Apache-2.0
/// The program, column by column, for CBC.
#include "alloc/milp.hh"

#include <coin/Cbc_C_Interface.h>

#include <algorithm>

namespace gleaner::alloc {
namespace {

/// Coefficients of one row.
struct Row {
  std::vector<int> columns;
  std::vector<double> factors;
  void add(int column, double factor) {
    columns.push_back(column);
    factors.push_back(factor);
  }
};

class Program {
 public:
  Program() : model_(Cbc_newModel(), &Cbc_deleteModel) {
    Cbc_setLogLevel(model(), 0);
    Cbc_setObjSense(model(), -1);  // maximise
  }

  Cbc_Model* model() const { return model_.get(); }

  int binary(double worth, double upper = 1) {
    Cbc_addCol(model(), "", 0, upper, worth, true, 0, nullptr, nullptr);
    return columns_++;
  }

  void at_most(Row const& row, double limit) { add(row, 'L', limit); }
  void equal(Row const& row, double value) { add(row, 'E', value); }

 private:
  void add(Row const& row, char sense, double value) {
    Cbc_addRow(model(), "", static_cast<int>(row.columns.size()),
               row.columns.data(), row.factors.data(), sense, value);
  }

  std::unique_ptr<Cbc_Model, void (*)(Cbc_Model*)> model_;
  int columns_ = 0;
};

/// Columns and rows for all trainers of a problem.
class Formulation {
 public:
  Formulation(Problem const& problem, bool cap_change)
      : problem_(problem), cap_change_(cap_change) {
    for (std::size_t j = 0; j < problem.trainers.size(); ++j) add_nodes(j);
    for (NodeIndex n = 0; n < problem.nodes.size(); ++n) {
      Row row;
      for (auto const& columns : x_) row.add(columns[n], 1);
      program_.at_most(row, 1);
    }
    for (std::size_t j = 0; j < problem.trainers.size(); ++j) {
      add_curve(j);
      add_bounds(j);
      add_costs(j);
      forbid_migration(j);
    }
  }

  Result<MilpPlan> solve(std::chrono::milliseconds limit) {
    auto* model = program_.model();
    Cbc_setMaximumSeconds(model, static_cast<double>(limit.count()) / 1000);
    Cbc_setAllowableGap(model, 0);
    Cbc_setAllowableFractionGap(model, 0);
    Cbc_solve(model);
    if (Cbc_isProvenInfeasible(model))
      return Error{Errc::invalid_argument, "no plan obeys the program's rows"};
    double const* solution = Cbc_bestSolution(model);
    if (!solution)
      return Error{Errc::timed_out, "CBC found no plan within the limit"};
    return MilpPlan{read_plan(solution), Cbc_isProvenOptimal(model) != 0};
  }

 private:
  double nodes() const { return static_cast<double>(problem_.nodes.size()); }

  /// Σ_n x_jn, times `factor`.
  Row count(std::size_t j, double factor) const {
    Row row;
    for (int const column : x_[j]) row.add(column, factor);
    return row;
  }

  /// x_jn; 0 where the hole is too short to be lent again.
  void add_nodes(std::size_t j) {
    auto const& trainer = problem_.trainers[j];
    std::vector<char> has(problem_.nodes.size(), 0);
    for (auto const n : trainer.nodes) has[n] = 1;
    auto& columns = x_.emplace_back();
    for (NodeIndex n = 0; n < problem_.nodes.size(); ++n) {
      auto const hole_s = problem_.nodes[n].hole_s;
      bool const is_short = hole_s && *hole_s < problem_.hole_s_min;
      columns.push_back(program_.binary(0, is_short && !has[n] ? 0 : 1));
    }
    has_.push_back(std::move(has));
  }

  /// w_ji, SOS2 in the publications.  n_j is whole and each of its values is a
  /// point, so exactly one w_ji is 1; saying so spares CBC 2.10 its SOS
  /// branching, which crashes on some of these programs.
  void add_curve(std::size_t j) {
    auto const& trainer = problem_.trainers[j];
    Row same = count(j, -1), one;
    auto const point = [&](int k) {
      double const speed =
          k == 0 ? 0 : trainer.speed[static_cast<std::size_t>(k)];
      int const w = program_.binary(problem_.forward_looking_s * speed);
      same.add(w, k);
      one.add(w, 1);
    };
    point(0);
    for (int k = std::max(1, trainer.nodes_min); k <= trainer.nodes_max; ++k)
      point(k);
    program_.equal(one, 1);
    program_.equal(same, 0);
  }

  /// y_j.
  void add_bounds(std::size_t j) {
    auto const& trainer = problem_.trainers[j];
    int const y = program_.binary(0);
    auto least = count(j, -1), most = count(j, 1);
    least.add(y, std::max(1, trainer.nodes_min));
    most.add(y, -trainer.nodes_max);
    program_.at_most(least, 0);
    program_.at_most(most, 0);
  }

  /// u_j and v_j.
  void add_costs(std::size_t j) {
    auto const& trainer = problem_.trainers[j];
    auto const now = static_cast<int>(trainer.nodes.size());
    int const charged = std::min(now, trainer.nodes_max);
    double const speed = charged < std::max(1, trainer.nodes_min)
                             ? 0
                             : trainer.speed[static_cast<std::size_t>(charged)];
    auto more = count(j, 1), fewer = count(j, -1);
    more.add(program_.binary(-speed * trainer.expand_s), -nodes());
    fewer.add(program_.binary(-speed * trainer.shrink_s), -nodes());
    program_.at_most(more, now);
    program_.at_most(fewer, -now);
  }

  /// g_j.  D_j = C_j + Σ_n (1 − 2 c_jn) x_jn.
  void forbid_migration(std::size_t j) {
    double const big = cap_change_ ? nodes() + 1 : 2 * nodes();
    auto const now = static_cast<double>(problem_.trainers[j].nodes.size());
    int const g = program_.binary(0);
    Row grown, shrunk;
    for (NodeIndex n = 0; n < problem_.nodes.size(); ++n) {
      double const distance = has_[j][n] ? -1 : 1;
      grown.add(x_[j][n], distance - 1);
      shrunk.add(x_[j][n], distance + 1);
    }
    grown.add(g, big);
    shrunk.add(g, -big);
    program_.at_most(grown, big - 2 * now);
    program_.at_most(shrunk, 0);
  }

  Plan read_plan(double const* solution) const {
    Plan plan(x_.size());
    for (std::size_t j = 0; j < x_.size(); ++j) {
      auto const gets = [&](NodeIndex n) { return solution[x_[j][n]] > 0.5; };
      for (auto const n : problem_.trainers[j].nodes)
        if (gets(n)) plan[j].push_back(n);
      for (NodeIndex n = 0; n < problem_.nodes.size(); ++n)
        if (!has_[j][n] && gets(n)) plan[j].push_back(n);
    }
    return plan;
  }

  Problem const& problem_;
  bool cap_change_;
  Program program_;
  std::vector<std::vector<int>> x_;     // [trainer][node]
  std::vector<std::vector<char>> has_;  // c_jn
};

class Milp final : public Allocator {
 public:
  explicit Milp(bool cap_change) : cap_change_(cap_change) {}
  Result<Decision> allocate(Problem const& problem,
                            std::chrono::milliseconds limit) override {
    auto solved = solve_milp(problem, cap_change_, limit);
    if (!solved) return solved.error();
    return Decision{std::move(solved->plan)};
  }

 private:
  bool cap_change_;
};

}  // namespace

Result<MilpPlan> solve_milp(Problem const& problem, bool cap_change,
                            std::chrono::milliseconds limit) {
  if (problem.nodes.empty() || problem.trainers.empty())
    return MilpPlan{Plan(problem.trainers.size()), true};
  return Formulation(problem, cap_change).solve(limit);
}

Result<std::unique_ptr<Allocator>> make_milp(AllocatorOptions const& options) {
  return {std::make_unique<Milp>(options.cap_change)};
}

}  // namespace gleaner::alloc
