// SPDX-License-Identifier: Apache-2.0
/// Lines that a thread writes: to files, to what stands still, to what is full.
#include "runtime/os/line_file.hh"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>

#include "test/unit/catch.hh"

namespace gleaner::os {

namespace {

struct Trouble {
  std::atomic<int> times = 0;
  std::string why;
};

LineFile::Hooks hooks(std::shared_ptr<Trouble> const& trouble) {
  return {[](auto lost) { return std::to_string(lost) + " lost\n"; },
          [trouble](std::string const& why) {
            ++trouble->times;
            trouble->why = why;
          }};
}

/// A file of this test's own.
struct File {
  File() {
    REQUIRE(::mkdtemp(directory));
    path = std::string(directory) + "/lines";
  }
  ~File() { std::filesystem::remove_all(directory); }
  Fd open() const {
    return Fd(::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT, 0600));
  }
  std::string text() const {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  char directory[64] = "/tmp/line_file_test.XXXXXX";
  std::string path;
};

/// No file grows beyond this, while it lives.
struct SizeLimit {
  explicit SizeLimit(rlim_t bytes) {
    ::getrlimit(RLIMIT_FSIZE, &before);
    rlimit const limit{bytes, before.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~SizeLimit() { ::setrlimit(RLIMIT_FSIZE, &before); }
  rlimit before{};
};

}  // namespace

TEST_CASE("lines come in order, and are all there at the end") {
  File const file;
  {
    LineFile lines(file.open(), hooks(std::make_shared<Trouble>()));
    for (auto const* line : {"a\n", "b\n", "c\n"}) lines.write(line);
  }
  CHECK(file.text() == "a\nb\nc\n");
}

TEST_CASE("it can be waited for that lines are written") {
  File const file;
  LineFile lines(file.open(), hooks(std::make_shared<Trouble>()));
  for (int i = 0; i < 1000; ++i) lines.write("line\n");
  lines.all_on_disk().wait();
  CHECK(file.text().size() == 5000);
}

TEST_CASE("lines that cannot be written are not said to be there") {
  LineFile lines(Fd(::open("/dev/full", O_WRONLY)),
                 hooks(std::make_shared<Trouble>()));
  lines.write("line\n");
  auto const written = lines.all_on_disk();
  CHECK(written.wait_for(std::chrono::milliseconds(50)) ==
        std::future_status::timeout);
}

TEST_CASE(
    "nobody waits for a file that stands still; what is too much is "
    "counted in its place") {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  Fd const reader(ends[0]);
  LineFile lines(Fd(ends[1]), hooks(std::make_shared<Trouble>()));
  // The pipe is full long before; the thread that writes to it has one more.
  std::string const line(1023, 'x');
  auto const fit = LineFile::waiting_bytes_max / 1024;
  for (std::size_t i = 0; i < fit + 1000; ++i) lines.write(line + '\n');
  CHECK_FALSE(lines.wait(0.01));

  std::string all, tail;
  char buffer[1 << 16];
  while (tail.find("lost\n") == std::string::npos) {
    auto const n = ::read(reader.get(), buffer, sizeof buffer);
    REQUIRE(n > 0);
    all.append(buffer, std::size_t(n));
    tail = all.substr(all.size() - std::min<std::size_t>(all.size(), 64));
  }
  REQUIRE(lines.wait(60));
  auto const whole = all.rfind("x\n") + 2;
  CHECK(whole % 1024 == 0);
  auto const written = whole / 1024;
  CHECK(written >= fit);
  CHECK(all.substr(whole) == std::to_string(fit + 1000 - written) + " lost\n");
}

TEST_CASE("a full disk is told of once; its lines wait until the end") {
  auto const trouble = std::make_shared<Trouble>();
  {
    LineFile lines(Fd(::open("/dev/full", O_WRONLY)), hooks(trouble));
    for (int i = 0; i < 3; ++i) lines.write("line\n");
    CHECK_FALSE(lines.wait(0.6));
    CHECK(trouble->times == 1);
  }
  CHECK(trouble->why == "No space left on device");
}

TEST_CASE("a line that a full disk cut off goes on where it was cut") {
  File const file;
  auto const trouble = std::make_shared<Trouble>();
  LineFile lines(file.open(), hooks(trouble));
  {
    SizeLimit const limit(10);
    lines.write("first\n");
    lines.write("second\n");
    CHECK_FALSE(lines.wait(0.1));
  }
  lines.write("third\n");
  REQUIRE(lines.wait(60));
  CHECK(trouble->times == 1);
  CHECK(file.text() == "first\nsecond\nthird\n");
}

TEST_CASE("a line that begins the next file is its first") {
  File const file;
  auto const next = file.path + ".next";
  {
    auto with_next = hooks(std::make_shared<Trouble>());
    with_next.next_file = [next] {
      return Fd(::open(next.c_str(), O_WRONLY | O_CREAT, 0600));
    };
    LineFile lines(file.open(), with_next);
    lines.write("a\n");
    CHECK(lines.write_in_next_file("b\n"));
    lines.write("c\n");
  }
  CHECK(file.text() == "a\n");
  std::ifstream in(next);
  CHECK(std::string(std::istreambuf_iterator<char>(in), {}) == "b\nc\n");
}

TEST_CASE("where no next file can be made, the old one goes on") {
  File const file;
  {
    auto without = hooks(std::make_shared<Trouble>());
    without.next_file = [] { return Fd(); };
    LineFile lines(file.open(), without);
    lines.write("a\n");
    lines.write_in_next_file("b\n");
  }
  CHECK(file.text() == "a\nb\n");
}

}  // namespace gleaner::os
