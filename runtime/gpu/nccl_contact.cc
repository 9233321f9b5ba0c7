// SPDX-License-Identifier: Apache-2.0
#include "runtime/gpu/nccl_contact.hh"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <map>
#include <utility>

#include "runtime/gpu/nccl_version.hh"

namespace gleaner::gpu {
namespace {

constexpr char const* format = "gpu1";
constexpr std::size_t fields = 5;
/// One thread of NCCL's answers all that call in with an id, one by one.
constexpr int members_per_id = 64;

std::string plain(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  return text;
}

std::string number(std::size_t rank) { return std::to_string(rank); }

}  // namespace

std::string NcclContact::text() const {
  std::string text = format;
  for (auto const& field : {std::to_string(version), host, node, gpu})
    text += '\n' + plain(field);
  return text;
}

Result<NcclContact> NcclContact::parse(std::string const& text) {
  std::vector<std::string> lines(1);
  for (char const c : text)
    if (c == '\n')
      lines.emplace_back();
    else
      lines.back() += c;
  NcclContact contact;
  bool good = lines.size() == fields && lines[0] == format;
  if (good) {
    contact.host = lines[2], contact.node = lines[3], contact.gpu = lines[4];
    auto const* end = lines[1].data() + lines[1].size();
    auto const read = std::from_chars(lines[1].data(), end, contact.version);
    good = read.ec == std::errc{} && read.ptr == end;
  }
  if (good) return contact;
  return Error{Errc::invalid_argument,
               "cannot read the contact data '" + plain(text) +
                   "' of a member [do all members have the same Gleaner?]"};
}

std::string nccl_host() {
  if (char const* id = std::getenv("NCCL_HOSTID"); id && *id) return id;
  char name[256] = "";
  (void)::gethostname(name, sizeof name - 1);
  std::string boot;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
  return std::string(name) + ' ' + boot;
}

Result<void> check_contacts(std::vector<NcclContact> const& contacts) {
  std::map<std::pair<std::string, std::string>, std::size_t> ranks;
  for (std::size_t rank = 0; rank < contacts.size(); ++rank) {
    auto const& contact = contacts[rank];
    if (contact.version != contacts[0].version)
      return Error{Errc::invalid_argument,
                   "members have different NCCLs: rank 0 on node '" +
                       contacts[0].node + "' has " +
                       nccl_version_text(contacts[0].version) + ", rank " +
                       number(rank) + " on node '" + contact.node + "' has " +
                       nccl_version_text(contact.version) +
                       " [use one environment on all nodes]"};
    auto const [same, is_first] =
        ranks.try_emplace({contact.host, contact.gpu}, rank);
    if (!is_first)
      return Error{Errc::invalid_argument,
                   "ranks " + number(same->second) + " and " + number(rank) +
                       " have the same GPU (" + contact.gpu + " of node '" +
                       contact.node +
                       "'), which NCCL refuses [start no more members than "
                       "GPUs, see --members-per-node, or sum on the host: "
                       "--comm=tcp]"};
  }
  return {};
}

std::vector<int> id_makers(int size, Ids ids) {
  int const n = ids == Ids::one ? 1 : (size - 1) / members_per_id + 1;
  std::vector<int> makers;
  for (int i = 0; i < n; ++i) makers.push_back(int(std::int64_t(i) * size / n));
  return makers;
}

}  // namespace gleaner::gpu
