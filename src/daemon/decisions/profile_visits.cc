// SPDX-License-Identifier: Apache-2.0
/// The daemon's trainings in the words of the desk, and its visits as a plan.
#include "daemon/decisions/profile_visits.hh"

#include <algorithm>
#include <limits>

#include "alloc/visiting.hh"

namespace gleaner::daemon {
namespace {

/// Measuring takes some steps, after those that do not count, and what reports
/// them.
constexpr double measured_s_least = 8;
constexpr double measured_steps = 40;

JobId job_of(alloc::Trainer const& trainer) {
  return static_cast<JobId>(std::stoul(trainer.id));
}

profile::Pace const& latest(ScalingProfile const& scaling) {
  return std::max_element(scaling.paces().begin(), scaling.paces().end(),
                          [](auto const& a, auto const& b) {
                            return a.second.generation < b.second.generation;
                          })
      ->second;
}

double hole_s(alloc::Problem const& problem,
              std::vector<alloc::NodeIndex> const& nodes) {
  double least = std::numeric_limits<double>::infinity();
  for (auto const node : nodes)
    least = std::min(least, problem.nodes[node].hole_s.value_or(least));
  return least;
}

profile::Subject subject_of(PlanInput const& input, TrainerEntry const& entry,
                            alloc::Trainer const& trainer) {
  auto const& pace = latest(entry.scaling);
  profile::Subject subject;
  subject.id = trainer.id;
  subject.user = std::to_string(entry.base.uid);
  subject.family = entry.scaling.traits().family;
  if (!subject.family.empty())
    subject.family += "\n" + subject.user + "\n" + entry.base.lease_template;
  subject.advisor = &entry.scaling.advisor();
  subject.nodes_min = trainer.nodes_min;
  subject.nodes_max = trainer.nodes_max;
  subject.members_nodes = pace.nodes;
  subject.steps = pace.steps;
  subject.measured_in_s = measured_s_least + measured_steps * pace.step_s;
  subject.trained_s = input.now - entry.measured_since_s;
  subject.costs = entry.scaling.costs(configured_costs(input.config));
  return subject;
}

profile::ProfileDesk::Present present(PlanInput const& input,
                                      alloc::Problem const& problem,
                                      alloc::Plan const& plan) {
  profile::ProfileDesk::Present present;
  present.now_s = input.now;
  std::size_t planned = 0;
  for (std::size_t i = 0; i < plan.size(); ++i) {
    planned += plan[i].size();
    auto const& trainer = problem.trainers[i];
    auto const* entry = input.roster.find(job_of(trainer));
    if (!entry || !entry->scaling.is_measured()) continue;
    auto subject = subject_of(input, *entry, trainer);
    subject.nodes = static_cast<int>(plan[i].size());
    subject.hole_s = hole_s(problem, plan[i]);
    present.subjects.push_back(std::move(subject));
  }
  present.spare = static_cast<int>(problem.nodes.size() - planned);
  return present;
}

alloc::VisitedSize size_of(profile::Visit const& visit, std::size_t place,
                           PlanInput const& input,
                           alloc::Problem const& problem) {
  alloc::VisitedSize size{place, visit.nodes, {}, visit.until_s - input.now};
  if (!visit.by_own_nodes) return size;
  auto const uid = [&](alloc::Trainer const& trainer) {
    return input.roster.find(job_of(trainer))->base.uid;
  };
  for (auto const& trainer : problem.trainers)
    size.keeps.push_back(uid(trainer) != uid(problem.trainers[place]));
  return size;
}

char const* word(profile::VisitEnd::How how) {
  switch (how) {
    case profile::VisitEnd::How::measured:
      return "measured";
    case profile::VisitEnd::How::interrupted:
      return "interrupted";
    case profile::VisitEnd::How::late:
      break;
  }
  return "late";
}

}  // namespace

void ProfileVisits::configure(Config const& config) {
  // Other policies take speeds to be known.
  bool const heeded =
      config.scaling == Config::Scaling::measured && config.policy == "gleaner";
  desk_.set_share(heeded ? config.profile_share : 0);
}

alloc::Plan ProfileVisits::change(alloc::Plan plan, PlanInput const& input,
                                  alloc::Problem const& problem,
                                  alloc::Allocator& allocator, Actions* out) {
  for (auto const& ended : desk_.update(present(input, problem, plan)))
    record(ended, input.now, out);
  std::vector<alloc::VisitedSize> sizes;
  std::vector<std::string> ids;
  for (std::size_t i = 0; i < problem.trainers.size(); ++i) {
    auto const visit = desk_.visits().find(problem.trainers[i].id);
    if (visit == desk_.visits().end()) continue;
    sizes.push_back(size_of(visit->second, i, input, problem));
    ids.push_back(visit->first);
  }
  if (sizes.empty()) return plan;
  auto visited = alloc::with_visits(std::move(plan), allocator, problem, sizes,
                                    solve_limit);
  for (std::size_t v = 0; v < ids.size(); ++v) {
    if (visited.granted[v]) {
      auto const& visit = desk_.visits().at(ids[v]);
      if (visit.since_s == input.now)
        out->push_back(Record{"profile_begun",
                              {{"job", std::stoul(visit.id)},
                               {"nodes", visit.nodes},
                               {"home", visit.home},
                               {"value_node_s", visit.value_node_s},
                               {"cost_node_s", visit.cost_node_s}}});
    } else if (auto const ended = desk_.interrupt(ids[v], input.now)) {
      record(*ended, input.now, out);
    }
  }
  return std::move(visited.plan);
}

void ProfileVisits::record(profile::VisitEnd const& end, TimeS now,
                           Actions* out) const {
  out->push_back(Record{"profile_ended",
                        {{"job", std::stoul(end.visit.id)},
                         {"nodes", end.visit.nodes},
                         {"how", word(end.how)},
                         {"took_s", now - end.visit.since_s},
                         {"spent_node_s", desk_.budget().spent_node_s()},
                         {"lent_node_s", desk_.budget().lent_node_s()}}});
}

std::string ProfileVisits::why(JobId job) const {
  return desk_.why(std::to_string(job));
}

}  // namespace gleaner::daemon
