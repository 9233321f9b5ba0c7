// SPDX-License-Identifier: Apache-2.0
/// A ticket from a user's --comment, read inside slurmctld.
#include "proto/secret.hh"
#include "proto/ticket.hh"
#include "test/fuzz/target.hh"

namespace gleaner::fuzz {

void check(std::string_view input) {
  constexpr std::string_view key = "a key of this test";
  auto const stranger = proto::verify_ticket(input, key);
  // The fuzzer cannot find an HMAC: a ticket as only gleanerd can sign it.
  auto const text = std::string(input) + ':' + proto::hmac_hex(key, input);
  auto const ticket = proto::verify_ticket(text, key);
  must(!proto::verify_ticket(text, "another key"),
       "only gleanerd's key opens it");
  if (!ticket) return;
  auto const same = proto::verify_ticket(proto::sign_ticket(*ticket, key), key);
  must(same && *same == *ticket, "signed and read it is the same");
  auto const now_s = ticket->issued_s;
  proto::TicketLedger ledger(0);
  if (!ledger.use(*ticket, ticket->uid, ticket->node, now_s)) return;
  must(!ledger.use(*ticket, ticket->uid, ticket->node, now_s),
       "it is used once");
  proto::TicketLedger other(0);
  must(!other.use(*ticket, ticket->uid + 1, ticket->node, now_s),
       "it is one user's");
  must(!other.use(*ticket, ticket->uid, ticket->node + "x", now_s),
       "it is for one node");
  (void)stranger;
}

}  // namespace gleaner::fuzz
