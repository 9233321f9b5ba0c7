// SPDX-License-Identifier: Apache-2.0
/// Which jobs wait for trainings to leave, and until when.
#include "plugins/job_submit/arrival_notice.hh"

#include "test/unit/catch.hh"

namespace gleaner::job_submit {

namespace {

constexpr double now = 1000.4;

/// A job by `sbatch -N4`.
JobRequest four_nodes() {
  JobRequest request;
  request.is_batch = true;
  request.nodes_min = 4;
  return request;
}

FreeNodes all_lent() {
  return {now + 2, 2, {{"long", false, 0, 0, 2}, {"main", true, 0, 0, 8}}};
}

/// When the job may begin; 0: it is left alone.
std::int64_t begins(JobRequest const& request, FreeNodes const& free,
                    int arrival_notice_s = 2) {
  auto config = default_config();
  config.arrival_notice_s = arrival_notice_s;
  return notice_until(request, free, config, now).value_or(0);
}

}  // namespace

TEST_CASE("a job that cannot start without leased nodes waits for a moment") {
  CHECK(begins(four_nodes(), all_lent()) == 1002);
  auto longer = all_lent();
  longer.notice_s = 5;
  CHECK(begins(four_nodes(), longer) == 1005);
  longer.notice_s = 3600;  // no file makes it wait that long
  CHECK(begins(four_nodes(), longer) == 1012);
  auto named = four_nodes();
  named.partition = "main";
  CHECK(begins(named, all_lent()) == 1002);
  named.partition = "long,main";
  CHECK(begins(named, all_lent()) == 1002);
}

TEST_CASE("a job that might start without leased nodes does not wait") {
  struct Row {
    char const* what;
    void (*change)(JobRequest*, FreeNodes*);
    bool waits;
  } const rows[] = {
      {"enough idle nodes", [](auto*, auto* f) { f->partitions[1].idle = 4; },
       false},
      {"too few idle nodes", [](auto*, auto* f) { f->partitions[1].idle = 3; },
       true},
      {"enough nodes in part",
       [](auto*, auto* f) { f->partitions[1].partly = 4; }, false},
      {"enough of both",
       [](auto*, auto* f) {
         f->partitions[1].idle = f->partitions[1].partly = 2;
       },
       false},
      {"nodes in part, but it wants whole ones",
       [](auto* r, auto* f) {
         f->partitions[1].partly = 4;
         r->whole_nodes = true;
       },
       true},
      {"its other partition has enough",
       [](auto* r, auto* f) {
         r->partition = "main,long";
         f->partitions[0].idle = 4;
       },
       false},
      {"nothing is known of its partition",
       [](auto* r, auto*) { r->partition = "short"; }, false},
      {"nothing is known of one of its partitions",
       [](auto* r, auto*) { r->partition = "main,short"; }, false},
      {"leased nodes would not do either",
       [](auto* r, auto*) { r->nodes_min = 9; }, false},
      {"nothing is lent", [](auto*, auto* f) { f->partitions[1].lent = 0; },
       false},
      {"it says nothing of nodes: one will do",
       [](auto* r, auto* f) {
         r->nodes_min.reset();
         f->partitions[1].idle = 1;
       },
       false},
  };
  for (auto const& row : rows) {
    CAPTURE(row.what);
    auto request = four_nodes();
    auto free = all_lent();
    row.change(&request, &free);
    CHECK(begins(request, free) == (row.waits ? 1002 : 0));
  }
}

TEST_CASE("a job that asks for GPUs waits for those that are lent") {
  // Two nodes have a free GPU, one of them two; eight have four once all leases
  // are given back.
  FreeNodes const free{
      now + 2, 2, {{"main", true, 0, 8, 0, {2, 1}, {8, 8, 8, 8}}}};
  struct Row {
    char const* what;
    void (*ask)(JobRequest*);
    bool waits;
  } const rows[] = {
      {"-N2 --gres=gpu:1",
       [](auto* r) { r->nodes_min = 2, r->tres_per_node = "gres:gpu:1"; },
       false},
      {"-N3 --gres=gpu:1",
       [](auto* r) { r->nodes_min = 3, r->tres_per_node = "gres:gpu:1"; },
       true},
      {"--gres=gpu:a:2", [](auto* r) { r->tres_per_node = "gres:gpu:a:2"; },
       false},
      {"--gres=gpu:3", [](auto* r) { r->tres_per_node = "gres:gpu:3"; }, true},
      {"--gres=gpu:5: no node has them",
       [](auto* r) { r->tres_per_node = "gres:gpu:5"; }, false},
      {"-N9 --gres=gpu:4: so many have not",
       [](auto* r) { r->nodes_min = 9, r->tres_per_node = "gres:gpu:4"; },
       false},
      {"--gpus=3, of any nodes",
       [](auto* r) { r->tres_per_job = "gres:gpu:3"; }, false},
      {"--gpus=4", [](auto* r) { r->tres_per_job = "gres:gpu:4"; }, true},
      {"--gpus=33: so many there are not",
       [](auto* r) { r->tres_per_job = "gres:gpu:33"; }, false},
      {"-n3 --gpus-per-task=1",
       [](auto* r) { r->tasks = 3, r->tres_per_task = "gres:gpu:1"; }, false},
      {"-n4 --gpus-per-task=1",
       [](auto* r) { r->tasks = 4, r->tres_per_task = "gres:gpu:1"; }, true},
      {"-N2: CPUs are free on eight", [](auto* r) { r->nodes_min = 2; }, false},
  };
  for (auto const& row : rows) {
    CAPTURE(row.what);
    auto request = four_nodes();
    request.nodes_min.reset();
    row.ask(&request);
    CHECK(begins(request, free) == (row.waits ? 1002 : 0));
  }
}

TEST_CASE("nobody waits for a gleanerd that is gone, or does not want it") {
  CHECK(begins(four_nodes(), {now - 0.1, 2, all_lent().partitions}) == 0);
  CHECK(begins(four_nodes(), {}) == 0);
  CHECK(begins(four_nodes(), all_lent(), 0) == 0);
}

TEST_CASE("whose begin means something already is left alone") {
  for (auto change : std::initializer_list<void (*)(JobRequest*)>{
           [](auto* r) { r->is_batch = false; },
           [](auto* r) { r->is_het = true; },
           [](auto* r) { r->immediate = true; },
           [](auto* r) { r->waits_otherwise = true; },
           [](auto* r) { r->reservation = "course"; },
           [](auto* r) { r->admin_comment = "the site's"; }}) {
    auto request = four_nodes();
    change(&request);
    CHECK(begins(request, all_lent()) == 0);
  }
}

}  // namespace gleaner::job_submit
