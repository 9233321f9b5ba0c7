// SPDX-License-Identifier: Apache-2.0
/// The one-time permission to take one node, or a part of it, as a lease.
///
/// gleanerd signs it, the coordinator shows it to Slurm in `srun --comment`,
/// job_submit_gleaner checks it.  It carries everything job_submit needs, so
/// that slurmctld keeps no list of decisions, only of used nonces until they
/// expire.
///
/// Text form, fields separated by ':' (doc/protocol.md has an example):
///     gleaner1:UID:NODE:TRAINER:MINUTES:ISSUED:EXPIRES:NONCE:HMAC
///     gleaner2:UID:PLACE:TRAINER:MINUTES:ISSUED:EXPIRES:NONCE:GRES:CPUS:MB:HMAC
/// The second is for a part: PLACE is "n3+1", GRES "gpu=a=1", a '=' for each
/// ':' of Slurm's notation.
/// HMAC is HMAC-SHA256 over all before its colon, in hex, with the key in
/// STATE_DIR/ticket.key, which only SlurmUser and root can read.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "core/cluster.hh"
#include "core/result.hh"

namespace gleaner::proto {

struct Ticket {
  Uid uid = 0;
  std::string node;  ///< or the part of it: "n3+1"
  JobId trainer = 0;
  int minutes = 1;            ///< time limit of the lease
  std::int64_t issued_s = 0;  ///< seconds since the epoch
  std::int64_t expires_s = 0;
  std::string nonce;                             ///< 16 hex digits
  std::optional<Resources> part = std::nullopt;  ///< none: the whole node
  bool operator==(Ticket const&) const = default;
};

/// A fresh nonce from the system's random source.
std::string make_nonce();

/// The text form, signed.  `key` is the content of ticket.key.
std::string sign_ticket(Ticket const& ticket, std::string_view key);

/// Read and check a ticket.  Fails with denied when the signature is wrong
/// (compared in constant time) and with invalid_argument when it is no ticket.
Result<Ticket> verify_ticket(std::string_view text, std::string_view key);

/// Refuses a ticket that is late, or was used before.  Threads may share one.
class TicketLedger {
 public:
  /// Tickets issued in the second `since_s` or before it are refused: a process
  /// that ended in that second may have admitted them.
  explicit TicketLedger(std::int64_t since_s) : since_s_(since_s) {}

  /// May this request, for `node`, use the ticket now?  Marks it used when it
  /// may.  Fails
  /// with denied and a reason for the user.
  Result<void> use(Ticket const& ticket, Uid uid, std::string_view node,
                   std::int64_t now_s);

 private:
  std::int64_t const since_s_;
  std::mutex mutex_;                                    ///< guards used_
  std::unordered_map<std::string, std::int64_t> used_;  ///< nonce -> expiry
};

/// Read the key, making it (mode 0600) when `create` and there is none.
/// Fails with io, naming the path; with denied when others can read it.
enum class KeyFile { must_exist, create };
Result<std::string> load_ticket_key(std::string const& path, KeyFile mode);

}  // namespace gleaner::proto
