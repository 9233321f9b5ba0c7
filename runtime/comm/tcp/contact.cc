// SPDX-License-Identifier: Apache-2.0
#include "runtime/comm/tcp/contact.hh"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <sstream>
#include <vector>

namespace gleaner::comm::tcp {
namespace {

constexpr char const* version = "tcp1";
constexpr std::size_t fields = 7;

std::string plain(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  return text;
}

}  // namespace

std::string Contact::text() const {
  std::string text = version;
  for (auto const& field :
       {host, std::to_string(port), local, nonce, node, topology})
    text += '\n' + plain(field);
  return text;
}

Result<Contact> Contact::parse(std::string const& text) {
  auto const bad = [&] {
    return Error{Errc::invalid_argument,
                 "cannot read the contact data '" + plain(text) +
                     "' of a member [do all members have the same Gleaner?]"};
  };
  std::vector<std::string> lines(1);
  for (char const c : text)
    if (c == '\n')
      lines.emplace_back();
    else
      lines.back() += c;
  if (lines.size() != fields || lines[0] != version) return bad();
  Contact contact{lines[1], 0, lines[3], lines[4], lines[5], lines[6]};
  auto const* end = lines[2].data() + lines[2].size();
  auto const read = std::from_chars(lines[2].data(), end, contact.port);
  if (read.ec != std::errc{} || read.ptr != end || contact.port < 1 ||
      contact.port > 65535)
    return bad();
  return contact;
}

std::string node_identity(std::string const& name) {
  std::string kernel;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> kernel;
  char network[64];
  auto const n = ::readlink("/proc/self/ns/net", network, sizeof network);
  return name + ' ' + kernel + ' ' +
         std::string(network, n > 0 ? std::size_t(n) : 0);
}

}  // namespace gleaner::comm::tcp
