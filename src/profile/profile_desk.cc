// SPDX-License-Identifier: Apache-2.0
/// Value against cost for a few sizes of each training, at times.
#include "profile/profile_desk.hh"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <set>

#include "profile/visit_worth.hh"

namespace gleaner::profile {
namespace {

/// So many measured steps tell how fast a size is.
constexpr std::uint64_t steps_enough = 20;
/// A visit may take so many times what it should.
constexpr double late_factor = 3;
/// A hole has to last so many times what a visit should take.
constexpr double hole_factor = 1.5;
/// A size whose interval is narrower is known.
constexpr double known_factor = 1.06;
/// What a job record in slurmctld counts, in node-seconds.
constexpr double lease_node_s = 5;

/// What has lasted t is expected to last t more, between these.
constexpr double remaining_s_min = 600;
constexpr double remaining_s_max = 86400;
/// Of a family no more than so many gain: the others learn by themselves.
constexpr int alike_most = 8;

constexpr double look_every_s = 240;
constexpr double look_again_s = 1200;
constexpr double interrupted_wait_s = 60;
constexpr int doublings_waited_most = 5;
/// Trainings that are looked at in one update: each costs milliseconds.
constexpr int looks_most = 4;

std::string in_words(char const* format, double a, double b = 0) {
  char text[160];
  std::snprintf(text, sizeof text, format, a, b);
  return text;
}

/// Sizes to be looked at, largest first.
std::vector<int> ladder(int nodes, int least, int most) {
  std::set<int, std::greater<>> sizes;
  for (double const factor : {2.0, 1.5, 0.75, 0.5, 0.25})
    sizes.insert(static_cast<int>(std::lround(nodes * factor)));
  sizes.insert(nodes + 1);
  sizes.insert(nodes - 1);
  sizes.erase(nodes);
  std::erase_if(sizes, [&](int k) { return k < least || k > most; });
  return {sizes.begin(), sizes.end()};
}

int lent_nodes(ProfileDesk::Present const& present) {
  int nodes = 0;
  for (auto const& subject : present.subjects) nodes += subject.nodes;
  return nodes;
}

std::map<std::string, int> user_nodes(ProfileDesk::Present const& present) {
  std::map<std::string, int> nodes;
  for (auto const& subject : present.subjects)
    nodes[subject.user] += subject.nodes;
  return nodes;
}

NodeMarket make_market(ProfileDesk::Present const& present) {
  std::vector<NodeMarket::Holder> holders;
  std::map<std::string, int> users;
  for (auto const& subject : present.subjects) {
    int const user = users.emplace(subject.user, static_cast<int>(users.size()))
                         .first->second;
    // Beyond four times what it has nobody sells to it in one step.
    int const most = std::min(subject.nodes_max, 4 * subject.nodes);
    holders.push_back({subject.nodes_min, subject.nodes,
                       relative_speed(subject.advisor->advise(most)).mean,
                       user});
  }
  return {holders, present.spare};
}

double remaining_s(Subject const& subject) {
  return std::clamp(subject.trained_s, remaining_s_min, remaining_s_max);
}

bool is_measured_on(Subject const& subject, int nodes) {
  return subject.members_nodes == nodes && subject.steps >= steps_enough;
}

}  // namespace

std::vector<VisitEnd> ProfileDesk::update(Present const& present) {
  int const nodes = lent_nodes(present);
  // Since the last update as many were lent as there were then.
  if (earned_until_s_)
    budget_.earn(lent_nodes_ * std::max(0.0, present.now_s - *earned_until_s_));
  earned_until_s_ = present.now_s;
  lent_nodes_ = nodes;
  auto ended = end_visits(present);
  forget_gone(present);
  if (budget_.share() <= 0 || present.subjects.size() < 2) return ended;
  // Making the market costs more than to see that nobody is due.
  bool const all_measured = all_are_measured(present);
  std::vector<std::size_t> due;
  for (std::size_t i = 0; i < present.subjects.size(); ++i) {
    auto const& subject = present.subjects[i];
    if (static_cast<int>(due.size()) < looks_most &&
        is_due(subject, records_[subject.id], present.now_s, all_measured) &&
        !is_family_visited(present, subject))
      due.push_back(i);
  }
  if (due.empty()) return ended;
  auto const market = make_market(present);
  std::optional<Visit> best;
  std::string user;
  for (auto const i : due) {
    auto const& subject = present.subjects[i];
    auto& record = records_[subject.id];
    record.looked_at_nodes = subject.nodes;
    record.looked_at_steps = subject.steps;
    record.all_were_measured = all_measured;
    auto const visit = best_visit(present, i, market, &record);
    record.looked_at_s = present.now_s;
    if (!visit) record.below = 0;
    if (!visit || (best && visit->gain_node_s() <= best->gain_node_s()))
      continue;
    best = visit;
    user = subject.user;
  }
  if (!best) return ended;
  budget_.spend(user, best->charged_node_s);
  users_[best->id] = user;
  records_[best->id].why =
      in_words("on %.0f nodes now", best->nodes) +
      in_words("; knowing may gain %.0f node-seconds, and costs %.0f",
               best->value_node_s, best->cost_node_s);
  visits_[best->id] = *best;
  return ended;
}

std::vector<VisitEnd> ProfileDesk::end_visits(Present const& present) {
  std::vector<VisitEnd> ended;
  auto const visits = visits_;
  for (auto const& [id, visit] : visits) {
    auto const subject =
        std::find_if(present.subjects.begin(), present.subjects.end(),
                     [&](auto const& s) { return s.id == visit.id; });
    if (subject == present.subjects.end())
      ended.push_back(end(visit, VisitEnd::How::interrupted, present.now_s));
    else if (is_measured_on(*subject, visit.nodes))
      ended.push_back(end(visit, VisitEnd::How::measured, present.now_s));
    else if (present.now_s >= visit.until_s)
      ended.push_back(end(visit, VisitEnd::How::late, present.now_s));
  }
  return ended;
}

VisitEnd ProfileDesk::end(Visit const& visit, VisitEnd::How how, double now_s) {
  VisitEnd const result{visit, how};
  auto& record = records_[visit.id];
  if (how == VisitEnd::How::measured) {
    ++record.visited;
    record.below = visit.nodes;
    record.unfinished = record.interrupted = 0;
    record.not_before_s = now_s;
    record.why = in_words("on %.0f nodes, which took %.0f s", visit.nodes,
                          now_s - visit.since_s);
    record.last_visit = record.why;
  } else {
    record.below = 0;
    record.unfinished = visit.nodes;
    record.interrupted =
        std::min(record.interrupted + 1, doublings_waited_most);
    record.not_before_s =
        now_s + interrupted_wait_s * std::exp2(record.interrupted - 1);
    record.why =
        in_words("interrupted on %.0f nodes; goes on in %.0f s or later",
                 visit.nodes, record.not_before_s - now_s);
  }
  // One that no plan granted cost nothing; one that took longer cost more.
  double const took_s = now_s - visit.since_s;
  double const node_s =
      took_s > 0 ? std::max(visit.charged_node_s,
                            took_s * std::abs(visit.nodes - visit.home))
                 : 0;
  budget_.spend(users_[visit.id], node_s - visit.charged_node_s);
  users_.erase(visit.id);
  visits_.erase(visit.id);
  return result;
}

std::optional<VisitEnd> ProfileDesk::interrupt(std::string const& id,
                                               double now_s) {
  auto const found = visits_.find(id);
  if (found == visits_.end()) return std::nullopt;
  auto const visit = found->second;
  return end(visit, VisitEnd::How::interrupted, now_s);
}

void ProfileDesk::forget_gone(Present const& present) {
  std::set<std::string> here;
  for (auto const& subject : present.subjects) here.insert(subject.id);
  std::erase_if(records_,
                [&](auto const& entry) { return !here.count(entry.first); });
}

/// Each at the size that the plan gives it, or away to be measured.
bool ProfileDesk::all_are_measured(Present const& present) const {
  return std::all_of(present.subjects.begin(), present.subjects.end(),
                     [&](auto const& subject) {
                       return subject.nodes < 1 || visits_.count(subject.id) ||
                              is_measured_on(subject, subject.nodes);
                     });
}

bool ProfileDesk::is_due(Subject const& subject, Record const& record,
                         double now_s, bool all_are_measured) const {
  if (visits_.count(subject.id) || subject.nodes < 1) return false;
  // Its own size comes first: that costs nothing.
  if (subject.steps < steps_enough) return false;
  if (now_s < record.not_before_s) return false;
  if (record.unfinished || record.below || !record.looked_at_s) return true;
  // The look before was at guesses of what others would lose.
  if (all_are_measured && !record.all_were_measured) return true;
  bool const is_new = subject.nodes != record.looked_at_nodes ||
                      subject.steps >= 4 * record.looked_at_steps;
  return now_s - *record.looked_at_s >= (is_new ? look_every_s : look_again_s);
}

/// One of a family is enough: the others learn from it.
bool ProfileDesk::is_family_visited(Present const& present,
                                    Subject const& subject) const {
  if (subject.family.empty()) return false;
  return std::any_of(
      present.subjects.begin(), present.subjects.end(), [&](auto const& other) {
        return other.family == subject.family && visits_.count(other.id);
      });
}

/// What is the same for all sizes of one training.
struct ProfileDesk::Terms {
  Subject const& subject;
  Choices choices;
  Advice advice;
  RelativeSpeed speed = {};
  std::vector<double> own_losses = {};  ///< of the user's other trainings
  int fair_most = 0;  ///< beyond it nobody else gives a node for a visit
  int nodes = 0;      ///< that are lent
  int users = 1;
  double for_s = 0;  ///< times alike trainings
};

ProfileDesk::Terms ProfileDesk::terms(Present const& present, std::size_t who,
                                      NodeMarket const& market) const {
  auto const& subject = present.subjects[who];
  int const most = std::min(subject.nodes_max, 4 * subject.nodes);
  Terms terms{
      subject,
      {subject.nodes_min, most, subject.nodes,
       market.losses(who, NodeMarket::Of::everybody), market.gains(who)},
      subject.advisor->advise(most)};
  terms.speed = relative_speed(terms.advice);
  terms.own_losses = market.losses(who, NodeMarket::Of::user);
  auto const by_user = user_nodes(present);
  terms.nodes = lent_nodes(present);
  terms.users = static_cast<int>(by_user.size());
  terms.fair_most = (terms.nodes + present.spare) / terms.users -
                    by_user.at(subject.user) + subject.nodes;
  int alike = 0;
  for (auto const& other : present.subjects)
    alike += !subject.family.empty() && other.family == subject.family;
  terms.for_s = remaining_s(subject) * std::clamp(alike, 1, alike_most);
  return terms;
}

/// What a visit to `k` nodes costs, and when it has to be over; nothing where
/// it cannot be made, and `why`.
std::optional<Visit> ProfileDesk::feasible(Terms const& terms, int k,
                                           double now_s,
                                           std::string* why) const {
  auto const& subject = terms.subject;
  int const home = subject.nodes;
  bool const grows = k > home;
  auto const moved = static_cast<std::size_t>(std::abs(k - home));
  bool const is_fair = k <= terms.fair_most;
  auto const& losses = is_fair ? terms.choices.losses : terms.own_losses;
  if (grows && moved >= losses.size()) {
    *why = "no, a larger size would take a node that another training needs";
    return std::nullopt;
  }
  double const takes_s =
      subject.measured_in_s + (grows ? subject.costs.start_s : 0);
  if (subject.hole_s < hole_factor * takes_s) {
    *why = in_words("no, the hole ends in %.0f s, and measuring takes %.0f s",
                    subject.hole_s, takes_s);
    return std::nullopt;
  }
  auto const& mean = terms.speed.mean;
  double const here = mean[static_cast<std::size_t>(home)];
  double const lost =
      grows ? losses[moved] : here - mean[static_cast<std::size_t>(k)];
  double const gone_s = takes_s + subject.costs.start_s;
  double const leases = static_cast<double>((grows ? 2 : 1) * moved);
  Visit visit{subject.id, k, home, now_s};
  visit.until_s =
      now_s + std::min(late_factor * takes_s, subject.hole_s - takes_s / 4);
  visit.cost_node_s = gone_s * std::max(lost, 0.0) + leases * lease_node_s +
                      (subject.costs.expand_s + subject.costs.shrink_s) * here;
  visit.charged_node_s =
      std::max(visit.cost_node_s, gone_s * static_cast<double>(moved));
  visit.by_own_nodes = grows && !is_fair;
  if (budget_.allows(subject.user, visit.charged_node_s, terms.nodes,
                     terms.users))
    return visit;
  *why = "no, the budget is used up for now";
  return std::nullopt;
}

std::optional<Visit> ProfileDesk::best_visit(Present const& present,
                                             std::size_t who,
                                             NodeMarket const& market,
                                             Record* record) const {
  auto const now = terms(present, who, market);
  auto const& choices = now.choices;
  record->why = "no, sizes near its own are known well enough";
  if (now.speed.mean.empty()) return std::nullopt;
  std::optional<Visit> best;
  for (int const k :
       ladder(choices.nodes, choices.nodes_min, choices.nodes_max)) {
    auto const at = static_cast<std::size_t>(k);
    if (record->below && k >= record->below) continue;
    if (record->unfinished && k != record->unfinished) continue;
    if (now.advice.high[at] < known_factor * now.advice.low[at]) continue;
    std::string why;
    auto visit = feasible(now, k, present.now_s, &why);
    if (visit) {
      visit->value_node_s =
          now.for_s *
          knowledge_gain(choices, now.speed,
                         now.subject.advisor->outlook(k, choices.nodes_max));
      if (visit->value_node_s <= visit->cost_node_s) {
        why = in_words(
            "no, it does not pay: %.0f node-seconds may be gained, for %.0f",
            visit->value_node_s, visit->cost_node_s);
        // It is not to be made any more.
        record->unfinished = 0;
        visit.reset();
      }
    }
    if (!visit)
      record->why = std::move(why);
    else if (!best || visit->gain_node_s() > best->gain_node_s())
      best = visit;
  }
  return best;
}

std::string ProfileDesk::why(std::string const& id) const {
  if (budget_.share() <= 0) return "no, profile_share is 0 in gleaner.yaml";
  auto const found = records_.find(id);
  if (found == records_.end() || found->second.why.empty())
    return "not yet: first it is measured at its own size, and there has to be "
           "another training";
  auto const& record = found->second;
  if (record.last_visit.empty() || record.last_visit == record.why)
    return record.why;
  return record.why + "; before: " + record.last_visit;
}

}  // namespace gleaner::profile
