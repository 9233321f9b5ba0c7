// SPDX-License-Identifier: Apache-2.0
/// job_submit_gleaner as slurmctld calls it: from many threads at once, while
/// gleaner.yaml is rewritten, and without memory.
///
/// Everything here is the plugin's own code, the functions it borrows from
/// slurmctld are libslurm's, and only the log is the test's.
#include <slurm/slurm_errno.h>
#include <sys/stat.h>

#include <atomic>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <thread>
#include <vector>

#include "proto/ticket.hh"
#include "slurm/compat.hh"
#include "test/unit/catch.hh"
#include "test/unit/plugins/desc.hh"
#include "test/unit/plugins/failing_memory.hh"
#include "test/unit/plugins/scratch.hh"

namespace {

std::atomic<int> errors_logged{0};

}  // namespace

// NOLINTBEGIN: the names are the standard's and Slurm's.
extern "C" {
void slurm_info(char const*, ...) {}
void slurm_error(char const*, ...) { ++errors_logged; }

int init(void);
void fini(void);
int job_submit(job_desc_msg_t* desc, std::uint32_t uid, char** err_msg);
#if GLEANER_JOB_MODIFY_TELLS_USER
int job_modify(job_desc_msg_t* desc, struct job_record* job, std::uint32_t uid,
               char** err_msg);
#else
int job_modify(job_desc_msg_t* desc, struct job_record* job, std::uint32_t uid);
#endif
}
// NOLINTEND

namespace gleaner::job_submit {

namespace {

constexpr Uid user = 1000;

/// A cluster's files, and the plugin loaded beside them.  The lease partition
/// has a name of the site's own, so that the defaults guard the wrong one.
class Loaded {
 public:
  Loaded() {
    setenv("GLEANER_CONF", scratch_.path("gleaner.yaml").c_str(), 1);
    save_location_ = scratch_.dir();
    slurm_conf.state_save_location = save_location_.data();
    write(valid());
    auto const key = proto::load_ticket_key(scratch_.path("ticket.key"),
                                            proto::KeyFile::create);
    REQUIRE(key);
    key_ = *key;
    REQUIRE(init() == SLURM_SUCCESS);
    // Tickets of this very second are taken as used before.
    issued_s_ = std::time(nullptr) + 1;
  }
  ~Loaded() {
    fini();
    slurm_conf.state_save_location = nullptr;
    unsetenv("GLEANER_CONF");
  }
  void restart() {
    fini();
    REQUIRE(init() == SLURM_SUCCESS);
  }

  std::string valid(std::string const& more = "") const {
    return "lease_partition: idle\nreservation: idle_resv\nlease_account: "
           "idle_acct\nstate_dir: " +
           scratch_.dir() + "\nrun_dir: " + scratch_.dir() + "\n" + more;
  }
  /// Replace gleaner.yaml in one step, as an editor does.
  void write(std::string const& text) const {
    scratch_.write("gleaner.yaml.new", text);
    std::filesystem::rename(scratch_.path("gleaner.yaml.new"),
                            scratch_.path("gleaner.yaml"));
  }
  void remove() const {
    std::filesystem::remove(scratch_.path("gleaner.yaml"));
  }
  std::string ticket(std::string const& nonce) const {
    proto::Ticket ticket;
    ticket.uid = user;
    ticket.node = "n3";
    ticket.trainer = 7;
    ticket.minutes = 5;
    ticket.issued_s = issued_s_;
    ticket.expires_s = issued_s_ + 3600;
    ticket.nonce = nonce;
    return proto::sign_ticket(ticket, key_);
  }

 private:
  plugins::Scratch scratch_;
  std::string save_location_;
  std::string key_;
  std::int64_t issued_s_ = 0;
};

std::string text(char const* text) { return text ? text : "(null)"; }

/// The answer, and what the user was told.
struct Answer {
  int code;
  std::string told;
};
Answer submit(job_desc_msg_t* desc, Uid uid = user) {
  char* told = nullptr;
  int const code = ::job_submit(desc, uid, &told);
  allocations_left = -1;
  Answer answer{code, told ? told : ""};
  slurm_xfree(reinterpret_cast<void**>(&told));
  return answer;
}
int modify(job_desc_msg_t* desc) {
#if GLEANER_JOB_MODIFY_TELLS_USER
  char* told = nullptr;
  int const code = job_modify(desc, nullptr, user, &told);
  slurm_xfree(reinterpret_cast<void**>(&told));
#else
  int const code = job_modify(desc, nullptr, user);
#endif
  allocations_left = -1;
  return code;
}

/// The kinds of request there are.
void ask_for_partition(plugins::Desc* desc, char const* partition) {
  (*desc)->user_id = user;
  (*desc)->partition = slurm_xstrdup(partition);
}
void ask_for_lease(plugins::Desc* desc, std::string const& ticket) {
  ask_for_partition(desc, "idle");
  (*desc)->reservation = slurm_xstrdup("idle_resv");
  (*desc)->req_nodes = slurm_xstrdup("n3");
  (*desc)->comment = slurm_xstrdup(ticket.c_str());
  (*desc)->immediate = 1;
}
/// Lends the words that SPANK and sbatch would send.
class Malleable {
 public:
  /// `range` null: without --malleable.
  explicit Malleable(char const* range, std::vector<std::string> more = {})
      : values_(std::move(more)) {
    if (range) values_.push_back(std::string("GLEANER_MALLEABLE=") + range);
    for (auto& value : values_) entries_.push_back(value.data());
    ask_for_partition(&desc_, "main");
    desc_->script = script_;
    desc_->spank_job_env = entries_.data();
    desc_->spank_job_env_size = static_cast<std::uint32_t>(entries_.size());
  }
  plugins::Desc& desc() { return desc_; }

 private:
  std::vector<std::string> values_;
  std::vector<char*> entries_;
  char script_[16] = "#!/bin/sh\ntrue\n";
  plugins::Desc desc_;
};

bool is_whole_lease(plugins::Desc& desc) {
  return text(desc->admin_comment).starts_with("gleaner:lease trainer=7") &&
         text(desc->account) == "idle_acct" && desc->time_limit == 5 &&
         desc->comment == nullptr;
}
bool is_whole_base_job(plugins::Desc& desc) {
  return text(desc->admin_comment).starts_with("gleaner:trainer nodes=2-4") &&
         text(desc->partition) == "head" && desc->min_nodes == 1;
}

}  // namespace

TEST_CASE("requests from many threads while gleaner.yaml is rewritten") {
  constexpr int threads_max = 8, turns = 300;
  Loaded cluster;
  std::vector<std::string> tickets;
  for (int i = 0; i < turns; ++i)
    tickets.push_back(cluster.ticket(std::to_string(i)));
  std::atomic<int> leases{0}, wrong{0};
  auto const expect = [&](bool right) {
    if (!right) ++wrong;
  };
  auto const client = [&] {
    for (auto const& ticket : tickets) {
      plugins::Desc ordinary, lease, guarded, moved, changed;
      ask_for_partition(&ordinary, "main,lease");
      expect(submit(ordinary.get()).code == SLURM_SUCCESS);
      expect(text(ordinary->partition) == "main,lease");
      ask_for_lease(&lease, ticket);
      auto const answer = submit(lease.get());
      if (answer.code == SLURM_SUCCESS) ++leases;
      expect(answer.code == SLURM_SUCCESS
                 ? is_whole_lease(lease)
                 : answer.told.find("was used before") != std::string::npos);
      ask_for_partition(&guarded, "main,idle");
      expect(submit(guarded.get()).code == ESLURM_ACCESS_DENIED);
      ask_for_partition(&moved, "idle");
      expect(modify(moved.get()) == ESLURM_ACCESS_DENIED);
      ask_for_partition(&changed, "main");
      expect(modify(changed.get()) == SLURM_SUCCESS);
      Malleable training("2-4");
      auto const malleable = submit(training.desc().get());
      expect(malleable.code == SLURM_SUCCESS
                 ? is_whole_base_job(training.desc())
                 : malleable.told.find("not possible now") !=
                       std::string::npos);
    }
  };
  std::atomic<bool> stop{false};
  std::jthread const rewriter([&] {
    for (int i = 0; !stop; ++i) {
      cluster.write(cluster.valid(
          "ticket_valid_s: " + std::to_string(i % 100 + 1) + "\n"));
      std::this_thread::yield();
      cluster.write("lease_partition: [\n");
      std::this_thread::yield();
      cluster.remove();
      std::this_thread::yield();
    }
  });
  {
    std::vector<std::jthread> clients;
    for (int i = 0; i < threads_max; ++i) clients.emplace_back(client);
  }
  stop = true;
  CHECK(wrong == 0);
  CHECK(leases == turns);  // each ticket once
}

TEST_CASE("a weight and a deadline are part of the training's mark") {
  Loaded const cluster;
  Malleable training("2-4", {"GLEANER_MALLEABLE_WEIGHT=0.5",
                             "GLEANER_MALLEABLE_DEADLINE=1772600000"});
  CHECK(submit(training.desc().get()).code == SLURM_SUCCESS);
  CHECK(text(training.desc()->admin_comment) ==
        "gleaner:trainer nodes=2-4 weight=0.5 deadline=1772600000 "
        "lease=--partition=main");
}

TEST_CASE("what sbatch would not have sent is refused in slurmctld, too") {
  Loaded const cluster;
  for (char const* wrong :
       {"GLEANER_MALLEABLE_WEIGHT=1000", "GLEANER_MALLEABLE_WEIGHT=",
        "GLEANER_MALLEABLE_WEIGHT=1 lease=--partition=lease",
        "GLEANER_MALLEABLE_DEADLINE=now", "GLEANER_MALLEABLE_DEADLINE=-1",
        "GLEANER_MALLEABLE_DEADLINE=5 lease="}) {
    CAPTURE(wrong);
    Malleable training("2-4", {wrong});
    auto const answer = submit(training.desc().get());
    CHECK(answer.code != SLURM_SUCCESS);
    CHECK_THAT(answer.told, Catch::Contains("gleaner: --malleable-"));
  }
}

TEST_CASE("a weight without --malleable is refused") {
  Loaded const cluster;
  Malleable weighed(nullptr, {"GLEANER_MALLEABLE_WEIGHT=2"});
  auto const answer = submit(weighed.desc().get());
  CHECK(answer.code == ESLURM_NOT_SUPPORTED);
  CHECK_THAT(answer.told, Catch::Contains("add --malleable=MIN-MAX"));
}

TEST_CASE("an unreadable gleaner.yaml leaves our own names guarded") {
  Loaded cluster;
  auto const spoil = GENERATE(
      +[](Loaded& c) { c.remove(); }, +[](Loaded& c) { c.write("lease: [\n"); },
      +[](Loaded& c) { c.write("unknown: key\n"); });
  spoil(cluster);
  SECTION("while slurmctld runs") {}
  SECTION("and when it starts again") { cluster.restart(); }
  for (auto const* guarded : {"idle", "main,idle"}) {
    plugins::Desc submitted, updated;
    ask_for_partition(&submitted, guarded);
    CHECK(submit(submitted.get()).code == ESLURM_ACCESS_DENIED);
    ask_for_partition(&updated, guarded);
    CHECK(modify(updated.get()) == ESLURM_ACCESS_DENIED);
  }
  plugins::Desc ordinary;
  ask_for_partition(&ordinary, "lease");
  CHECK(submit(ordinary.get()).code == SLURM_SUCCESS);
  Malleable training("2-4");
  auto const answer = submit(training.desc().get());
  CHECK(answer.code == ESLURM_NOT_SUPPORTED);
  CHECK_THAT(answer.told, Catch::Contains("gleaner.yaml") &&
                              Catch::Contains("[ask the administrator]"));
}

TEST_CASE("without memory our own is refused and others pass") {
  Loaded cluster;
  bool const file_changed = GENERATE(false, true);
  CAPTURE(file_changed);
  // With the n-th allocation failing and all after it, for n from 0 on.
  auto const for_every_failure = [&](std::function<void()> const& request) {
    int n = 0;
    do {
      if (file_changed)
        cluster.write(cluster.valid("# " + std::to_string(n) + "\n"));
      allocation_failed = false;
      INFO("allocation " << n << " fails");
      allocations_left = n;
      // Reading the file takes thousands, which are much alike.
      n += n < 300 ? 1 : 13;
      request();
      allocations_left = -1;
    } while (allocation_failed);
    CHECK(n > 1);
  };
  SECTION("an ordinary job passes") {
    plugins::Desc desc;
    ask_for_partition(&desc, "main");
    for_every_failure([&] {
      int const submitted = submit(desc.get()).code;
      CHECK(submitted == SLURM_SUCCESS);
    });
  }
  SECTION("an ordinary update passes") {
    plugins::Desc desc;
    ask_for_partition(&desc, "main");
    if (file_changed)
      for_every_failure([&] {
        int const updated = modify(desc.get());
        CHECK(updated == SLURM_SUCCESS);
      });
  }
  SECTION("what names our partition is refused") {
    plugins::Desc desc;
    ask_for_partition(&desc, "main,idle");
    for_every_failure([&] {
      auto const answer = submit(desc.get());
      CHECK(answer.code == ESLURM_ACCESS_DENIED);
      CHECK(answer.told.starts_with("gleaner: "));
    });
    for_every_failure([&] {
      int const updated = modify(desc.get());
      CHECK(updated == ESLURM_ACCESS_DENIED);
    });
  }
  SECTION("a lease is whole, or it is refused") {
    int i = 0;
    for_every_failure([&] {
      auto const left = allocations_left;
      allocations_left = -1;
      plugins::Desc desc;
      ask_for_lease(&desc, cluster.ticket(std::to_string(i++)));
      allocations_left = left;
      auto const answer = submit(desc.get());
      if (answer.code == SLURM_SUCCESS)
        CHECK(is_whole_lease(desc));
      else
        CHECK(answer.code == ESLURM_ACCESS_DENIED);
    });
  }
  SECTION("a malleable job is whole, or it is refused") {
    for_every_failure([&] {
      auto const left = allocations_left;
      allocations_left = -1;
      Malleable training("2-4");
      allocations_left = left;
      auto const answer = submit(training.desc().get());
      if (answer.code == SLURM_SUCCESS)
        CHECK(is_whole_base_job(training.desc()));
      else
        CHECK(answer.code == ESLURM_ACCESS_DENIED);
    });
  }
}

}  // namespace gleaner::job_submit
