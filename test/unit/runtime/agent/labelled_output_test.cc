// SPDX-License-Identifier: Apache-2.0
/// What members print, with their numbers before it.
#include "runtime/agent/labelled_output.hh"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string_view>

#include "test/unit/catch.hh"

namespace gleaner::agent {
namespace {

/// A file of this test's own.
struct File {
  File() : fd(::mkstemp(path)) { REQUIRE(fd.get() >= 0); }
  ~File() { ::unlink(path); }
  std::string text() const {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  char path[48] = "/tmp/labelled_output_test.XXXXXX";
  os::Fd fd;
};

void print(os::Fd const& to, std::string_view text) {
  REQUIRE(::write(to.get(), text.data(), text.size()) ==
          static_cast<ssize_t>(text.size()));
}

TEST_CASE("each line has its member's number, and goes where it belongs") {
  File const out, err;
  {
    asio::io_context io;
    LabelledOutput output(io, out.fd.get(), err.fd.get());
    auto one = output.make(1);
    auto twelve = output.make(12);
    REQUIRE(one);
    REQUIRE(twelve);
    print(one->out, "a\nb");
    io.run_for(std::chrono::milliseconds(10));
    print(twelve->out, "c\n");
    print(twelve->err, "d\n");
    io.run_for(std::chrono::milliseconds(10));
    print(one->out, "b\n\n");
    io.run_for(std::chrono::milliseconds(10));
  }
  CHECK(out.text() == "1: a\n12: c\n1: bb\n1: \n");
  CHECK(err.text() == "12: d\n");
}

TEST_CASE("a last line without its end is there, too") {
  File const out, err;
  {
    asio::io_context io;
    LabelledOutput output(io, out.fd.get(), err.fd.get());
    {
      auto const ends = output.make(1);
      REQUIRE(ends);
      print(ends->out, "half");
    }
    io.run();
  }
  CHECK(out.text() == "1: half\n");
}

TEST_CASE("what was printed last is read at the end, without waiting") {
  File const out, err;
  {
    asio::io_context io;
    LabelledOutput output(io, out.fd.get(), err.fd.get());
    auto const ends = output.make(1);  // stays open: a process may have it
    REQUIRE(ends);
    print(ends->out, "last\nwords");
    output.finish();
  }
  CHECK(out.text() == "1: last\n1: words\n");
}

TEST_CASE("a line of any length passes, in pieces") {
  File const out, err;
  {
    asio::io_context io;
    LabelledOutput output(io, out.fd.get(), err.fd.get());
    auto const ends = output.make(1);
    REQUIRE(ends);
    for (int i = 0; i < 10; ++i) {
      print(ends->out, std::string(10 << 10, 'x'));
      io.run_for(std::chrono::milliseconds(10));
    }
    output.finish();
  }
  auto const text = out.text();
  CHECK(std::count(text.begin(), text.end(), 'x') == 100 << 10);
  CHECK(std::count(text.begin(), text.end(), '\n') == 2);
}

TEST_CASE("members do not wait where nobody reads the output") {
  int pipe[2];
  REQUIRE(::pipe(pipe) == 0);
  os::Fd const reader(pipe[0]), writer(pipe[1]);
  asio::io_context io;
  LabelledOutput output(io, writer.get(), writer.get());
  auto const ends = output.make(1);
  REQUIRE(ends);
  ::fcntl(ends->out.get(), F_SETFL, O_NONBLOCK);  // print() fails if it is full
  std::string const line(1023, 'x');
  for (int i = 0; i < 200; ++i) {  // more than two pipes hold
    print(ends->out, line + '\n');
    io.poll();
  }
}

}  // namespace
}  // namespace gleaner::agent
