// SPDX-License-Identifier: Apache-2.0
/// Actions and orders in short words, for the tests of the protocol.
#include "notation.hh"

#include <sstream>

namespace gleaner::generation::notation {
namespace {

template <class... F>
struct Overloaded : F... {
  using F::operator()...;
};

std::string number(double value) {
  std::ostringstream out;
  out << value;
  return out.str();
}
template <class Int>
std::string str(Int value) {
  return std::to_string(value);
}

template <class Items, class Name>
std::string list(Items const& items, Name name) {
  std::string out;
  for (auto const& item : items) out += (out.empty() ? "" : ",") + name(item);
  return out;
}
std::string ids(std::vector<msg::MemberId> const& members) {
  return list(members, [](auto id) { return str(id); });
}
std::string ids(std::vector<msg::MemberAddress> const& members) {
  return list(members, [](auto const& m) { return str(m.member); });
}
std::string positions(Positions const& taken) {
  return list(taken,
              [](auto const& i) { return str(i.first) + "-" + str(i.last); });
}
std::string plan(std::optional<msg::StepPlan> const& plan) {
  if (!plan) return "";
  auto out = " begun=" + str(plan->step);
  for (auto const& lost : plan->gone)
    out += (&lost == &plan->gone.front() ? " without " : " then ") + ids(lost);
  return out;
}

std::string name(msg::FromMember const& message) {
  return std::visit(
      Overloaded{
          [](msg::Prepared const& m) {
            return "Prepared(" + str(m.generation) + ")";
          },
          [](msg::PrepareFailed const& m) {
            return "PrepareFailed(" + str(m.generation) + ")";
          },
          [](msg::CaughtUp const& m) {
            return "CaughtUp(" + str(m.generation) + " at " + str(m.step) + ")";
          },
          [](msg::Switched const& m) {
            return "Switched(" + str(m.generation) + " at " + str(m.step) + ")";
          },
          [](msg::SwitchAhead const& m) {
            return "SwitchAhead(" + str(m.generation) + " at " + str(m.step) +
                   ")";
          },
          [](msg::Withdrawn const& m) {
            return "Withdrawn(" + str(m.generation) + ")";
          },
          [](msg::Agreed const& m) {
            return "Agreed(" + str(m.generation) + " in " + str(m.step) + ")";
          },
          [](msg::Status const& m) {
            return "Status(" + str(m.generation) + (m.full ? " full" : "") +
                   " h=" + str(m.complete) + plan(m.begun) + ")";
          },
          [](msg::Stable const& m) {
            return "Stable(" + str(m.step) + (m.tentative ? "?)" : ")");
          },
          [](msg::LogValues const& m) {
            std::string values;
            for (auto const& value : m.values)
              values += (values.empty() ? "" : " ") + value.key + "@" +
                        str(value.step);
            return "LogValues(" + values + ")";
          },
          [](msg::Checkpointed const& m) {
            return "Checkpointed(" + m.path + " of " + str(m.step) + ")";
          },
          [](msg::CheckpointFailed const& m) {
            return "CheckpointFailed(" + m.path + ")";
          },
          [](msg::Finished const& m) {
            return "Finished(" + str(m.step) + ")";
          },
          [](auto const&) { return std::string("?"); },
      },
      message);
}

std::string name(msg::ToMember const& message) {
  return std::visit(
      Overloaded{
          [](msg::Prepare const& m) {
            return "Prepare(" + str(m.generation) + ": " + ids(m.members) +
                   (m.joiners.empty() ? "" : " joins " + ids(m.joiners)) + ")";
          },
          [](msg::PlaneBlobs const& m) {
            return "PlaneBlobs(" + str(m.generation) + ": " +
                   list(m.blobs, [](auto const& blob) { return blob; }) + ")";
          },
          [](msg::Start const& m) {
            return "Start(" + str(m.generation) + ": source " + str(m.source) +
                   (m.checkpoint.empty() ? "" : " from " + m.checkpoint) + ")";
          },
          [](msg::Offer const& m) {
            return "Offer(" + str(m.generation) + ": " +
                   (m.members.empty() ? "park in " + m.checkpoint
                                      : ids(m.members)) +
                   (m.lead ? " in " + str(m.lead) : "") +
                   (m.follow ? " fed)" : ")");
          },
          [](msg::SwitchAhead const& m) {
            return "SwitchAhead(" + str(m.generation) + " at " + str(m.step) +
                   ")";
          },
          [](msg::Withdraw const& m) {
            return "Withdraw(" + str(m.generation) + ")";
          },
          [](msg::Quiesce const& m) {
            return "Quiesce(" + str(m.generation) + ")";
          },
          [](msg::Resume const& m) {
            return "Resume(" + str(m.generation) + ": " + ids(m.members) +
                   " h=" + str(m.complete) +
                   (m.lacking.empty() ? ""
                                      : " " + ids(m.lacking) +
                                            " take it from " + str(m.donor)) +
                   plan(m.plan) + ")";
          },
          [](msg::Reset const& m) {
            return "Reset(" + str(m.generation) + ")";
          },
          [](msg::TakeCheckpoint const& m) {
            return "TakeCheckpoint(" + m.path + ")";
          },
          [](msg::Release const&) { return std::string("Release"); },
          [](msg::Finish const&) { return std::string("Finish"); },
          [](msg::Recorded const&) { return std::string("Recorded"); },
          [](msg::Refused const&) { return std::string("Refused"); },
          [](auto const&) { return std::string("?"); },
      },
      message);
}

std::string name(session::Action const& action) {
  return std::visit(
      Overloaded{
          [](session::Send const& a) { return "->" + name(a.message); },
          [](session::ConnectPlane const& a) {
            return "connect(" + str(a.generation) + ")";
          },
          [](session::DropPlane const& a) {
            return "drop(" + str(a.generation) + ")";
          },
          [](session::StopPlanes const&) { return std::string("stop"); },
          [](session::ServeState const& a) {
            return "serve(" + str(a.generation) + ": " + str(a.stripe) + "/" +
                   str(a.stripes) + " to " + ids(a.joiners) + ")";
          },
          [](session::FetchState const& a) {
            return (a.follow ? "follow(" : "fetch(") + str(a.generation) +
                   " from " + ids(a.donors) + ")";
          },
          [](session::PrepareFeed const& a) {
            return "prepare_feed(" + str(a.generation) + ": " + str(a.stripe) +
                   "/" + str(a.stripes) + " to " + ids(a.joiners) + ")";
          },
          [](session::Feed const& a) {
            return "feed(" + str(a.generation) + ": " + str(a.step) + ")";
          },
          [](session::EndFeed const& a) {
            return "end_feed(" + str(a.generation) + " at " + str(a.step) + ")";
          },
          [](session::FetchReduction const& a) {
            return "take_over(" + str(a.step) + " from " + str(a.donor.member) +
                   ")";
          },
          [](session::WriteCheckpoint const& a) {
            return "write(" + a.path + " of " + str(a.step) + ")";
          },
          [](session::LoadCheckpoint const& a) {
            return "load(" + a.path + ")";
          },
          [](session::BeginsSoon const&) { return std::string("soon"); },
          [](session::Started const&) { return std::string("started"); },
          [](session::BeginStep const& a) {
            return std::string(a.more ? "more(" : "begin(") + str(a.step) +
                   ": " + positions(a.positions) + ")";
          },
          [](session::Reduce const& a) {
            return "reduce(" + str(a.step) + " in " + str(a.generation) + ")";
          },
          [](session::ApplyReduction const& a) {
            return "apply(" + str(a.step) + " x" + number(a.scale) + ")";
          },
          [](session::Leave const&) { return std::string("leave"); },
          [](session::Done const&) { return std::string("done"); },
      },
      action);
}

}  // namespace

std::string text(session::Actions const& actions) {
  std::string out;
  for (auto const& action : actions)
    out += (out.empty() ? "" : " ") + name(action);
  return out;
}

std::string text(membership::Orders const& orders) {
  std::string out;
  auto const add = [&](std::string const& word) {
    out += (out.empty() ? "" : " ") + word;
  };
  for (auto const& order : orders) {
    if (auto const* send = std::get_if<membership::Send>(&order))
      add(str(send->member) + "<-" + name(*send->message));
    else if (auto const* kill = std::get_if<membership::Kill>(&order))
      add("kill(" + str(kill->member) + ")");
    else if (auto const* node = std::get_if<membership::NodeFree>(&order))
      add("free(" + node->node + ")");
    else if (std::holds_alternative<membership::TrainingFinished>(order))
      add("finished");
  }
  return out;
}

std::vector<nlohmann::json> records(membership::Orders const& orders,
                                    std::string const& event) {
  std::vector<nlohmann::json> found;
  for (auto const& order : orders)
    if (auto const* record = std::get_if<membership::Record>(&order))
      if (record->event == event) found.push_back(record->fields);
  return found;
}

}  // namespace gleaner::generation::notation
