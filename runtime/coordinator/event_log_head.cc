// SPDX-License-Identifier: Apache-2.0
#include "runtime/coordinator/event_log_head.hh"

#include <string>

namespace gleaner::coordinator {

void EventLogHead::take(nlohmann::json const& event) {
  auto const copy = [&](char const* key) {
    if (event.contains(key)) fields_[key] = event[key];
  };
  auto const& kind = event.at("event").get_ref<std::string const&>();
  copy("dataset_size");
  if (kind == "start") {
    fields_ = nlohmann::json::object();
    copy("job");
    copy("argv");
    fields_["started"] = event.at("t");
  } else if (kind == "generation") {
    fields_["generation"] = event;
  } else if (kind == "rollback") {
    fields_["step"] = event.value("to_step", 0);
    fields_.erase("generation");
  } else if (kind == "step") {
    copy("step");
    copy("pass");
  } else if (kind == "node_joined") {
    fields_["nodes"][event.value("node", "")] = event.at("t");
  } else if (kind == "node_left" && fields_.contains("nodes")) {
    fields_["nodes"].erase(event.value("node", ""));
  }
}

}  // namespace gleaner::coordinator
