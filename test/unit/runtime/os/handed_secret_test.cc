// SPDX-License-Identifier: Apache-2.0
/// How a training's secret is handed on, and from where it is not taken.
#include "runtime/os/handed_secret.hh"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <future>

#include "test/unit/catch.hh"

namespace gleaner::os {
namespace {

using std::chrono::milliseconds;

std::string const secret(64, 'a');

/// A pipe that has this text, and then its end.
Fd pipe_with(std::string const& text) {
  std::array<int, 2> ends{};
  REQUIRE(::pipe2(ends.data(), O_CLOEXEC) == 0);
  REQUIRE(::write(ends[1], text.data(), text.size()) == ssize_t(text.size()));
  ::close(ends[1]);
  return Fd(ends[0]);
}

bool is_close_on_exec(int fd) { return ::fcntl(fd, F_GETFD) & FD_CLOEXEC; }

TEST_CASE("an agent reads what its coordinator writes to its standard input") {
  auto const pipe = secret_pipe([] { return Result<std::string>(secret); });
  REQUIRE(pipe);
  CHECK(is_close_on_exec(pipe->get()));
  auto const read = read_secret_line(pipe->get(), milliseconds(1000));
  REQUIRE(read);
  CHECK(*read == secret);
}

TEST_CASE("what takes long to hand on holds nobody up, and may fail") {
  std::promise<void> answer;
  auto const pipe = secret_pipe([&]() -> Result<std::string> {
    answer.get_future().wait();
    return Error{Errc::denied, "MUNGE cannot sign (for this test)"};
  });
  REQUIRE(pipe);
  CHECK(read_secret_line(pipe->get(), milliseconds(20)).error().code ==
        Errc::timed_out);
  answer.set_value();
  CHECK(read_secret_line(pipe->get(), milliseconds(1000)).error().code ==
        Errc::invalid_argument);
}

TEST_CASE("a child that is gone before it reads does no harm") {
  std::promise<void> gone, written;
  {
    auto const pipe = secret_pipe([&] {
      gone.get_future().wait();
      written.set_value_at_thread_exit();
      return Result<std::string>(secret);
    });
    REQUIRE(pipe);
  }
  gone.set_value();
  written.get_future().wait();  // without a SIGPIPE
}

TEST_CASE("what comes on standard input is one word, and comes in time") {
  struct Case {
    std::string text;
    bool good;
  };
  for (auto const& [text, good] :
       {Case{"abc\n", true}, Case{"abc", true}, Case{"abc\nmore\n", true},
        Case{"", false}, Case{"\n", false}, Case{"two words\n", false},
        Case{std::string("a\0b\n", 4), false},
        Case{std::string(5000, 'a') + "\n", false}}) {
    INFO('"' << text << '"');
    auto const read =
        read_secret_line(pipe_with(text).get(), milliseconds(1000));
    CHECK(bool(read) == good);
    if (read) CHECK(*read == "abc");
  }
  std::array<int, 2> ends{};
  REQUIRE(::pipe(ends.data()) == 0);
  auto const none = read_secret_line(ends[0], milliseconds(20));
  REQUIRE_FALSE(none);
  CHECK(none.error().code == Errc::timed_out);
  ::close(ends[0]), ::close(ends[1]);
}

TEST_CASE("a member takes the secret once, and others still can") {
  auto const memory = secret_memory(secret);
  REQUIRE(memory);
  CHECK(is_close_on_exec(memory->get()));
  CHECK(memory->get() >= 10);  // a script's "exec 3>log" does not close it
  for (int member = 0; member < 2; ++member) {
    int const left = ::dup(memory->get());
    auto const taken = take_secret(left);
    REQUIRE(taken);
    CHECK(*taken == secret);
    CHECK(::fcntl(left, F_GETFD) == -1);
    CHECK_FALSE(take_secret(left));
  }
}

TEST_CASE("a member cannot change the secret of those that start later") {
  auto const memory = secret_memory(secret);
  REQUIRE(memory);
  CHECK(::pwrite(memory->get(), "b", 1, 0) == -1);
  CHECK(::ftruncate(memory->get(), 0) == -1);
  CHECK(::mmap(nullptr, 1, PROT_WRITE, MAP_SHARED, memory->get(), 0) ==
        MAP_FAILED);
}

TEST_CASE("another file under the secret's number is not read nor closed") {
  Fd const zero(::open("/dev/zero", O_RDONLY | O_CLOEXEC));
  Fd const unsealed(::memfd_create("some", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  for (int const fd : {zero.get(), unsealed.get()}) {
    auto const taken = take_secret(fd);
    REQUIRE_FALSE(taken);
    CHECK(taken.error().code == Errc::invalid_argument);
    CHECK(::fcntl(fd, F_GETFD) != -1);
  }
  CHECK_FALSE(take_secret(-1));
}

/// A file of this text and mode; gone with it.
struct SecretFile {
  std::string path = "/tmp/gleaner-secret-test-XXXXXX";
  SecretFile(std::string const& text, mode_t mode) {
    Fd const fd(::mkstemp(path.data()));
    REQUIRE(fd);
    REQUIRE(::write(fd.get(), text.data(), text.size()) ==
            ssize_t(text.size()));
    REQUIRE(::fchmod(fd.get(), mode) == 0);
  }
  ~SecretFile() { ::unlink(path.c_str()); }
};

TEST_CASE("a secret's file is its owner's alone") {
  struct Case {
    mode_t mode;
    bool good;
  };
  for (auto const& [mode, good] :
       {Case{0600, true}, Case{0400, true}, Case{0640, false},
        Case{0604, false}, Case{0620, false}, Case{0644, false}}) {
    SecretFile const file(secret + "\n", mode);
    auto const read = secret_of_file(file.path);
    INFO(std::oct << mode);
    CHECK(bool(read) == good);
    if (read) {
      CHECK(*read == secret);
      continue;
    }
    // The file, its mode and the remedy.
    auto const& why = read.error().message;
    char text[8];
    std::snprintf(text, sizeof text, "%04o", unsigned(mode));
    CHECK(why.find(file.path) != why.npos);
    CHECK(why.find(std::string("has mode ") + text) != why.npos);
    CHECK(why.find("mode 0600") != why.npos);
  }
}

TEST_CASE("a secret's file has one word that cannot be guessed") {
  struct Case {
    std::string text;
    bool good;
  };
  for (auto const& [text, good] :
       {Case{secret, true}, Case{secret + "\n", true},
        Case{std::string(32, 'x'), true}, Case{std::string(31, 'x'), false},
        Case{"", false}, Case{secret + "\n\n", false},
        Case{secret + " " + secret, false},
        Case{std::string(257, 'x'), false}}) {
    SecretFile const file(text, 0600);
    INFO('"' << text << '"');
    CHECK(bool(secret_of_file(file.path)) == good);
  }
  CHECK(secret_of_file("/no/such/file").error().code == Errc::not_found);
  CHECK_FALSE(secret_of_file("/tmp"));
}

}  // namespace
}  // namespace gleaner::os
