// SPDX-License-Identifier: Apache-2.0
/// Turns message structs into JSON objects and back, field by field.
///
/// A struct is described once:
///     GLEANER_MESSAGE(Offer, FIELD(generation) FIELD(members))
/// Reading is strict: a missing field, a wrong type and a number that does not
/// fit are errors that name "Type.field".  Unknown fields are ignored, so that
/// a newer peer may say more.  Private to the .cc files of
/// proto; static, not in an unnamed namespace, which argument-dependent lookup
/// would not search.
#pragma once

#include <cmath>
#include <concepts>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "core/node_set.hh"
#include "core/result.hh"

#define GLEANER_MESSAGE(Type, ...)                                \
  [[maybe_unused]] static char const* message_name(Type const*) { \
    return #Type;                                                 \
  }                                                               \
  template <class M, class F>                                     \
  requires std::same_as<std::remove_const_t<M>, Type>             \
  static void fields(M& m, F&& f) {                               \
    (void)m, (void)f;                                             \
    __VA_ARGS__                                                   \
  }
#define FIELD(name) f(#name, m.name);

namespace gleaner::codec {

using nlohmann::json;

/// Thrown and caught inside this header's decode() only.
struct Unreadable : std::runtime_error {
  using std::runtime_error::runtime_error;
};

[[noreturn]] inline void refuse(std::string const& where, char const* expected,
                                json const& got) {
  auto text = got.dump(-1, ' ', false, json::error_handler_t::replace);
  if (text.size() > 60) text = text.substr(0, 57) + "...";
  throw Unreadable(where + ": expected " + expected + ", got " + text);
}

// --- write -----------------------------------------------------------------

template <class T>
json write(T const& value);

template <class T>
json write_value(std::optional<T> const& value) {
  return value ? write(*value) : json(nullptr);
}
template <class T>
json write_value(std::vector<T> const& values) {
  auto array = json::array();
  for (auto const& value : values) array.push_back(write(value));
  return array;
}
template <class T>
json write_value(std::map<std::string, T> const& values) {
  auto object = json::object();
  for (auto const& [key, value] : values) object[key] = write(value);
  return object;
}
inline json write_value(NodeSet const& nodes) { return nodes.to_string(); }
inline json write_value(std::string const& text) { return text; }
inline json write_value(double value) {
  return std::isfinite(value) ? json(value) : json(nullptr);
}
template <std::integral T>
json write_value(T value) {
  return value;
}
template <class T>
requires std::is_class_v<T> && requires(T const& m) {
  fields(m, [](char const*, auto const&) {});
}
json write_value(T const& message) {
  auto object = json::object();
  fields(message, [&](char const* name, auto const& value) {
    object[name] = write(value);
  });
  return object;
}
template <class T>
json write(T const& value) {
  return write_value(value);
}

// --- read ------------------------------------------------------------------

template <class T>
void read(json const& from, std::string const& where, T& value);

template <class T>
void read_value(json const& from, std::string const& where,
                std::optional<T>& value) {
  if (from.is_null())
    value.reset();
  else
    read(from, where, value.emplace());
}
template <class T>
void read_value(json const& from, std::string const& where,
                std::vector<T>& values) {
  if (!from.is_array()) refuse(where, "a list", from);
  values.clear();
  values.reserve(from.size());
  for (std::size_t i = 0; i < from.size(); ++i)
    read(from[i], where + '[' + std::to_string(i) + ']', values.emplace_back());
}
template <class T>
void read_value(json const& from, std::string const& where,
                std::map<std::string, T>& values) {
  if (!from.is_object()) refuse(where, "an object", from);
  for (auto const& [key, item] : from.items())
    read(item, where + '.' + key, values[key]);
}
inline void read_value(json const& from, std::string const& where,
                       NodeSet& nodes) {
  if (!from.is_string()) refuse(where, "a node list", from);
  auto parsed = NodeSet::parse(from.get_ref<std::string const&>());
  if (!parsed) refuse(where, "a node list", from);
  nodes = std::move(*parsed);
}
inline void read_value(json const& from, std::string const& where,
                       std::string& text) {
  if (!from.is_string()) refuse(where, "a text", from);
  text = from.get<std::string>();
}
inline void read_value(json const& from, std::string const& where,
                       double& value) {
  if (from.is_null())
    value = std::numeric_limits<double>::quiet_NaN();
  else if (from.is_number())
    value = from.get<double>();
  else
    refuse(where, "a number", from);
}
inline void read_value(json const& from, std::string const& where,
                       bool& value) {
  if (!from.is_boolean()) refuse(where, "true or false", from);
  value = from.get<bool>();
}
template <std::integral T>
void read_value(json const& from, std::string const& where, T& value) {
  auto const expected = "a whole number from " +
                        std::to_string(std::numeric_limits<T>::min()) + " to " +
                        std::to_string(std::numeric_limits<T>::max());
  if (from.is_number_unsigned()) {
    auto const number = from.get<std::uint64_t>();
    if (!std::in_range<T>(number)) refuse(where, expected.c_str(), from);
    value = static_cast<T>(number);
  } else if (from.is_number_integer()) {
    auto const number = from.get<std::int64_t>();
    if (!std::in_range<T>(number)) refuse(where, expected.c_str(), from);
    value = static_cast<T>(number);
  } else {
    refuse(where, expected.c_str(), from);
  }
}
template <class T>
requires std::is_class_v<T> && requires(T& m) {
  fields(m, [](char const*, auto&) {});
}
void read_value(json const& from, std::string const& where, T& message) {
  if (!from.is_object()) refuse(where, "an object", from);
  fields(message, [&](char const* name, auto& value) {
    auto const found = from.find(name);
    if (found == from.end()) throw Unreadable(where + '.' + name + ": missing");
    read(*found, where + '.' + name, value);
  });
}
template <class T>
void read(json const& from, std::string const& where, T& value) {
  read_value(from, where, value);
}

// --- messages --------------------------------------------------------------

template <class Variant>
json encode(Variant const& message) {
  return std::visit(
      [](auto const& value) {
        auto object = write(value);
        object["type"] = message_name(&value);
        return object;
      },
      message);
}

/// Appends the names of all messages of a variant.
template <class Variant>
void list_types(std::vector<std::string>& types) {
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    (types.push_back(message_name(
         static_cast<std::variant_alternative_t<I, Variant> const*>(nullptr))),
     ...);
  }
  (std::make_index_sequence<std::variant_size_v<Variant>>());
}

template <class Variant, std::size_t I = 0>
Variant decode_as(json const& from, std::string const& type) {
  if constexpr (I == std::variant_size_v<Variant>) {
    throw Unreadable("unknown message type '" + type.substr(0, 60) + "'");
  } else {
    using Message = std::variant_alternative_t<I, Variant>;
    if (type != message_name(static_cast<Message const*>(nullptr)))
      return decode_as<Variant, I + 1>(from, type);
    Message message;
    read(from, type, message);
    return message;
  }
}

template <class Variant>
Result<Variant> decode(json const& from) {
  try {
    if (!from.is_object()) refuse("message", "an object", from);
    auto const type = from.find("type");
    if (type == from.end() || !type->is_string())
      throw Unreadable("message.type: missing");
    return decode_as<Variant>(from, type->template get<std::string>());
  } catch (Unreadable const& e) {
    return Error{Errc::invalid_argument, e.what()};
  }
}

}  // namespace gleaner::codec
