// SPDX-License-Identifier: Apache-2.0
/// The fields of the runtime's messages, in the order they are written.
#include "proto/runtime_messages.hh"

#include "proto/message_codec.hh"

namespace gleaner::msg {

GLEANER_MESSAGE(Interval, FIELD(first) FIELD(last))
GLEANER_MESSAGE(StepPlan, FIELD(step) FIELD(members) FIELD(gone))
GLEANER_MESSAGE(MemberAddress, FIELD(member) FIELD(node) FIELD(data_address))
GLEANER_MESSAGE(MemberHello, FIELD(member) FIELD(node) FIELD(pid)
                                 FIELD(data_address) FIELD(planes))
GLEANER_MESSAGE(Loaded,
                FIELD(member) FIELD(schema) FIELD(state_bytes)
                    FIELD(dataset_size) FIELD(fingerprint) FIELD(loads_ahead)
                        FIELD(gradient_bytes) FIELD(global_batch) FIELD(shapes)
                            FIELD(must_copy) FIELD(samples_total))
GLEANER_MESSAGE(PlaneBlob, FIELD(generation) FIELD(key) FIELD(blob))
GLEANER_MESSAGE(Prepared, FIELD(generation))
GLEANER_MESSAGE(PrepareFailed, FIELD(generation) FIELD(why))
GLEANER_MESSAGE(CaughtUp, FIELD(generation) FIELD(step))
GLEANER_MESSAGE(Switched, FIELD(generation) FIELD(step))
GLEANER_MESSAGE(SwitchAhead, FIELD(generation) FIELD(step) FIELD(sampler))
GLEANER_MESSAGE(Withdrawn, FIELD(generation))
GLEANER_MESSAGE(Agreed, FIELD(generation) FIELD(step))
GLEANER_MESSAGE(Status,
                FIELD(generation) FIELD(full) FIELD(complete) FIELD(begun))
GLEANER_MESSAGE(Stable,
                FIELD(generation) FIELD(step) FIELD(tentative) FIELD(reduced_in)
                    FIELD(world) FIELD(pass) FIELD(taken) FIELD(samples_seen)
                        FIELD(duration_s) FIELD(reduce_s) FIELD(update_s))
GLEANER_MESSAGE(LogValue, FIELD(step) FIELD(key) FIELD(value) FIELD(n))
GLEANER_MESSAGE(LogValues, FIELD(values))
GLEANER_MESSAGE(Checkpointed, FIELD(generation) FIELD(step) FIELD(path)
                                  FIELD(bytes) FIELD(samples_seen))
GLEANER_MESSAGE(CheckpointFailed, FIELD(generation) FIELD(path) FIELD(why))
GLEANER_MESSAGE(Finished, FIELD(generation) FIELD(step))
GLEANER_MESSAGE(StateReceived,
                FIELD(generation) FIELD(step) FIELD(bytes) FIELD(took_s))
GLEANER_MESSAGE(StateDigest, FIELD(generation) FIELD(step) FIELD(digests))
GLEANER_MESSAGE(Heartbeat, )
GLEANER_MESSAGE(Alive, FIELD(at) FIELD(for_s) FIELD(step) FIELD(steps)
                           FIELD(computed_s) FIELD(waited_s) FIELD(busy)
                               FIELD(busy_left_s))
GLEANER_MESSAGE(Weight, FIELD(weight))
GLEANER_MESSAGE(MemberError, FIELD(why))
GLEANER_MESSAGE(Welcome,
                FIELD(member) FIELD(heartbeat_s) FIELD(failure_timeout_s))
GLEANER_MESSAGE(Prepare,
                FIELD(generation) FIELD(members) FIELD(joiners) FIELD(follow))
GLEANER_MESSAGE(PlaneBlobs, FIELD(generation) FIELD(key) FIELD(blobs))
GLEANER_MESSAGE(Start, FIELD(generation) FIELD(members) FIELD(source)
                           FIELD(checkpoint))
GLEANER_MESSAGE(Offer, FIELD(generation) FIELD(members) FIELD(joiners)
                           FIELD(checkpoint) FIELD(lead) FIELD(follow))
GLEANER_MESSAGE(Withdraw, FIELD(generation))
GLEANER_MESSAGE(Quiesce, FIELD(generation))
GLEANER_MESSAGE(Resume,
                FIELD(generation) FIELD(members) FIELD(complete) FIELD(donor)
                    FIELD(lacking) FIELD(recorded) FIELD(plan))
GLEANER_MESSAGE(Release, )
GLEANER_MESSAGE(Finish, )
GLEANER_MESSAGE(Reset, FIELD(generation))
GLEANER_MESSAGE(TakeCheckpoint, FIELD(path))
GLEANER_MESSAGE(Recorded, FIELD(step))
GLEANER_MESSAGE(Refused, FIELD(why))
GLEANER_MESSAGE(AgentHello,
                FIELD(node) FIELD(lease_job) FIELD(gpus) FIELD(cpus))
GLEANER_MESSAGE(MemberStarted, FIELD(member) FIELD(pid) FIELD(bound))
GLEANER_MESSAGE(MemberExited, FIELD(member) FIELD(code))
GLEANER_MESSAGE(StartMembers, FIELD(members) FIELD(argv) FIELD(env) FIELD(cwd)
                                  FIELD(heartbeat_s) FIELD(failure_timeout_s))
GLEANER_MESSAGE(KillMembers, FIELD(members))
GLEANER_MESSAGE(AgentExit, )
GLEANER_MESSAGE(PullState,
                FIELD(generation) FIELD(member) FIELD(stripe) FIELD(stripes))
GLEANER_MESSAGE(PullReduction, FIELD(generation) FIELD(step))
GLEANER_MESSAGE(PullPortion, FIELD(generation) FIELD(member))
GLEANER_MESSAGE(Bulk, FIELD(header_bytes) FIELD(bytes))
GLEANER_MESSAGE(Reduction, FIELD(step) FIELD(bytes))
GLEANER_MESSAGE(Reduced,
                FIELD(step) FIELD(scale) FIELD(pass) FIELD(global_batch)
                    FIELD(samples_seen) FIELD(world) FIELD(waiting))

nlohmann::json to_json(FromPeer const& message) {
  return proto::codec::encode(message);
}
nlohmann::json to_json(ToPeer const& message) {
  return proto::codec::encode(message);
}
nlohmann::json to_json(FromMember const& message) {
  return proto::codec::encode(message);
}
nlohmann::json to_json(ToMember const& message) {
  return proto::codec::encode(message);
}
nlohmann::json to_json(FromAgent const& message) {
  return proto::codec::encode(message);
}
nlohmann::json to_json(ToAgent const& message) {
  return proto::codec::encode(message);
}

Result<FromPeer> parse_from_peer(nlohmann::json const& json) {
  return proto::codec::decode<FromPeer>(json);
}
Result<ToPeer> parse_to_peer(nlohmann::json const& json) {
  return proto::codec::decode<ToPeer>(json);
}
Result<FromMember> parse_from_member(nlohmann::json const& json) {
  return proto::codec::decode<FromMember>(json);
}
Result<ToMember> parse_to_member(nlohmann::json const& json) {
  return proto::codec::decode<ToMember>(json);
}
Result<FromAgent> parse_from_agent(nlohmann::json const& json) {
  return proto::codec::decode<FromAgent>(json);
}
Result<ToAgent> parse_to_agent(nlohmann::json const& json) {
  return proto::codec::decode<ToAgent>(json);
}

std::vector<std::string> runtime_message_types() {
  std::vector<std::string> types;
  proto::codec::list_types<FromMember>(types);
  proto::codec::list_types<ToMember>(types);
  proto::codec::list_types<FromAgent>(types);
  proto::codec::list_types<ToAgent>(types);
  proto::codec::list_types<FromPeer>(types);
  proto::codec::list_types<ToPeer>(types);
  return types;
}

}  // namespace gleaner::msg
