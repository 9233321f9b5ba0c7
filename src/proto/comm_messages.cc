// SPDX-License-Identifier: Apache-2.0
/// The fields of the comm host's messages, in the order they are written.
#include "proto/comm_messages.hh"

#include "proto/message_codec.hh"

namespace gleaner::msg {

GLEANER_MESSAGE(CommHostHello, FIELD(node))
GLEANER_MESSAGE(Fence, FIELD(number) FIELD(blob))
GLEANER_MESSAGE(CommEnded, FIELD(why))
GLEANER_MESSAGE(CommStart,
                FIELD(job) FIELD(rank) FIELD(nodes) FIELD(address) FIELD(cpus))
GLEANER_MESSAGE(FenceDone, FIELD(number) FIELD(blobs))

nlohmann::json to_json(ToPlane const& message) {
  return proto::codec::encode(message);
}
nlohmann::json to_json(FromPlane const& message) {
  return proto::codec::encode(message);
}

Result<ToPlane> parse_to_plane(nlohmann::json const& json) {
  return proto::codec::decode<ToPlane>(json);
}
Result<FromPlane> parse_from_plane(nlohmann::json const& json) {
  return proto::codec::decode<FromPlane>(json);
}

std::vector<std::string> comm_message_types() {
  std::vector<std::string> types;
  proto::codec::list_types<ToPlane>(types);
  proto::codec::list_types<FromPlane>(types);
  return types;
}

}  // namespace gleaner::msg
