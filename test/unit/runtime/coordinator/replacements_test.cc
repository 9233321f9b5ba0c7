// SPDX-License-Identifier: Apache-2.0
/// When a lost member is replaced: each test is one rule.
#include "runtime/coordinator/replacements.hh"

#include "test/unit/catch.hh"

namespace gleaner::coordinator {
namespace {

using Fate = Replacements::Fate;

/// Seconds from a loss until the next member is started; it lives for
/// `lived_s`.
double pause_after(Replacements& node, double& now_s, Fate fate,
                   double lived_s) {
  node.started(now_s);
  now_s += lived_s;
  node.lost(now_s, fate);
  auto const lost_s = now_s;
  while (node.take_due(now_s) == 0 && now_s - lost_s < 100) now_s += 0.25;
  return now_s - lost_s;
}

TEST_CASE("the first loss is made good at once, the next ones wait longer") {
  Replacements node;
  double now_s = 50;
  CHECK(pause_after(node, now_s, Fate::trained, 1) == 0);
  CHECK(pause_after(node, now_s, Fate::trained, 1) == 0.25);
  CHECK(pause_after(node, now_s, Fate::trained, 1) == 0.5);
  CHECK(pause_after(node, now_s, Fate::trained, 11) == 0);
  for (int i = 0; i < 20; ++i) pause_after(node, now_s, Fate::trained, 1);
  CHECK(pause_after(node, now_s, Fate::trained, 1) == 30);
  CHECK_FALSE(node.given_up());
}

TEST_CASE("members that load for long and are not let in wait longer, too") {
  Replacements node;
  double now_s = 50;
  CHECK(pause_after(node, now_s, Fate::never_in, 20) == 0);
  CHECK(pause_after(node, now_s, Fate::never_in, 20) == 0.25);
  CHECK(pause_after(node, now_s, Fate::never_in, 20) == 0.5);
}

TEST_CASE("after ten in a row that were not let in no more are started") {
  Replacements node;
  double now_s = 50;
  for (int i = 1; i < Replacements::vain_max; ++i) {
    pause_after(node, now_s, Fate::never_in, 1);
    CHECK_FALSE(node.given_up());
  }
  CHECK(now_s > 100);  // an outage of a minute is not taken for ever
  CHECK(pause_after(node, now_s, Fate::never_in, 1) >= 100);
  CHECK(node.given_up());
  node.lost(now_s, Fate::never_in);
  CHECK(node.take_due(now_s + 1000) == 0);
}

TEST_CASE("what trains on a node that gets no more is replaced as ever") {
  Replacements node;
  double now_s = 50;
  while (!node.given_up()) pause_after(node, now_s, Fate::never_in, 1);
  node.lost(now_s, Fate::trained);
  CHECK(node.take_due(now_s + 30) == 1);
  CHECK_FALSE(node.given_up());
}

TEST_CASE("one that trained in between shows that the node works") {
  Replacements node;
  double now_s = 50;
  for (int i = 0; i < 30; ++i)
    pause_after(node, now_s, i % 5 ? Fate::never_in : Fate::trained, 1);
  CHECK_FALSE(node.given_up());
}

TEST_CASE("members of a node that are lost together are one loss") {
  Replacements node;
  for (int i = 0; i < 16; ++i) node.lost(50, Fate::never_in);
  CHECK_FALSE(node.given_up());
  CHECK(node.take_due(50) == 16);
}

}  // namespace
}  // namespace gleaner::coordinator
