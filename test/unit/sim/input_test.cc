// SPDX-License-Identifier: Apache-2.0
/// Which inputs are read, and what is said of those that are not.
#include <zlib.h>

#include "sim/input_file.hh"
#include "test/unit/sim/cases.hh"

namespace gleaner::sim {
namespace {

/// The complaint without the name of the file.
template <class T>
std::string refusal(Result<T> const& result, InputFile const& file) {
  if (result) return "";
  auto const& message = result.error().message;
  auto const at = message.find(file.path());
  return at == std::string::npos
             ? message
             : message.substr(0, at) + message.substr(at + file.path().size());
}

TEST_CASE("idle events name their nodes in order of appearance") {
  InputFile const file("t_s,node,state\n0,n2,1\n0,n1,1\n7.5,n2,0\n");
  auto const read = read_idle_events(file.path());
  REQUIRE(read);
  CHECK(read->nodes == std::vector<std::string>{"n2", "n1"});
  REQUIRE(read->events.size() == 3);
  CHECK(read->events[2].t_s == 7.5);
  CHECK(read->events[2].node == 0);
  CHECK_FALSE(read->events[2].idle);
}

TEST_CASE("a file made by gzip is read like any other") {
  InputFile const file("", "in.gz");
  auto const out = gzopen(file.path().c_str(), "wb");
  gzputs(out, "t_s,node,state\r\n3,n1,1\r\n");
  gzclose(out);
  auto const read = read_idle_events(file.path());
  REQUIRE(read);
  CHECK(read->events.size() == 1);
}

TEST_CASE("a damaged gzip file is refused, not read in part") {
  InputFile const whole("", "whole.gz");
  auto const out = gzopen(whole.path().c_str(), "wb");
  for (int i = 0; i < 1000; ++i) gzprintf(out, "%d,n%d,1\n", i, i * 7919);
  gzclose(out);
  std::ifstream in(whole.path());
  std::string content((std::istreambuf_iterator<char>(in)), {});
  InputFile const cut(std::string_view(content).substr(0, content.size() / 2));
  CHECK_FALSE(read_text(cut.path()));
}

TEST_CASE("a malformed line of idle events is named, with what was expected") {
  struct Case {
    char const *content, *refusal;
  };
  for (auto const& [content, expected] : {
           Case{"", " is empty (expected the header 't_s,node,state')"},
           Case{"t,node\n",
                " line 1: found 't,node' (expected the header "
                "'t_s,node,state')"},
           Case{"t_s,node,state\n1,n1\n",
                " line 2: found 2 fields (expected 3: t_s,node,state)"},
           Case{"t_s,node,state\n0,n1,1\nx,n1,0\n",
                " line 3: cannot read t_s from 'x' (expected a number of at "
                "least 0)"},
           Case{"t_s,node,state\n1e999,n1,1\n",
                " line 2: cannot read t_s from '1e999' (expected a number of "
                "at least 0)"},
           Case{"t_s,node,state\n0,,1\n",
                " line 2: found no node (expected a name in column 2)"},
           Case{"t_s,node,state\n0,n1,0.5\n",
                " line 2: cannot read state from '0.5' (expected a whole "
                "number)"},
           Case{"t_s,node,state\n0,n1,2\n",
                " line 2: found a state beyond 1 (expected 0 or 1)"},
           Case{"t_s,node,state\n5,n1,1\n4,n2,1\n",
                " line 3: time runs backwards (expected the lines in order of "
                "t_s)"},
           Case{"t_s,node,state\n5,n1,1\n6,n1,1\n",
                " line 3: node 'n1' is idle already (expected a change)"},
       }) {
    InputFile const file(content);
    CHECK(refusal(read_idle_events(file.path()), file) == expected);
  }
}

TEST_CASE("a file that is not there is named") {
  auto const read = read_idle_events("/nonexistent/events.csv");
  REQUIRE_FALSE(read);
  CHECK(read.error().message ==
        "cannot open '/nonexistent/events.csv' (No such file or directory)");
}

TEST_CASE("a curve is linear between its points and level beyond them") {
  ThroughputCurve const curve{{{0, 0}, {1, 10}, {2, 16}, {4, 28}}};
  CHECK(curve.up_to(6) == std::vector<double>{0, 10, 16, 22, 28, 28, 28});
  CHECK(ThroughputCurve{{{2, 16}}}.up_to(2) == std::vector<double>{0, 8, 16});
}

constexpr char curves_csv[] = "model,nodes,samples_per_s\nm,1,10\nm,4,40\n";
constexpr char trainers_header[] =
    "trainer,model,submit_s,nodes_min,nodes_max,expand_s,shrink_s,"
    "work_samples\n";

TEST_CASE("trainings come in order of submission, with their speed") {
  InputFile const curves(curves_csv, "curves");
  InputFile const file(std::string(trainers_header) +
                       "b,m,36,2,4,18,12,1e6\na,m,0,1,2,18,12,5\n");
  auto const read = read_trainings(file.path(), *read_curves(curves.path()));
  REQUIRE(read);
  CHECK(read->at(0).id == "a");
  CHECK(read->at(1).speed == std::vector<double>{0, 0, 20, 30, 40});
  CHECK(read->at(1).one_node_rate == 10);
  CHECK(read->at(1).work_samples == 1e6);
}

TEST_CASE("trainings may say how many samples a step has") {
  InputFile const curves(curves_csv, "curves");
  std::string header = trainers_header;
  header.insert(header.size() - 1, ",batch");
  InputFile const file(header + "a,m,0,1,2,18,12,5,48\n");
  auto const read = read_trainings(file.path(), *read_curves(curves.path()));
  REQUIRE(read);
  CHECK(read->at(0).batch == 48);
  InputFile const without(header + "a,m,0,1,2,18,12,5\n");
  CHECK(!read_trainings(without.path(), *read_curves(curves.path())));
}

TEST_CASE("a malformed training is named, with what was expected") {
  struct Case {
    char const *lines, *refusal;
  };
  InputFile const curves(curves_csv, "curves");
  for (auto const& [lines, expected] : {
           Case{"a,x,0,1,2,1,1,5\n",
                " line 2: model 'x' has no curve (expected one of the models "
                "of --curves)"},
           Case{"a,m,0,0,2,1,1,5\n",
                " line 2: cannot read nodes_min from '0' (expected a number "
                "of at least 1)"},
           Case{"a,m,0,3,2,1,1,5\n",
                " line 2: cannot read nodes_max from '2' (expected a number "
                "of at least 3)"},
           Case{"a,m,0,1,2,-1,1,5\n",
                " line 2: cannot read expand_s from '-1' (expected a number "
                "of at least 0)"},
           Case{"a,m,0,1,2,1,1,5\na,m,0,1,2,1,1,5\n",
                " line 3: there are two trainers 'a' (expected a name each)"},
       }) {
    InputFile const file(std::string(trainers_header) + lines);
    CHECK(refusal(read_trainings(file.path(), *read_curves(curves.path())),
                  file) == expected);
  }
}

TEST_CASE("two speeds at one size are refused") {
  InputFile const file("model,nodes,samples_per_s\nm,1,10\nm,1,11\n");
  CHECK(refusal(read_curves(file.path()), file) ==
        " line 3: model 'm' has two speeds at 1 nodes (expected one)");
}

}  // namespace
}  // namespace gleaner::sim
