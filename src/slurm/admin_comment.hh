// SPDX-License-Identifier: Apache-2.0
/// How is a job marked as Gleaner's?  By the text in its admin_comment.
///
/// job_submit_gleaner writes it, users cannot.  Readers of Slurm's job list
/// find trainers and leases by it.  The forms are:
///     gleaner:trainer nodes=2-16 lease=--gres=gpu:4 --constraint=a100
///     gleaner:trainer nodes=2-16 weight=4 deadline=1772600000 lease=
///     gleaner:lease trainer=1234 ticket=90ab12cd34ef5678
///     gleaner:lease trainer=1234 ticket=90ab12cd34ef5678 part=1
///     gleaner:notice
/// The last is a rigid job whose begin time is ours (arrival_notice_s).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/cluster.hh"

namespace gleaner::slurm {

/// The mark of a base job.
struct TrainerMark {
  int nodes_min = 1;
  int nodes_max = 1;
  std::string lease_template;  ///< srun options, separated by one space
  double weight = 1;           ///< among its user's trainings
  TimeS deadline_s = 0;        ///< 0: none
  bool operator==(TrainerMark const&) const = default;
};

/// The mark of a lease.
struct LeaseMark {
  JobId trainer = 0;
  std::string ticket;  ///< nonce of the ticket that admitted it
  std::optional<int> part = std::nullopt;  ///< none: the whole node
  bool operator==(LeaseMark const&) const = default;
};

inline constexpr std::string_view notice_mark = "gleaner:notice";
/// A begin time this long after the submission (s) is not that of a notice.
inline constexpr double notice_s_most = 15;

std::string to_text(TrainerMark const& mark);
std::string to_text(LeaseMark const& mark);

/// Read a mark; none when the text is anything else.
std::optional<TrainerMark> parse_trainer_mark(std::string_view text);
std::optional<LeaseMark> parse_lease_mark(std::string_view text);

}  // namespace gleaner::slurm
