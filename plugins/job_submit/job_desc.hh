// SPDX-License-Identifier: Apache-2.0
/// Between Slurm's job_desc_msg_t and ours: reading a request, and writing
/// what a base job or a lease has to be.
#pragma once

#include <slurm/slurm.h>

#include <string>

#include "core/config.hh"
#include "plugins/job_submit/job_request.hh"
#include "plugins/job_submit/our_names.hh"
#include "proto/ticket.hh"
#include "slurm/admin_comment.hh"

namespace gleaner::job_submit {

JobRequest read_request(job_desc_msg_t const& desc, Uid submitter);

/// Where the request may name what is ours.  Views of `desc`'s strings.
NamedPlaces places_of(job_desc_msg_t const& desc) noexcept;

/// Did the user say --malleable?
bool is_malleable(job_desc_msg_t const& desc) noexcept;

/// One node and one task in the head partition, so much memory, the mark, and
/// nothing left of what the training nodes are to have.
void make_base_job(job_desc_msg_t* desc, slurm::TrainerMark const& mark,
                   Config const& config);

/// Let it begin at `until_s`, marked so that gleanerd may let it begin earlier.
void give_notice(job_desc_msg_t* desc, std::int64_t until_s);

/// The one node of the ticket, all of it, for its minutes, marked as ours.
void make_lease(job_desc_msg_t* desc, proto::Ticket const& ticket,
                Config const& config);

}  // namespace gleaner::job_submit
