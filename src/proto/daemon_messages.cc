// SPDX-License-Identifier: Apache-2.0
/// The fields of gleanerd's messages, in the order they are written.
#include "proto/daemon_messages.hh"

#include "proto/message_codec.hh"
#include "proto/message_limits.hh"

namespace gleaner {

GLEANER_MESSAGE(Resources, FIELD(cpus) FIELD(memory_mb) FIELD(gres))
GLEANER_MESSAGE(NodeKind,
                FIELD(total) FIELD(features) FIELD(partitions) FIELD(nodes)
                    FIELD(threads_per_core) FIELD(parts_max))
GLEANER_MESSAGE(Hole, FIELD(node) FIELD(kind) FIELD(leased) FIELD(end_s)
                          FIELD(planned_job) FIELD(weight))
GLEANER_MESSAGE(NodeUse, FIELD(job) FIELD(each) FIELD(whole) FIELD(time_s))
GLEANER_MESSAGE(SharedNode,
                FIELD(node) FIELD(kind) FIELD(free) FIELD(weight) FIELD(parted)
                    FIELD(running) FIELD(planned) FIELD(reserved_s))
GLEANER_MESSAGE(LeaseJob,
                FIELD(job) FIELD(node) FIELD(uid) FIELD(trainer) FIELD(ticket)
                    FIELD(running) FIELD(start_s) FIELD(limit_s) FIELD(part))
GLEANER_MESSAGE(PreemptedLease, FIELD(job) FIELD(node) FIELD(end_s) FIELD(part))
GLEANER_MESSAGE(PendingJob,
                FIELD(job) FIELD(tasks) FIELD(uid) FIELD(partition)
                    FIELD(priority) FIELD(nodes) FIELD(each) FIELD(gres)
                        FIELD(whole) FIELD(whole_memory) FIELD(constraint)
                            FIELD(reservation) FIELD(required) FIELD(excluded)
                                FIELD(start_s) FIELD(planned) FIELD(eligible_s)
                                    FIELD(on_notice))
GLEANER_MESSAGE(BaseJob, FIELD(job) FIELD(uid) FIELD(name) FIELD(nodes_min)
                             FIELD(nodes_max) FIELD(lease_template)
                                 FIELD(running) FIELD(submit_s) FIELD(account)
                                     FIELD(weight) FIELD(deadline_s))
GLEANER_MESSAGE(Snapshot,
                FIELD(time_s) FIELD(backfill_s) FIELD(nodes_total) FIELD(kinds)
                    FIELD(holes) FIELD(shared) FIELD(leases) FIELD(preempted)
                        FIELD(pending) FIELD(coming) FIELD(trainers)
                            FIELD(reservations))

}  // namespace gleaner

namespace gleaner::proto {

#define GLEANER_SPLICE(T) GLEANER_MESSAGE(Splice<T>, FIELD(runs) FIELD(fresh))
GLEANER_MESSAGE(Run, FIELD(first) FIELD(count) FIELD(fresh))
GLEANER_SPLICE(NodeKind)
GLEANER_SPLICE(Hole)
GLEANER_SPLICE(SharedNode)
GLEANER_SPLICE(LeaseJob)
GLEANER_SPLICE(PreemptedLease)
GLEANER_SPLICE(PendingJob)
GLEANER_SPLICE(BaseJob)
#undef GLEANER_SPLICE

}  // namespace gleaner::proto

namespace gleaner::msg {

GLEANER_MESSAGE(HeldLease, FIELD_TEXT(node, node_bytes) FIELD(lease_job))
GLEANER_MESSAGE(Importance, FIELD(weight) FIELD(deadline_s))
GLEANER_MESSAGE(Register,
                FIELD(job) FIELD_LIST(leases, nodes) FIELD(importance))
GLEANER_MESSAGE(LeaseStarted,
                FIELD_TEXT(node, node_bytes) FIELD(lease_job) FIELD(took_s))
GLEANER_MESSAGE(LeaseFailed,
                FIELD_TEXT(node, node_bytes) FIELD_TEXT(why, why_bytes))
GLEANER_MESSAGE(Vacated, FIELD_TEXTS(nodes, nodes, node_bytes))
GLEANER_MESSAGE(LeaseEnded, FIELD_TEXT(node, node_bytes) FIELD(lease_job)
                                FIELD_TEXT(cause, word_bytes))
GLEANER_MESSAGE(Progress,
                FIELD(generation) FIELD_COUNT(members, members)
                    FIELD_TEXTS(nodes, nodes, node_bytes) FIELD(step)
                        FIELD(samples) FIELD(samples_per_s) FIELD(loss)
                            FIELD_TEXT(state, word_bytes) FIELD(samples_left))
GLEANER_MESSAGE(Pace,
                FIELD(generation) FIELD_COUNT(nodes, nodes)
                    FIELD_COUNT(members, members) FIELD(steps) FIELD(step_s)
                        FIELD(step_spread_s) FIELD(compute_s)
                            FIELD(compute_max_s) FIELD(exposed_s)
                                FIELD(update_s) FIELD_TEXT(family, family_bytes)
                                    FIELD(global_batch) FIELD(gradient_bytes))
GLEANER_MESSAGE(Resized, FIELD(generation) FIELD_TEXT(kind, word_bytes)
                             FIELD_COUNT(from, members) FIELD_COUNT(to, members)
                                 FIELD_TEXT(cause, word_bytes) FIELD(prepare_s)
                                     FIELD(stall_s))
GLEANER_MESSAGE(Registered,
                FIELD_COUNT(nodes_min, nodes) FIELD_COUNT(nodes_max, nodes)
                    FIELD_TEXTS(lease_options, options, option_bytes))
GLEANER_MESSAGE(Grant,
                FIELD_TEXT(node, node_bytes) FIELD_TEXT(ticket, ticket_bytes)
                    FIELD_COUNT(minutes, minutes) FIELD(until_s) FIELD(part))
GLEANER_MESSAGE(GiveBack,
                FIELD_TEXTS(nodes, nodes, node_bytes) FIELD(deadline_s)
                    FIELD_TEXT(cause, word_bytes) FIELD(hold))
GLEANER_MESSAGE(ReleaseNodes, FIELD_TEXTS(nodes, nodes, node_bytes))
GLEANER_MESSAGE(RegisterRefused, FIELD_TEXT(why, why_bytes))
GLEANER_MESSAGE(PluginHello, FIELD(plugin) FIELD(version) FIELD(looks_at_queue))
GLEANER_MESSAGE(Holes, FIELD(snapshot) FIELD(took_s))
GLEANER_MESSAGE(HolesSince,
                FIELD(time_s) FIELD(backfill_s) FIELD(nodes_total) FIELD(kinds)
                    FIELD(holes) FIELD(shared) FIELD(leases) FIELD(preempted)
                        FIELD(pending) FIELD(coming) FIELD(trainers)
                            FIELD(reservations) FIELD(took_s))
GLEANER_MESSAGE(ScanNow, )
GLEANER_MESSAGE(LookAtQueue, )
GLEANER_MESSAGE(StatusRequest, )
GLEANER_MESSAGE(AdminRequest, FIELD_TEXT(action, word_bytes)
                                  FIELD_TEXT(nodes, node_list_bytes))
GLEANER_MESSAGE(TrainerStatus,
                FIELD(job) FIELD(uid) FIELD(name) FIELD(nodes_min)
                    FIELD(nodes_max) FIELD(state) FIELD(nodes) FIELD(generation)
                        FIELD(step) FIELD(samples) FIELD(samples_per_s)
                            FIELD(loss) FIELD(why) FIELD(weight)
                                FIELD(deadline_s))
GLEANER_MESSAGE(LeaseStatus, FIELD(job) FIELD(node) FIELD(trainer) FIELD(state)
                                 FIELD(since_s) FIELD(until_s))
GLEANER_MESSAGE(HoleStatus,
                FIELD(node) FIELD(leased) FIELD(end_s) FIELD(kept_for))
GLEANER_MESSAGE(StatusReply,
                FIELD(time_s) FIELD(snapshot_s) FIELD(mode) FIELD(observed_by)
                    FIELD(drained) FIELD(policy) FIELD(nodes_total)
                        FIELD(lendable) FIELD(would_lend) FIELD(trainers)
                            FIELD(leases) FIELD(holes) FIELD(stall_p50_s)
                                FIELD(stall_p99_s) FIELD(plan_value)
                                    FIELD(plan_bound))
GLEANER_MESSAGE(ProfileRequest, FIELD(job))
GLEANER_MESSAGE(ProfileSize,
                FIELD(nodes) FIELD(members) FIELD(steps) FIELD(step_s)
                    FIELD(step_spread_s) FIELD(compute_s) FIELD(compute_max_s)
                        FIELD(exposed_s) FIELD(update_s))
GLEANER_MESSAGE(ProfilePoint,
                FIELD(nodes) FIELD(expected) FIELD(low) FIELD(high))
GLEANER_MESSAGE(ProfileReply,
                FIELD(job) FIELD(why) FIELD(name) FIELD(scaling) FIELD(family)
                    FIELD(global_batch) FIELD(gradient_bytes)
                        FIELD(members_per_node) FIELD(nodes_min)
                            FIELD(nodes_max) FIELD(nodes_now)
                                FIELD(trainings_before) FIELD(measured)
                                    FIELD(curve) FIELD(expand_s) FIELD(shrink_s)
                                        FIELD(start_s) FIELD(deliberate))
GLEANER_MESSAGE(AdminReply, FIELD(done) FIELD(why) FIELD(mode) FIELD(drained)
                                FIELD(returning))

Result<void> check_kinds(Snapshot const& snapshot) {
  auto const check = [&](auto const& nodes, char const* where) -> Result<void> {
    for (auto const& node : nodes)
      if (node.kind >= snapshot.kinds.size())
        return Error{Errc::invalid_argument,
                     std::string("snapshot.") + where + ": node " +
                         node.node.substr(0, 60) + " is of kind " +
                         std::to_string(node.kind) + ", there are " +
                         std::to_string(snapshot.kinds.size())};
    return {};
  };
  auto holes = check(snapshot.holes, "holes");
  return holes ? check(snapshot.shared, "shared") : holes;
}

nlohmann::json to_json(FromCoordinator const& message) {
  return proto::codec::encode(message);
}
nlohmann::json to_json(ToCoordinator const& message) {
  return proto::codec::encode(message);
}
nlohmann::json to_json(FromPlugin const& message) {
  return proto::codec::encode(message);
}
nlohmann::json to_json(ToPlugin const& message) {
  return proto::codec::encode(message);
}
nlohmann::json to_json(FromClient const& message) {
  return proto::codec::encode(message);
}
nlohmann::json to_json(ToClient const& message) {
  return proto::codec::encode(message);
}

Result<FromCoordinator> parse_from_coordinator(nlohmann::json const& json) {
  return proto::codec::decode<FromCoordinator>(json);
}
Result<ToCoordinator> parse_to_coordinator(nlohmann::json const& json) {
  return proto::codec::decode<ToCoordinator>(json);
}
Result<FromPlugin> parse_from_plugin(nlohmann::json const& json) {
  auto message = proto::codec::decode<FromPlugin>(json);
  if (!message) return message;
  if (auto const* holes = std::get_if<Holes>(&*message))
    if (auto known = check_kinds(holes->snapshot); !known) return known.error();
  return message;
}
Result<ToPlugin> parse_to_plugin(nlohmann::json const& json) {
  return proto::codec::decode<ToPlugin>(json);
}
Result<FromClient> parse_from_client(nlohmann::json const& json) {
  return proto::codec::decode<FromClient>(json);
}
Result<ToClient> parse_to_client(nlohmann::json const& json) {
  return proto::codec::decode<ToClient>(json);
}

std::vector<std::string> daemon_message_types() {
  std::vector<std::string> types;
  proto::codec::list_types<FromCoordinator>(types);
  proto::codec::list_types<ToCoordinator>(types);
  proto::codec::list_types<FromPlugin>(types);
  proto::codec::list_types<ToPlugin>(types);
  proto::codec::list_types<FromClient>(types);
  proto::codec::list_types<ToClient>(types);
  return types;
}

}  // namespace gleaner::msg
