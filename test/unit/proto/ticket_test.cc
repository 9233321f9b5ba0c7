// SPDX-License-Identifier: Apache-2.0
/// Which tickets open a node, and for whom.
#include "proto/ticket.hh"

#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <fstream>
#include <thread>
#include <vector>

#include "test/unit/catch.hh"

namespace gleaner::proto {
namespace {

constexpr char key[] = "0123456789abcdef0123456789abcdef";
Ticket const ticket{1000, "n3", 42, 5, 100, 110, "00112233445566ff"};

TEST_CASE("a ticket reads back what was signed") {
  auto const text = sign_ticket(ticket, key);
  CHECK(text.rfind("gleaner1:1000:n3:42:5:100:110:00112233445566ff:", 0) == 0);
  auto const again = verify_ticket(text, key);
  REQUIRE(again);
  CHECK(*again == ticket);
}

Ticket const of_part{1000,
                     "n3+1",
                     42,
                     5,
                     100,
                     110,
                     "00112233445566ff",
                     Resources{2, 8000, {{"gpu:a", 1}, {"nvme", 2}}}};

TEST_CASE("the ticket of a part says what it takes") {
  auto const text = sign_ticket(of_part, key);
  CHECK(text.rfind("gleaner2:1000:n3+1:42:5:100:110:00112233445566ff:"
                   "gpu=a=1,nvme=2:2:8000:",
                   0) == 0);
  auto const again = verify_ticket(text, key);
  REQUIRE(again);
  CHECK(*again == of_part);
  TicketLedger ledger(90);
  CHECK(ledger.use(*again, 1000, "n3", 105));
}

TEST_CASE("a ticket of a part without its form is none") {
  auto const refused = [](auto change) {
    auto ticket = of_part;
    change(&ticket);
    auto const again = verify_ticket(sign_ticket(ticket, key), key);
    return !again && again.error().code == Errc::invalid_argument;
  };
  CHECK_FALSE(refused([](Ticket*) {}));
  CHECK(refused([](Ticket* t) { t->node = "n3"; }));
  CHECK(refused([](Ticket* t) { t->part.reset(); }));
  CHECK(refused([](Ticket* t) { t->part->gres.clear(); }));
  CHECK(refused([](Ticket* t) { t->part->cpus = 0; }));
  CHECK(refused([](Ticket* t) { t->part->memory_mb = 0; }));
}

TEST_CASE("a changed or foreign ticket is refused") {
  auto const good = sign_ticket(ticket, key);
  auto changed = good;
  changed[changed.find("n3") + 1] = '4';
  CHECK(verify_ticket(changed, key).error().code == Errc::denied);
  CHECK(verify_ticket(good, "another key").error().code == Errc::denied);
  CHECK(verify_ticket(good + "0", key).error().code == Errc::denied);
  for (auto const* text :
       {"", "my job", "gleaner1:1:2", "gleaner2:1:n:1:1:1:1:x:y"})
    CHECK(verify_ticket(text, key).error().code == Errc::invalid_argument);
  CHECK(verify_ticket(std::string(5000, ':'), key).error().code ==
        Errc::invalid_argument);
}

// Only gleanerd can sign such a one; the difference of two times must have
// room.
TEST_CASE("a ticket of before 1970 is refused") {
  for (auto const& [issued_s, expires_s] :
       {std::pair{-1L, 110L}, {100L, -1L}, {100L, -9223372036854775807L}}) {
    INFO(issued_s << " " << expires_s);
    Ticket const old{1000, "n3", 42, 5, issued_s, expires_s, "00"};
    auto const read = verify_ticket(sign_ticket(old, key), key);
    REQUIRE(!read);
    CHECK(read.error().code == Errc::invalid_argument);
  }
}

TEST_CASE("a ticket is good once, for its user, on its node, in its time") {
  struct Row {
    Uid uid;
    char const* node;
    std::int64_t now_s;
    char const* why;
  };
  auto const row = GENERATE(Row{1001, "n3", 105, "was given to uid 1000"},
                            Row{1000, "n4", 105, "does not cover 'n4'"},
                            Row{1000, "n[3-4]", 105, "does not cover"},
                            Row{1000, "", 105, "does not cover"},
                            Row{1000, "n3", 111, "expired 1 s ago"});
  TicketLedger ledger(90);
  auto const refused = ledger.use(ticket, row.uid, row.node, row.now_s);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message.find(row.why) != std::string::npos);
  // A refusal does not use it up.
  CHECK(ledger.use(ticket, 1000, "n3", 105));
  auto const again = ledger.use(ticket, 1000, "n3", 105);
  REQUIRE_FALSE(again);
  CHECK(again.error().message.find("was used before") != std::string::npos);
}

TEST_CASE("tickets from before a restart of slurmctld are refused") {
  TicketLedger ledger(101);
  CHECK_FALSE(ledger.use(ticket, 1000, "n3", 105));
}

TEST_CASE("a ticket cannot be used again after a restart within its second") {
  TicketLedger before(90), after(ticket.issued_s), later(ticket.issued_s - 1);
  CHECK(before.use(ticket, 1000, "n3", ticket.issued_s));
  CHECK_FALSE(after.use(ticket, 1000, "n3", ticket.issued_s));
  CHECK(later.use(ticket, 1000, "n3", ticket.issued_s));
}

TEST_CASE("of many threads with one ticket, one is admitted") {
  TicketLedger ledger(90);
  std::atomic<int> admitted{0};
  auto const try_all = [&](int thread) {
    for (int i = 0; i < 500; ++i) {
      auto shared = ticket;
      shared.nonce = std::to_string(i);
      if (ledger.use(shared, 1000, "n3", 105)) ++admitted;
      auto own = ticket;
      own.nonce = std::to_string(thread) + ":" + std::to_string(i);
      // Expired uses are forgotten beside all this.
      own.expires_s = 106 + i % 2;
      if (!ledger.use(own, 1000, "n3", 105 + i % 2)) admitted = -100000;
    }
  };
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 8; ++i) threads.emplace_back(try_all, i);
  }
  CHECK(admitted == 500);
}

TEST_CASE("the key file is made once, for its owner alone") {
  char dir[] = "/tmp/ticket_test.XXXXXX";
  REQUIRE(::mkdtemp(dir));
  auto const path = std::string(dir) + "/ticket.key";
  CHECK(load_ticket_key(path, KeyFile::must_exist).error().code == Errc::io);
  auto const made = load_ticket_key(path, KeyFile::create);
  REQUIRE(made);
  CHECK(made->size() == 64);
  CHECK(*load_ticket_key(path, KeyFile::create) == *made);
  ::chmod(path.c_str(), 0644);
  CHECK(load_ticket_key(path, KeyFile::create).error().code == Errc::denied);
  ::chmod(path.c_str(), 0600);
  std::ofstream(path, std::ios::trunc) << "short";
  CHECK(load_ticket_key(path, KeyFile::create).error().code == Errc::io);
  ::unlink(path.c_str());
  ::rmdir(dir);
}

}  // namespace
}  // namespace gleaner::proto
