// SPDX-License-Identifier: Apache-2.0
/// Asking slurmctld for what changed since it was last asked.
#include "slurm/load.hh"

#include <algorithm>
#include <cerrno>
#include <utility>

#include "slurm/plan_memory.hh"
#include "slurm/records.hh"

namespace gleaner {
namespace {

/// Hidden partitions too, but this cluster only.
constexpr std::uint16_t show_all = SHOW_ALL | SHOW_LOCAL;

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
  explicit SlurmSource(SnapshotOptions options)
      : options_(std::move(options)) {}

  Result<Loaded> load(TimeS now_s) override;

 private:
  bool needs_detail() const;
  Result<Answer> load_nodes();
  Result<Answer> load_jobs(TimeS now_s);
  Result<Answer> load_partitions();
  Result<Answer> load_reservations();

  SnapshotOptions options_;
  ClusterRecords records_;
  PlanMemory plans_;
  Snapshot snapshot_;
  /// Records have changed since snapshot_ was made; also in a load() that
  /// failed later on.
  bool stale_ = false;
  time_t nodes_at_ = 0;        ///< as of when we know them; 0: not at all
  bool nodes_detail_ = false;  ///< and with the GRES in use
  time_t jobs_at_ = 0;
  time_t partitions_at_ = 0;
  time_t reservations_at_ = 0;
};

Result<Loaded> SlurmSource::load(TimeS now_s) {
  auto const partitions = load_partitions();
  if (!partitions) return partitions.error();
  stale_ |= *partitions == Answer::changed;
  auto const reservations = load_reservations();
  if (!reservations) return reservations.error();
  stale_ |= *reservations == Answer::changed;
  // Nodes before jobs: a job that starts in between is then seen on a node
  // still called idle, which makes it no hole.  The other way round the node
  // of a lease that has just begun would look held by nobody known.
  auto const nodes = load_nodes();
  if (!nodes) return nodes.error();
  stale_ |= *nodes == Answer::changed;
  auto const jobs = load_jobs(now_s);
  if (!jobs) return jobs.error();
  stale_ |= *jobs == Answer::changed;

  bool changed = stale_;
  if (stale_) {
    // Slurm counts time in seconds, so it answers "changed" a while too long;
    // and what changed may be nothing to us.
    auto next = make_snapshot(records_, options_, snapshot_.time_s);
    next.backfill_s = snapshot_.backfill_s;
    changed = next != snapshot_;
    snapshot_ = std::move(next);
    snapshot_.backfill_s = records_.backfill_s;
    stale_ = false;
  }
  snapshot_.time_s = now_s;
  return Loaded{snapshot_, changed};
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
  bool const detail = needs_detail();
  if (detail != nodes_detail_) nodes_at_ = 0;
  nodes_detail_ = detail;
  auto const flags =
      static_cast<std::uint16_t>(show_all | (detail ? SHOW_DETAIL : 0));
  Owned<node_info_msg_t> message(nullptr, slurm_free_node_info_msg);
  auto answer = ask_slurm("nodes", &message, [&](node_info_msg_t** into) {
    return slurm_load_node(nodes_at_, into, flags);
  });
  if (!answer || *answer == Answer::unchanged) return answer;
  nodes_at_ = message->last_update;
  records_.nodes.clear();
  for (std::uint32_t i = 0; i < message->record_count; ++i)
    if (message->node_array[i].name)  // NULL: a node that is no more
      records_.nodes.push_back(record_of(message->node_array[i]));
  return answer;
}

Result<Answer> SlurmSource::load_jobs(TimeS now_s) {
  // Backfill plans jobs without touching the time of the last change, so "no
  // change" says nothing of plans: while any job waits, ask for everything.
  time_t const since = snapshot_.pending.empty() ? jobs_at_ : 0;
  Owned<job_info_msg_t> message(nullptr, slurm_free_job_info_msg);
  auto answer = ask_slurm("jobs", &message, [&](job_info_msg_t** into) {
    return slurm_load_jobs(since, into, show_all);
  });
  if (!answer || *answer == Answer::unchanged) return answer;
  jobs_at_ = message->last_update;
  records_.backfill_s = static_cast<TimeS>(message->last_backfill);
  records_.jobs.clear();
  for (std::uint32_t i = 0; i < message->record_count; ++i) {
    auto record = record_of(message->job_array[i], now_s);
    if (record.state != JobRecord::State::over || record.preempted)
      records_.jobs.push_back(std::move(record));
  }
  plans_.restore(&records_);
  return answer;
}

Result<Answer> SlurmSource::load_partitions() {
  Owned<partition_info_msg_t> message(nullptr, slurm_free_partition_info_msg);
  auto answer =
      ask_slurm("partitions", &message, [&](partition_info_msg_t** into) {
        return slurm_load_partitions(partitions_at_, into, show_all);
      });
  if (!answer || *answer == Answer::unchanged) return answer;
  partitions_at_ = message->last_update;
  records_.partitions.clear();
  for (std::uint32_t i = 0; i < message->record_count; ++i)
    records_.partitions.push_back(record_of(message->partition_array[i]));
  return answer;
}

Result<Answer> SlurmSource::load_reservations() {
  Owned<reserve_info_msg_t> message(nullptr, slurm_free_reservation_info_msg);
  auto answer =
      ask_slurm("reservations", &message, [&](reserve_info_msg_t** into) {
        return slurm_load_reservations(reservations_at_, into);
      });
  if (!answer || *answer == Answer::unchanged) return answer;
  reservations_at_ = message->last_update;
  records_.reservations.clear();
  for (std::uint32_t i = 0; i < message->record_count; ++i)
    records_.reservations.push_back(record_of(message->reservation_array[i]));
  return answer;
}

}  // namespace

std::unique_ptr<SnapshotSource> make_slurm_source(SnapshotOptions options) {
  return std::make_unique<SlurmSource>(std::move(options));
}

}  // namespace gleaner
