// SPDX-License-Identifier: Apache-2.0
/// Signs and checks tickets.
#include "proto/ticket.hh"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <vector>

#include "core/place.hh"
#include "proto/secret.hh"

namespace gleaner::proto {
namespace {

constexpr std::string_view prefix_whole = "gleaner1";
constexpr std::string_view prefix_part = "gleaner2";
constexpr std::size_t fields_whole = 9, fields_part = 12;
constexpr std::size_t ticket_bytes_max = 512;
constexpr std::size_t key_bytes = 32;

/// "gpu:a:1" without the character that separates fields, and back.
std::string swapped(std::string text, char from, char to) {
  std::replace(text.begin(), text.end(), from, to);
  return text;
}

std::string part_text(Resources const& part) {
  return ':' + swapped(to_string(part.gres), ':', '=') + ':' +
         std::to_string(part.cpus) + ':' + std::to_string(part.memory_mb);
}

std::string unsigned_text(Ticket const& ticket) {
  return std::string(ticket.part ? prefix_part : prefix_whole) + ':' +
         std::to_string(ticket.uid) + ':' + ticket.node + ':' +
         std::to_string(ticket.trainer) + ':' + std::to_string(ticket.minutes) +
         ':' + std::to_string(ticket.issued_s) + ':' +
         std::to_string(ticket.expires_s) + ':' + ticket.nonce +
         (ticket.part ? part_text(*ticket.part) : "");
}

std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> fields;
  for (;;) {
    auto const colon = text.find(':');
    fields.push_back(text.substr(0, colon));
    if (colon == std::string_view::npos) return fields;
    text.remove_prefix(colon + 1);
  }
}

template <class Number>
bool read(std::string_view text, Number* number) {
  auto const end = text.data() + text.size();
  auto const [stop, error] = std::from_chars(text.data(), end, *number);
  return error == std::errc() && stop == end;
}

Error no_ticket(char const* why) {
  return {Errc::invalid_argument, std::string("not a lease ticket (") + why +
                                      ") [leases are taken by gleaner run]"};
}

/// The fields that only the ticket of a part has.
Result<Resources> read_part(std::string_view gres, std::string_view cpus,
                            std::string_view memory_mb) {
  Resources part;
  auto units = parse_gres(swapped(std::string(gres), '=', ':'));
  if (!units || units->empty()) return no_ticket("no GRES can be read");
  part.gres = std::move(*units);
  if (!read(cpus, &part.cpus) || !read(memory_mb, &part.memory_mb))
    return no_ticket("a field is no number");
  if (part.cpus < 1 || part.memory_mb < 1)
    return no_ticket("it gives no CPU or no memory");
  return part;
}

Error io_error(std::string const& path, char const* doing) {
  return {Errc::io, std::string("cannot ") + doing + " " + path + " (" +
                        std::strerror(errno) + ")"};
}

/// Closes a file descriptor at the end of its scope.
struct Fd {
  int value;
  ~Fd() {
    if (value >= 0) ::close(value);
  }
};

Result<void> create_key(std::string const& path) {
  Fd const fd{::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
                     S_IRUSR | S_IWUSR)};
  if (fd.value < 0)
    return errno == EEXIST ? Result<void>{} : io_error(path, "create");
  auto const key = random_hex(key_bytes);
  if (::write(fd.value, key.data(), key.size()) !=
          static_cast<ssize_t>(key.size()) ||
      ::fsync(fd.value) != 0)
    return io_error(path, "write");
  return {};
}

}  // namespace

std::string make_nonce() { return random_hex(8); }

std::string sign_ticket(Ticket const& ticket, std::string_view key) {
  auto const text = unsigned_text(ticket);
  return text + ':' + hmac_hex(key, text);
}

Result<Ticket> verify_ticket(std::string_view text, std::string_view key) {
  if (text.size() > ticket_bytes_max) return no_ticket("too long");
  auto const fields = split(text);
  bool const is_whole =
      fields.size() == fields_whole && fields[0] == prefix_whole;
  bool const is_of_part =
      fields.size() == fields_part && fields[0] == prefix_part;
  if (!is_whole && !is_of_part) return no_ticket("wrong form");
  auto const signed_part = text.substr(0, text.rfind(':'));
  if (!equal_secret(fields.back(), hmac_hex(key, signed_part)))
    return Error{Errc::denied, "the lease ticket's signature is wrong"};
  Ticket ticket;
  ticket.node = fields[2];
  ticket.nonce = fields[7];
  if (!read(fields[1], &ticket.uid) || !read(fields[3], &ticket.trainer) ||
      !read(fields[4], &ticket.minutes) || !read(fields[5], &ticket.issued_s) ||
      !read(fields[6], &ticket.expires_s))
    return no_ticket("a field is no number");
  if (ticket.issued_s < 0 || ticket.expires_s < 0)
    return no_ticket("a time lies before 1970");
  if (is_part(ticket.node) != is_of_part)
    return no_ticket("its place is not of its form");
  if (!is_of_part) return ticket;
  auto part = read_part(fields[8], fields[9], fields[10]);
  if (!part) return part.error();
  ticket.part = std::move(*part);
  return ticket;
}

Result<void> TicketLedger::use(Ticket const& ticket, Uid uid,
                               std::string_view node, std::int64_t now_s) {
  auto const denied = [&](std::string why) {
    return Error{Errc::denied,
                 "lease ticket for node " + ticket.node + " " + std::move(why)};
  };
  if (ticket.uid != uid)
    return denied("was given to uid " + std::to_string(ticket.uid) +
                  ", not to uid " + std::to_string(uid));
  if (node_of(ticket.node) != node)
    return denied("does not cover '" + std::string(node) + "'");
  if (now_s > ticket.expires_s)
    return denied("expired " + std::to_string(now_s - ticket.expires_s) +
                  " s ago");
  if (ticket.issued_s <= since_s_)
    return denied("was issued before slurmctld started");
  std::lock_guard const lock(mutex_);
  std::erase_if(used_, [&](auto const& use) { return use.second < now_s; });
  if (!used_.emplace(ticket.nonce, ticket.expires_s).second)
    return denied("was used before");
  return {};
}

Result<std::string> load_ticket_key(std::string const& path, KeyFile mode) {
  if (mode == KeyFile::create)
    if (auto done = create_key(path); !done) return done.error();
  Fd const fd{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  if (fd.value < 0) return io_error(path, "read");
  struct stat info {};
  if (::fstat(fd.value, &info) != 0) return io_error(path, "read");
  if (info.st_mode & (S_IRWXG | S_IRWXO))
    return Error{Errc::denied, path +
                                   " can be read by others (anyone could sign "
                                   "tickets) [chmod 600, or remove it]"};
  std::string key(2 * key_bytes, '\0');
  if (::read(fd.value, key.data(), key.size()) !=
      static_cast<ssize_t>(key.size()))
    return Error{Errc::io, path + " is shorter than " +
                               std::to_string(key.size()) +
                               " bytes [remove it; gleanerd makes a new one]"};
  return key;
}

}  // namespace gleaner::proto
