// SPDX-License-Identifier: Apache-2.0
/// The fields of gleanerd's messages, in the order they are written.
#include "proto/daemon_messages.hh"

#include "proto/message_codec.hh"

namespace gleaner {

GLEANER_MESSAGE(Hole, FIELD(node) FIELD(leased) FIELD(end_s) FIELD(planned_job)
                          FIELD(weight) FIELD(cpus) FIELD(gres))
GLEANER_MESSAGE(SharedNode, FIELD(node) FIELD(cpus_idle) FIELD(weight))
GLEANER_MESSAGE(LeaseJob,
                FIELD(job) FIELD(node) FIELD(uid) FIELD(trainer) FIELD(ticket)
                    FIELD(running) FIELD(start_s) FIELD(limit_s))
GLEANER_MESSAGE(PreemptedLease, FIELD(job) FIELD(node) FIELD(end_s))
GLEANER_MESSAGE(PendingJob,
                FIELD(job) FIELD(partition) FIELD(priority) FIELD(nodes)
                    FIELD(cpus) FIELD(required) FIELD(excluded) FIELD(start_s)
                        FIELD(planned))
GLEANER_MESSAGE(BaseJob, FIELD(job) FIELD(uid) FIELD(name) FIELD(nodes_min)
                             FIELD(nodes_max) FIELD(lease_template)
                                 FIELD(running) FIELD(submit_s))
GLEANER_MESSAGE(Snapshot,
                FIELD(time_s) FIELD(backfill_s) FIELD(nodes_total) FIELD(holes)
                    FIELD(shared) FIELD(leases) FIELD(preempted) FIELD(pending)
                        FIELD(trainers) FIELD(partitions))

}  // namespace gleaner

namespace gleaner::msg {

GLEANER_MESSAGE(HeldLease, FIELD(node) FIELD(lease_job))
GLEANER_MESSAGE(Register, FIELD(job) FIELD(leases))
GLEANER_MESSAGE(LeaseStarted, FIELD(node) FIELD(lease_job) FIELD(took_s))
GLEANER_MESSAGE(LeaseFailed, FIELD(node) FIELD(why))
GLEANER_MESSAGE(Vacated, FIELD(nodes))
GLEANER_MESSAGE(LeaseEnded, FIELD(node) FIELD(lease_job) FIELD(cause))
GLEANER_MESSAGE(Progress, FIELD(generation) FIELD(members) FIELD(nodes)
                              FIELD(step) FIELD(samples) FIELD(samples_per_s)
                                  FIELD(loss) FIELD(state))
GLEANER_MESSAGE(Resized, FIELD(generation) FIELD(kind) FIELD(from) FIELD(to)
                             FIELD(cause) FIELD(prepare_s) FIELD(stall_s))
GLEANER_MESSAGE(Registered,
                FIELD(nodes_min) FIELD(nodes_max) FIELD(lease_options))
GLEANER_MESSAGE(Grant, FIELD(node) FIELD(ticket) FIELD(minutes) FIELD(until_s))
GLEANER_MESSAGE(GiveBack,
                FIELD(nodes) FIELD(deadline_s) FIELD(cause) FIELD(hold))
GLEANER_MESSAGE(ReleaseNodes, FIELD(nodes))
GLEANER_MESSAGE(RegisterRefused, FIELD(why))
GLEANER_MESSAGE(PluginHello, FIELD(plugin) FIELD(version))
GLEANER_MESSAGE(Holes, FIELD(snapshot) FIELD(took_s))
GLEANER_MESSAGE(ScanNow, )
GLEANER_MESSAGE(StatusRequest, )
GLEANER_MESSAGE(TrainerStatus,
                FIELD(job) FIELD(uid) FIELD(name) FIELD(nodes_min)
                    FIELD(nodes_max) FIELD(state) FIELD(nodes) FIELD(generation)
                        FIELD(step) FIELD(samples) FIELD(samples_per_s)
                            FIELD(loss))
GLEANER_MESSAGE(LeaseStatus, FIELD(job) FIELD(node) FIELD(trainer) FIELD(state)
                                 FIELD(since_s) FIELD(until_s))
GLEANER_MESSAGE(HoleStatus,
                FIELD(node) FIELD(leased) FIELD(end_s) FIELD(kept_for))
GLEANER_MESSAGE(StatusReply,
                FIELD(time_s) FIELD(snapshot_s) FIELD(mode) FIELD(policy)
                    FIELD(nodes_total) FIELD(trainers) FIELD(leases)
                        FIELD(holes) FIELD(stall_p50_s) FIELD(stall_p99_s))

nlohmann::json to_json(FromCoordinator const& message) {
  return codec::encode(message);
}
nlohmann::json to_json(ToCoordinator const& message) {
  return codec::encode(message);
}
nlohmann::json to_json(FromPlugin const& message) {
  return codec::encode(message);
}
nlohmann::json to_json(ToPlugin const& message) {
  return codec::encode(message);
}
nlohmann::json to_json(FromClient const& message) {
  return codec::encode(message);
}
nlohmann::json to_json(ToClient const& message) {
  return codec::encode(message);
}

Result<FromCoordinator> parse_from_coordinator(nlohmann::json const& json) {
  return codec::decode<FromCoordinator>(json);
}
Result<ToCoordinator> parse_to_coordinator(nlohmann::json const& json) {
  return codec::decode<ToCoordinator>(json);
}
Result<FromPlugin> parse_from_plugin(nlohmann::json const& json) {
  return codec::decode<FromPlugin>(json);
}
Result<ToPlugin> parse_to_plugin(nlohmann::json const& json) {
  return codec::decode<ToPlugin>(json);
}
Result<FromClient> parse_from_client(nlohmann::json const& json) {
  return codec::decode<FromClient>(json);
}
Result<ToClient> parse_to_client(nlohmann::json const& json) {
  return codec::decode<ToClient>(json);
}

std::vector<std::string> daemon_message_types() {
  std::vector<std::string> types;
  codec::list_types<FromCoordinator>(types);
  codec::list_types<ToCoordinator>(types);
  codec::list_types<FromPlugin>(types);
  codec::list_types<ToPlugin>(types);
  codec::list_types<FromClient>(types);
  codec::list_types<ToClient>(types);
  return types;
}

}  // namespace gleaner::msg
