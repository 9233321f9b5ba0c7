// SPDX-License-Identifier: Apache-2.0
/// What gleanerd asks Slurm to do: end leases, look jobs up, keep the
/// reservation; and whether slurm.conf lets leases work.
///
/// Calls block for one or two RPCs (milliseconds; MessageTimeout when slurmctld
/// hangs).  They need operator rights: SlurmUser or root.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/cluster.hh"
#include "core/config.hh"
#include "core/result.hh"
#include "slurm/snapshot.hh"

namespace gleaner::slurm {

/// One thing looked at in the site's configuration, and what to do about it.
struct Finding {
  enum class Severity {
    ok,
    warn,    ///< leases get slow, or rare
    refuse,  ///< there would be no leases, or other people's jobs would suffer
  } severity = Severity::ok;
  std::string setting;  ///< "PreemptType", "QOS gleaner", "clocks"
  std::string what;     ///< a sentence that quotes the value and says why
  std::string remedy;   ///< the line to write, or the command; "" with ok

  /// "what [remedy]"
  std::string text() const {
    return remedy.empty() ? what : what + " [" + remedy + "]";
  }
};

/// What slurm.conf means for us.
struct SlurmSetup {
  std::string version;            ///< slurmctld's, "22.05.8"
  bool guarded = false;           ///< job_submit_gleaner is loaded
  bool licensed = false;          ///< the licence of our reservation exists
  NodeSet nodes;                  ///< of the lease partition
  double preempt_again_s = 40;    ///< KillWait + MessageTimeout
  std::string default_partition;  ///< of jobs that name none
  double bf_interval_s = 30;      ///< between two cycles of backfill
  bool counts_memory = true;      ///< jobs are allocated memory
  std::string plugin_dirs;        ///< PluginDir: "a:b"
  std::vector<Finding> findings;  ///< in the order of the checks

  /// Must nothing be lent?
  bool refuses() const;
};

/// "ok", "warn", "refuse"
char const* name_of(Finding::Severity severity);

class SlurmControl {
 public:
  virtual ~SlurmControl() = default;

  /// End leases at once (end_leases.hh).
  virtual Result<void> end_leases(std::vector<JobId> const& jobs) = 0;

  /// One job.  Fails with not_found once Slurm has forgotten it, with
  /// unavailable when slurmctld does not answer.
  virtual Result<JobRecord> job(JobId job) = 0;

  /// Let a running lease end `minutes` after its start.
  virtual Result<void> set_time_limit(JobId job, int minutes) = 0;

  /// Take the begin time of a pending job away.  Success if it has begun.
  virtual Result<void> begin_now(JobId job) = 0;

  /// Make the reservation if it is not there or ends within a day.  To be
  /// called only while check() says guarded and licensed: without the guard
  /// any user could enter it.  Fails with unavailable, quoting Slurm.
  virtual Result<void> keep_reservation() = 0;

  /// Remove the reservation; success when there is none.
  virtual Result<void> remove_reservation() = 0;

  /// Look at slurm.conf, as slurmctld has it now.
  virtual Result<SlurmSetup> check() = 0;
};

/// The real one.  Uses lease_partition, head_partition, reservation and
/// licence of the configuration.  init_libslurm() comes first.
std::unique_ptr<SlurmControl> make_slurm_control(Config const& config);

/// To be called once, by a program (not a plugin), before anything else here;
/// reads slurm.conf ($SLURM_CONF).  libslurm ends the process when there is
/// none, so this looks first.  Fails with io, naming the file.
Result<void> init_libslurm();

}  // namespace gleaner::slurm
