// SPDX-License-Identifier: Apache-2.0
/// gleanerd's outside: journal, lock, Slurm's thread, polling, log throttling.
#include <sqlite3.h>
#include <sys/stat.h>

#include <atomic>
#include <fstream>
#include <future>

#include "core/throttle.hh"
#include "daemon/io/free_nodes_file.hh"
#include "daemon/io/journal.hh"
#include "daemon/io/lease_ender.hh"
#include "daemon/io/poller.hh"
#include "daemon/io/problem_log.hh"
#include "daemon/io/setup_watch.hh"
#include "daemon/io/slurm_worker.hh"
#include "daemon/io/state_dir.hh"
#include "test/unit/catch.hh"
#include "test/unit/daemon/temporary_dir.hh"

namespace gleaner::daemon {
namespace {

using namespace std::chrono_literals;

/// Run the loop until `done` holds, at most some seconds.
template <class Done>
bool run_until(asio::io_context& io, Done done) {
  auto const work = asio::make_work_guard(io);  // posts come from a thread
  io.restart();
  auto const end = std::chrono::steady_clock::now() + 10s;
  while (!done() && std::chrono::steady_clock::now() < end)
    io.run_one_for(100ms);
  return done();
}

TEST_CASE("the journal keeps events in order, across restarts") {
  TemporaryDir dir;
  auto const path = dir.path() + "/journal.sqlite";
  for (int i = 0; i < 2; ++i) {
    auto journal = Journal::open(path, {});
    REQUIRE(journal);
    CHECK((*journal)->add(10.5 + i, "started", R"({"mode":"on"})"));
  }
  sqlite3* database = nullptr;
  REQUIRE(sqlite3_open(path.c_str(), &database) == SQLITE_OK);
  std::string rows;
  sqlite3_exec(
      database,
      "SELECT id || ' ' || t_s || ' ' || event || ' ' || data FROM event",
      [](void* out, int, char** column, char**) {
        *static_cast<std::string*>(out) += std::string(column[0]) + "\n";
        return 0;
      },
      &rows, nullptr);
  sqlite3_close(database);
  CHECK(rows ==
        "1 10.5 started {\"mode\":\"on\"}\n2 11.5 started {\"mode\":\"on\"}\n");
}

/// Oldest and newest row, and how many there are: "3 9 7".
std::string span_of(std::string const& path) {
  sqlite3* database = nullptr;
  REQUIRE(sqlite3_open(path.c_str(), &database) == SQLITE_OK);
  std::string found;
  sqlite3_exec(
      database,
      "SELECT min(id) || ' ' || max(id) || ' ' || count(*) FROM event",
      [](void* out, int, char** column, char**) {
        *static_cast<std::string*>(out) = column[0];
        return 0;
      },
      &found, nullptr);
  sqlite3_close(database);
  return found;
}

TEST_CASE("the journal forgets what is older than its days") {
  TemporaryDir dir;
  auto const path = dir.path() + "/journal.sqlite";
  auto journal = Journal::open(path, {1, 1024});
  REQUIRE(journal);
  for (int i = 0; i < 100; ++i) REQUIRE((*journal)->add(i, "old", "{}"));
  for (int i = 0; i < 400; ++i) REQUIRE((*journal)->add(90000, "new", "{}"));
  CHECK(span_of(path) == "101 500 400");
}

TEST_CASE("the journal forgets the first events when it is too large") {
  TemporaryDir dir;
  auto const path = dir.path() + "/journal.sqlite";
  auto journal = Journal::open(path, {365, 1});
  REQUIRE(journal);
  std::string const data(2000, 'x');
  for (int i = 0; i < 4096; ++i) REQUIRE((*journal)->add(i, "e", data));
  journal->reset();
  struct stat info {};
  REQUIRE(::stat(path.c_str(), &info) == 0);
  CHECK(info.st_size < 3 << 20);  // 4096 rows take 8 MB
  CHECK(span_of(path).find(" 4096 ") != std::string::npos);
}

TEST_CASE("a journal that cannot be made says which file") {
  auto journal = Journal::open("/nonexistent/journal.sqlite", {});
  REQUIRE_FALSE(journal);
  CHECK(journal.error().message.find("/nonexistent/journal.sqlite") !=
        std::string::npos);
}

std::string text_of(std::string const& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST_CASE("the problem log gets a line for each problem") {
  TemporaryDir dir;
  auto const path = dir.path() + "/problems";
  ProblemLog const log(path, 1000);
  REQUIRE(log.add("{}"));
  REQUIRE(log.add("[]"));
  CHECK(text_of(path) == "{}\n[]\n");
  struct stat info {};
  REQUIRE(::stat(path.c_str(), &info) == 0);
  CHECK((info.st_mode & 07777) == 0600);
}

TEST_CASE("a problem log that is too large begins again, once kept") {
  TemporaryDir dir;
  auto const path = dir.path() + "/problems";
  ProblemLog const log(path, 3);
  for (auto line : {"first", "second", "third"}) REQUIRE(log.add(line));
  CHECK(text_of(path) == "third\n");
  CHECK(text_of(path + ".1") == "second\n");
}

TEST_CASE("a problem log that cannot be written says which file") {
  auto const done = ProblemLog("/nonexistent/problems", 1).add("{}");
  REQUIRE_FALSE(done);
  CHECK(done.error().message ==
        "cannot open the problem_log /nonexistent/problems (No such file or "
        "directory)");
}

TEST_CASE("directories are made with their modes, once") {
  TemporaryDir dir;
  auto config = default_config();
  config.run_dir = dir.path() + "/run";
  config.state_dir = dir.path() + "/state";
  REQUIRE(make_directories(config));
  REQUIRE(make_directories(config));
  struct stat info {};
  REQUIRE(::stat(config.run_dir.c_str(), &info) == 0);
  CHECK((info.st_mode & 07777) == 0711);
  REQUIRE(::stat(config.state_dir.c_str(), &info) == 0);
  CHECK((info.st_mode & 07777) == 0700);
}

TEST_CASE("a directory in which others may write is refused") {
  TemporaryDir dir;
  auto config = default_config();
  config.run_dir = dir.path();
  ::chmod(dir.path().c_str(), 0777);
  auto done = make_directories(config);
  REQUIRE_FALSE(done);
  CHECK(done.error().code == Errc::denied);
}

TEST_CASE("only one gleanerd uses a state directory") {
  TemporaryDir dir;
  auto first = StateLock::take(dir.path());
  REQUIRE(first);
  auto second = StateLock::take(dir.path());
  REQUIRE_FALSE(second);
  CHECK(second.error().code == Errc::unavailable);
}

TEST_CASE("what one peer does fills one line in ten seconds") {
  Throttle throttle;
  CHECK(throttle.pass("a", 0) == 0u);
  CHECK(throttle.pass("a", 1) == std::nullopt);
  CHECK(throttle.pass("a", 9) == std::nullopt);
  CHECK(throttle.pass("b", 9) == 0u);
  CHECK(throttle.pass("a", 10) == 2u);
}

TEST_CASE("the end of a lease overtakes other calls to Slurm") {
  asio::io_context io;
  SlurmWorker worker(io, 4096, 1);
  std::promise<void> go;
  std::string order;
  auto const note = [&](char name) {
    return [&order, name]() -> SlurmWorker::Then {
      return [&order, name] { order += name; };
    };
  };
  std::promise<void> begun;
  worker.submit(SlurmWorker::Urgency::in_turn, [&]() -> SlurmWorker::Then {
    begun.set_value();
    go.get_future().wait();
    return nullptr;
  });
  begun.get_future().wait();
  worker.submit(SlurmWorker::Urgency::in_turn, note('a'));
  worker.submit(SlurmWorker::Urgency::now, note('b'));
  go.set_value();
  CHECK(run_until(io, [&] { return order.size() == 2; }));
  CHECK(order == "ba");
}

TEST_CASE("a queue that is full refuses instead of growing") {
  asio::io_context io;
  SlurmWorker worker(io, 1, 1);
  std::promise<void> go, begun;
  worker.submit(SlurmWorker::Urgency::in_turn, [&]() -> SlurmWorker::Then {
    begun.set_value();
    go.get_future().wait();
    return nullptr;
  });
  begun.get_future().wait();
  auto const nothing = []() -> SlurmWorker::Then { return nullptr; };
  CHECK(worker.submit(SlurmWorker::Urgency::in_turn, nothing));
  CHECK_FALSE(worker.submit(SlurmWorker::Urgency::in_turn, nothing));
  CHECK_FALSE(worker.stop(0));  // the first call hangs
  go.set_value();
  CHECK(worker.stop(10));
}

TEST_CASE("a call that hangs stops no other") {
  asio::io_context io;
  SlurmWorker worker(io, 4096, 2);
  std::promise<void> go;
  worker.submit(SlurmWorker::Urgency::now, [&]() -> SlurmWorker::Then {
    go.get_future().wait();
    return nullptr;
  });
  int done = 0;
  for (int i = 0; i < 3; ++i)
    worker.submit(SlurmWorker::Urgency::now,
                  [&]() -> SlurmWorker::Then { return [&done] { ++done; }; });
  CHECK(run_until(io, [&] { return done == 3; }));
  CHECK_FALSE(worker.stop(0));
  go.set_value();
  CHECK(worker.stop(10));
}

/// A slurmctld that answers at once.
class FakeSource final : public slurm::SnapshotSource {
 public:
  explicit FakeSource(std::atomic<int>* looks) : looks_(looks) {}
  Result<slurm::Loaded> load(TimeS now_s) override {
    if (++*looks_ == 2) return Error{Errc::unavailable, "slurmctld is away"};
    slurm::Loaded loaded;
    loaded.snapshot.time_s = now_s;
    return loaded;
  }

 private:
  std::atomic<int>* looks_;
};

TEST_CASE(
    "polling goes on after a failure; a change does not wait for a turn") {
  asio::io_context io;
  SlurmWorker worker(io);
  SystemClock const clock;
  std::atomic<int> looks{0};
  int snapshots = 0;
  Poller poller(io, worker, clock, std::make_unique<FakeSource>(&looks),
                [&](Snapshot const&) { ++snapshots; });
  auto config = default_config();
  config.scan_interval_ms = 50;
  config.scan_gap_ms_min = 1;
  poller.start(config);
  CHECK(run_until(io, [&] { return snapshots >= 2; }));
  CHECK(looks >= 3);
  config.scan_interval_ms = 600000;
  poller.start(config);
  for (int i = 0; i < 3; ++i) {
    int const before = snapshots;
    poller.look_again();
    CHECK(run_until(io, [&] { return snapshots > before; }));
  }
}

TEST_CASE("free nodes are in a file while anything is lent") {
  TemporaryDir const dir;
  auto const path = free_nodes_path(dir.path());
  auto const said = [&] {
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);
    return line;
  };
  FreeNodes const lent{0, 2, {{"main", true, 1, 0, 2}}};
  {
    FreeNodesFile file(dir.path());
    REQUIRE(file.publish(FreeNodes{}, 1000));
    CHECK_FALSE(std::filesystem::exists(path));
    REQUIRE(file.publish(lent, 1000));
    CHECK(said() == "until 1003.000 notice 2");
    REQUIRE(file.publish(lent, 1001));  // not yet
    CHECK(said() == "until 1003.000 notice 2");
    REQUIRE(file.publish(lent, 1001.5));
    CHECK(said() == "until 1004.500 notice 2");
    REQUIRE(file.publish({0, 2, {{"main", true, 0, 0, 2}}}, 1001.6));
    CHECK(said() == "until 1004.600 notice 2");
    REQUIRE(file.publish(FreeNodes{}, 1002));
    CHECK_FALSE(std::filesystem::exists(path));
    REQUIRE(file.publish(lent, 1003));
  }
  CHECK_FALSE(std::filesystem::exists(path));  // gleanerd has ended
  FreeNodesFile nowhere(dir.path() + "/gone");
  auto const failed = nowhere.publish(lent, 1000);
  REQUIRE_FALSE(failed);
  CHECK(failed.error().message.find("/gone/free_nodes") != std::string::npos);
}

/// Notes what is done to the reservation.
class FakeControl : public slurm::SlurmControl {
 public:
  slurm::SlurmSetup setup;
  std::atomic<int> kept{0}, removed{0};

  Result<void> end_leases(std::vector<JobId> const&) override { return {}; }
  Result<slurm::JobRecord> job(JobId) override { return slurm::JobRecord{}; }
  Result<void> set_time_limit(JobId, int) override { return {}; }
  Result<void> begin_now(JobId) override { return {}; }
  Result<void> keep_reservation() override { return ++kept, Result<void>(); }
  Result<void> remove_reservation() override {
    return ++removed, Result<void>();
  }
  Result<slurm::SlurmSetup> check() override { return setup; }
};

/// Answers when it may, and notes what it was asked to end.
class SlowControl final : public FakeControl {
 public:
  std::promise<void> first_asked, may_answer;
  std::vector<std::vector<JobId>> asked;

  Result<void> end_leases(std::vector<JobId> const& leases) override {
    asked.push_back(leases);
    if (asked.size() == 1) {
      first_asked.set_value();
      may_answer.get_future().wait();
    }
    return {};
  }
};

TEST_CASE("Slurm is asked once to end a lease, until it has answered") {
  asio::io_context io;
  SlowControl control;
  SlurmWorker worker(io, 4096, 1);
  std::vector<std::size_t> answered;
  LeaseEnder ender(
      worker,
      std::shared_ptr<slurm::SlurmControl>(std::shared_ptr<void>(), &control),
      [&](std::size_t leases, Result<void> const& done) {
        CHECK(done);
        answered.push_back(leases);
      });
  ender.flush();  // nothing was added
  ender.add(101);
  ender.add(102);
  ender.add(102);
  ender.flush();
  control.first_asked.get_future().wait();  // the next one would overtake it
  ender.add(101);
  ender.add(103);
  ender.flush();
  control.may_answer.set_value();
  REQUIRE(run_until(io, [&] { return answered.size() == 2; }));
  ender.add(101);
  ender.flush();
  REQUIRE(run_until(io, [&] { return answered.size() == 3; }));
  CHECK(control.asked ==
        std::vector<std::vector<JobId>>{{101, 102}, {103}, {101}});
}

/// What SetupWatch says of this setup: 1 leases are possible, 0 they are not.
int lending(FakeControl* control, std::string const& mode) {
  asio::io_context io;
  SlurmWorker worker(io);
  SystemClock const clock;
  int said = -1;
  SetupWatch watch(
      io, worker, clock,
      std::shared_ptr<slurm::SlurmControl>(std::shared_ptr<void>(), control),
      [&](bool possible, slurm::SlurmSetup const&) { said = possible; });
  auto config = default_config();
  config.mode = parse_choice<Config::Mode>(mode).value();
  watch.start(config);
  run_until(io, [&] { return said >= 0; });
  return said;
}

TEST_CASE("the reservation is kept only while users are kept out of it") {
  FakeControl control;
  control.setup.licensed = true;
  SECTION("guarded") {
    control.setup.guarded = true;
    CHECK(lending(&control, "on") == 1);
    CHECK(control.kept == 1);
  }
  SECTION("not guarded") {
    CHECK(lending(&control, "on") == 0);
    CHECK(control.kept == 0);
    CHECK(control.removed == 1);
  }
  SECTION("guarded, but slurm.conf is wrong") {
    control.setup.guarded = true;
    control.setup.findings = {
        {slurm::Finding::Severity::refuse, "", "GraceTime=5", ""}};
    CHECK(lending(&control, "on") == 0);
    CHECK(control.kept + control.removed == 0);
  }
  SECTION("observe touches nothing") {
    lending(&control, "observe");
    CHECK(control.kept + control.removed == 0);
  }
}

}  // namespace
}  // namespace gleaner::daemon
