// SPDX-License-Identifier: Apache-2.0
/// Asking slurmctld for what changed since it was last asked.
#include "slurm/load.hh"

#include <algorithm>
#include <cerrno>
#include <utility>

#include "slurm/backfill_cycles.hh"
#include "slurm/plan_memory.hh"
#include "slurm/records.hh"
#include "slurm/snapshot_memory.hh"

namespace gleaner::slurm {
namespace {

/// Hidden partitions too, but this cluster only.
constexpr std::uint16_t show_all = SHOW_ALL | SHOW_LOCAL;

/// How often to ask whether backfill has ended a cycle.
constexpr double cycles_gap_s = 2;

/// Largest age of the known waiting jobs, even if nothing changed.
constexpr double jobs_age_s_max = 30;

enum class Answer { changed, unchanged };

/// Frees one of Slurm's answers.
template <class Message>
using Owned = std::unique_ptr<Message, void (*)(Message*)>;

/// Call one of the slurm_load functions: `ask(&message)`.
template <class Message, class Ask>
Result<Answer> ask_slurm(char const* what, Owned<Message>* into, Ask ask) {
  Message* message = nullptr;
  errno = 0;
  if (ask(&message) == SLURM_SUCCESS && message) {
    into->reset(message);
    return Answer::changed;
  }
  int const code = errno;
  if (code == SLURM_NO_CHANGE_IN_DATA) return Answer::unchanged;
  return Error{Errc::unavailable, std::string("cannot load ") + what + " (" +
                                      slurm_strerror(code) + ")"};
}

class SlurmSource final : public SnapshotSource {
 public:
  SlurmSource(SnapshotOptions options, ReadTableTimes times)
      : options_(std::move(options)), read_times_(std::move(times)) {}

  Change change(TimeS now_s) const override;
  Result<Loaded> load(TimeS now_s) override;

 private:
  bool needs_detail() const;
  bool may_be_planned_again(TimeS now_s) const;
  bool planned_again(TimeS now_s);
  bool is_time_for_jobs(TimeS now_s) const;
  Result<void> load_tables(TimeS now_s);
  Result<Answer> load_nodes();
  Result<Answer> load_jobs(TimeS now_s);
  Result<Answer> load_partitions();
  Result<Answer> load_reservations();
  template <class Load>
  Result<void> refresh(KnownTable* table, time_t TableTimes::*changed,
                       Load load);

  SnapshotOptions options_;
  ReadTableTimes read_times_;
  TableTimes changed_;  ///< as read before this load(); unused without reading
  ClusterRecords records_;
  TextMemory texts_;
  SnapshotMemory memory_;
  PlanMemory plans_;
  Snapshot snapshot_;
  /// Records have changed since snapshot_ was made; also in a load() that
  /// failed later on.
  bool stale_ = false;
  bool nodes_detail_ = false;  ///< nodes_ were asked for with the GRES in use
  KnownTable nodes_, jobs_, partitions_, reservations_;
  TimeS jobs_loaded_s_ = 0;
  bool any_waits_ = false;  ///< any job, whatever for
  TimeS cycles_asked_s_ = 0;
  std::uint32_t cycles_ = 0;  ///< of backfill, when last asked
};

/// Some waiting jobs become eligible by the clock alone.
bool SlurmSource::is_time_for_jobs(TimeS now_s) const {
  auto const& coming = snapshot_.coming;
  return (!coming.empty() && now_s >= coming.front().eligible_s) ||
         (any_waits_ && now_s >= jobs_loaded_s_ + jobs_age_s_max);
}

/// Backfill plans jobs without touching the time of the last change of jobs.
bool SlurmSource::may_be_planned_again(TimeS now_s) const {
  return !snapshot_.pending.empty() && now_s >= cycles_asked_s_ + cycles_gap_s;
}

Change SlurmSource::change(TimeS now_s) const {
  if (!read_times_) return Change::sure;
  auto const times = read_times_();
  auto const most = std::max({nodes_.since(times.nodes, now_s),
                              jobs_.since(times.jobs, now_s),
                              partitions_.since(times.partitions, now_s),
                              reservations_.since(times.reservations, now_s)});
  if (stale_ || is_time_for_jobs(now_s)) return Change::sure;
  return most == Change::none && may_be_planned_again(now_s) ? Change::maybe
                                                             : most;
}

Result<Loaded> SlurmSource::load(TimeS now_s) {
  if (auto done = load_tables(now_s); !done) return done.error();
  bool changed = stale_;
  if (stale_) {
    // Slurm counts time in seconds, so it answers "changed" a while too long;
    // and what changed may be nothing to us.
    auto next = make_snapshot(records_, options_, snapshot_.time_s, &memory_);
    next.backfill_s = snapshot_.backfill_s;
    changed = next != snapshot_;
    snapshot_ = std::move(next);
    snapshot_.backfill_s = records_.backfill_s;
    stale_ = false;
  }
  snapshot_.time_s = now_s;
  return Loaded{snapshot_, changed};
}

Result<void> SlurmSource::load_tables(TimeS now_s) {
  if (read_times_) changed_ = read_times_();
  if (auto done = refresh(&partitions_, &TableTimes::partitions,
                          [&] { return load_partitions(); });
      !done)
    return done;
  if (auto done = refresh(&reservations_, &TableTimes::reservations,
                          [&] { return load_reservations(); });
      !done)
    return done;
  // Nodes before jobs: a job that starts in between is then seen on a node
  // still called idle, which makes it no hole.  The other way round the node
  // of a lease that has just begun would look held by nobody known.
  if (needs_detail() != nodes_detail_) nodes_.forget();
  if (auto done =
          refresh(&nodes_, &TableTimes::nodes, [&] { return load_nodes(); });
      !done)
    return done;
  if (is_time_for_jobs(now_s) || planned_again(now_s)) jobs_.forget();
  return refresh(&jobs_, &TableTimes::jobs, [&] { return load_jobs(now_s); });
}

/// Load a table unless it is known to be as it was.
template <class Load>
Result<void> SlurmSource::refresh(KnownTable* table,
                                  time_t TableTimes::*changed, Load load) {
  if (read_times_ && table->since(changed_.*changed, 0) == Change::none)
    return {};
  auto const answer = load();
  if (!answer) return answer.error();
  stale_ |= *answer == Answer::changed;
  return {};
}

/// Has a backfill cycle ended since this was asked last?
bool SlurmSource::planned_again(TimeS now_s) {
  if (!may_be_planned_again(now_s)) return false;
  cycles_asked_s_ = now_s;
  auto const cycles = backfill_cycles();
  bool const again = !cycles || *cycles != cycles_;
  if (cycles) cycles_ = *cycles;
  return again;
}

/// Which GRES jobs use Slurm tells only when asked for details, which cost it
/// half as much again at 10,000 nodes (25.11).  They say whether a waiting job
/// fits beside those that run, which matters where a lease could be taken back.
bool SlurmSource::needs_detail() const {
  bool const used = !snapshot_.trainers.empty() || !snapshot_.leases.empty();
  return used && std::any_of(records_.nodes.begin(), records_.nodes.end(),
                             [](auto& node) { return !node.gres.empty(); });
}

Result<Answer> SlurmSource::load_nodes() {
  nodes_detail_ = needs_detail();
  auto const flags =
      static_cast<std::uint16_t>(show_all | (nodes_detail_ ? SHOW_DETAIL : 0));
  Owned<node_info_msg_t> message(nullptr, slurm_free_node_info_msg);
  auto answer = ask_slurm("nodes", &message, [&](node_info_msg_t** into) {
    return slurm_load_node(nodes_.as_of(), into, flags);
  });
  if (!answer || *answer == Answer::unchanged) return answer;
  nodes_.loaded(message->last_update, changed_.nodes);
  records_.nodes.resize(message->record_count);
  std::size_t count = 0;
  for (std::uint32_t i = 0; i < message->record_count; ++i)
    if (message->node_array[i].name)  // NULL: a node that is no more
      read_node(message->node_array[i], &records_.nodes[count++]);
  records_.nodes.resize(count);
  return answer;
}

Result<Answer> SlurmSource::load_jobs(TimeS now_s) {
  Owned<job_info_msg_t> message(nullptr, slurm_free_job_info_msg);
  auto answer = ask_slurm("jobs", &message, [&](job_info_msg_t** into) {
    return slurm_load_jobs(jobs_.as_of(), into, show_all);
  });
  if (!answer || *answer == Answer::unchanged) return answer;
  jobs_.loaded(message->last_update, changed_.jobs);
  records_.backfill_s = static_cast<TimeS>(message->last_backfill);
  records_.jobs.clear();
  for (std::uint32_t i = 0; i < message->record_count; ++i) {
    auto record = record_of(message->job_array[i], now_s, &texts_);
    if (record.state != JobRecord::State::over || record.preempted)
      records_.jobs.push_back(std::move(record));
  }
  texts_.forget_unused();
  jobs_loaded_s_ = now_s;
  any_waits_ = std::any_of(
      records_.jobs.begin(), records_.jobs.end(),
      [](auto& job) { return job.state == JobRecord::State::pending; });
  plans_.restore(&records_);
  return answer;
}

Result<Answer> SlurmSource::load_partitions() {
  Owned<partition_info_msg_t> message(nullptr, slurm_free_partition_info_msg);
  auto answer =
      ask_slurm("partitions", &message, [&](partition_info_msg_t** into) {
        return slurm_load_partitions(partitions_.as_of(), into, show_all);
      });
  if (!answer || *answer == Answer::unchanged) return answer;
  partitions_.loaded(message->last_update, changed_.partitions);
  records_.partitions.clear();
  for (std::uint32_t i = 0; i < message->record_count; ++i)
    records_.partitions.push_back(record_of(message->partition_array[i]));
  return answer;
}

Result<Answer> SlurmSource::load_reservations() {
  Owned<reserve_info_msg_t> message(nullptr, slurm_free_reservation_info_msg);
  auto answer =
      ask_slurm("reservations", &message, [&](reserve_info_msg_t** into) {
        return slurm_load_reservations(reservations_.as_of(), into);
      });
  if (!answer || *answer == Answer::unchanged) return answer;
  reservations_.loaded(message->last_update, changed_.reservations);
  records_.reservations.clear();
  for (std::uint32_t i = 0; i < message->record_count; ++i)
    records_.reservations.push_back(record_of(message->reservation_array[i]));
  return answer;
}

}  // namespace

std::unique_ptr<SnapshotSource> make_slurm_source(SnapshotOptions options,
                                                  ReadTableTimes times) {
  return std::make_unique<SlurmSource>(std::move(options), std::move(times));
}

}  // namespace gleaner::slurm
