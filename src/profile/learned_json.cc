// SPDX-License-Identifier: Apache-2.0
/// {"members_per_node":1,"sizes":[{"members":4,"trainings":1,"step_s":0.1,
/// "step_sd":0.01,"compute_s":0.08,"exposed_s":0.01}]}
#include "profile/learned_json.hh"

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

namespace gleaner::profile {
namespace {

using nlohmann::json;

constexpr int members_most = 1 << 20;
constexpr double seconds_most = 1e7;

Error refused(std::string const& key, std::string const& expected) {
  return {Errc::invalid_argument, "cannot read what was learned: '" + key +
                                      "' is not " + expected +
                                      " (the text is not used)"};
}

/// Takes the values of one object, and remembers the first that is wrong.
class Reader {
 public:
  Reader(json const& value, std::string where, std::size_t keys)
      : value_(value), where_(std::move(where)) {
    if (!value.is_object() || value.size() != keys)
      error_ = refused(where_.empty() ? "the text" : where_,
                       "an object of its " + std::to_string(keys) + " keys");
  }

  int whole(char const* key, int least) {
    auto const* found = find(key);
    if (found && found->is_number_integer()) {
      auto const value = found->get<std::int64_t>();
      if (value >= least && value <= members_most)
        return static_cast<int>(value);
    }
    refuse(key, "a whole number of at least " + std::to_string(least));
    return least;
  }

  enum class Zero { allowed, refused };
  double seconds(char const* key, Zero zero) {
    auto const* found = find(key);
    if (found && found->is_number()) {
      auto const value = found->get<double>();
      if (std::isfinite(value) && value <= seconds_most &&
          (value > 0 || (value == 0 && zero == Zero::allowed)))
        return value;
    }
    refuse(key, zero == Zero::allowed ? "a number from 0" : "a number above 0");
    return 1;
  }

  json const* find(char const* key) const {
    if (error_) return nullptr;
    auto const found = value_.find(key);
    return found == value_.end() ? nullptr : &*found;
  }

  void refuse(std::string const& key, std::string const& expected) {
    if (!error_)
      error_ = refused(where_.empty() ? key : where_ + "." + key, expected);
  }

  std::optional<Error> const& error() const { return error_; }

 private:
  json const& value_;
  std::string where_;
  std::optional<Error> error_;
};

Result<LearnedSize> read_size(json const& value, std::size_t place) {
  using Zero = Reader::Zero;
  Reader reader(value, "sizes[" + std::to_string(place) + "]", 6);
  LearnedSize size;
  size.members = reader.whole("members", 1);
  size.trainings = reader.whole("trainings", 1);
  size.step_s = reader.seconds("step_s", Zero::refused);
  size.step_sd = reader.seconds("step_sd", Zero::allowed);
  size.compute_s = reader.seconds("compute_s", Zero::allowed);
  size.exposed_s = reader.seconds("exposed_s", Zero::allowed);
  if (reader.error()) return *reader.error();
  return size;
}

}  // namespace

std::string to_json(Learned const& learned) {
  auto sizes = nlohmann::ordered_json::array();
  for (auto const& size : learned.sizes)
    sizes.push_back({{"members", size.members},
                     {"trainings", size.trainings},
                     {"step_s", size.step_s},
                     {"step_sd", size.step_sd},
                     {"compute_s", size.compute_s},
                     {"exposed_s", size.exposed_s}});
  return nlohmann::ordered_json{{"members_per_node", learned.members_per_node},
                                {"sizes", std::move(sizes)}}
      .dump();
}

Result<Learned> learned_from_json(std::string_view text) {
  auto const value = json::parse(text, nullptr, false);
  if (value.is_discarded()) return refused("the text", "JSON");
  Reader reader(value, "", 2);
  Learned learned;
  learned.members_per_node = reader.whole("members_per_node", 1);
  auto const* sizes = reader.find("sizes");
  if (!sizes || !sizes->is_array()) reader.refuse("sizes", "a list");
  if (reader.error()) return *reader.error();
  for (std::size_t i = 0; i < sizes->size(); ++i) {
    auto size = read_size((*sizes)[i], i);
    if (!size) return size.error();
    if (!learned.sizes.empty() && learned.sizes.back().members >= size->members)
      return refused("sizes", "in ascending order of members");
    learned.sizes.push_back(*size);
  }
  return learned;
}

}  // namespace gleaner::profile
