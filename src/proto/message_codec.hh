// SPDX-License-Identifier: Apache-2.0
/// Turns message structs into JSON objects and back, field by field.
///
/// A struct is described once:
///     GLEANER_MESSAGE(Offer, FIELD(generation) FIELD(members))
/// A field with bounds (message_limits.hh) is described by
///     FIELD_TEXT(why, why_bytes), FIELD_LIST(leases, nodes),
///     FIELD_TEXTS(nodes, nodes, node_bytes), FIELD_COUNT(members, members)
/// Reading is strict: a missing field, a wrong type, a number that does not
/// fit and a value over its bound are errors that name "Type.field".  Unknown
/// fields are ignored, so that a newer peer may send more.  Private to the .cc
/// files of proto; static, not in an unnamed namespace, which
/// argument-dependent lookup would not search.
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
#define FIELD(name) f(#name, m.name, ::gleaner::proto::codec::Most{});
#define FIELD_TEXT(name, bytes_max) \
  f(#name, m.name, ::gleaner::proto::codec::Most{.bytes = limit::bytes_max});
#define FIELD_LIST(name, entries_max) \
  f(#name, m.name,                    \
    ::gleaner::proto::codec::Most{.entries = limit::entries_max});
#define FIELD_TEXTS(name, entries_max, bytes_max)            \
  f(#name, m.name,                                           \
    ::gleaner::proto::codec::Most{.bytes = limit::bytes_max, \
                                  .entries = limit::entries_max});
#define FIELD_COUNT(name, count_max) \
  f(#name, m.name, ::gleaner::proto::codec::Most{.count = limit::count_max});

namespace gleaner::proto::codec {

using nlohmann::json;

/// How much a field may hold.
struct Most {
  static constexpr std::size_t any = std::numeric_limits<std::size_t>::max();
  std::size_t bytes = any;    ///< of a text, or of each in a list
  std::size_t entries = any;  ///< of a list
  std::size_t count = any;    ///< a whole number from 0 to this
};

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
  fields(m, [](char const*, auto const&, Most) {});
}
json write_value(T const& message) {
  auto object = json::object();
  fields(message, [&](char const* name, auto const& value, Most) {
    object[name] = write(value);
  });
  return object;
}
template <class T>
json write(T const& value) {
  return write_value(value);
}

// --- read ------------------------------------------------------------------

[[noreturn]] inline void refuse_size(std::string const& where, std::size_t size,
                                     std::size_t most, char const* of_what) {
  throw Unreadable(where + ": " + std::to_string(size) + of_what +
                   " (at most " + std::to_string(most) + ")");
}

/// What is larger than the field may be.  Nothing has been copied yet.
inline void refuse_excess(json const& from, std::string const& where,
                          Most most) {
  if (from.is_string()) {
    auto const bytes = from.get_ref<std::string const&>().size();
    if (bytes > most.bytes) refuse_size(where, bytes, most.bytes, " bytes");
  } else if (from.is_array()) {
    if (from.size() > most.entries)
      refuse_size(where, from.size(), most.entries, " entries");
    if (most.bytes == Most::any) return;
    for (std::size_t i = 0; i < from.size(); ++i)
      refuse_excess(from[i], where + '[' + std::to_string(i) + ']',
                    {.bytes = most.bytes});
  } else if (most.count != Most::any && from.is_number_integer()) {
    bool const below =
        !from.is_number_unsigned() && from.get<std::int64_t>() < 0;
    if (below || from.get<std::uint64_t>() > most.count)
      refuse(where,
             ("a whole number from 0 to " + std::to_string(most.count)).c_str(),
             from);
  }
}

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
  fields(m, [](char const*, auto&, Most) {});
}
void read_value(json const& from, std::string const& where, T& message) {
  if (!from.is_object()) refuse(where, "an object", from);
  fields(message, [&](char const* name, auto& value, Most most) {
    auto const found = from.find(name);
    if (found == from.end()) throw Unreadable(where + '.' + name + ": missing");
    refuse_excess(*found, where + '.' + name, most);
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

}  // namespace gleaner::proto::codec
