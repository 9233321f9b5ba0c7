#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What bench-campaign makes of searches: best values, node time, comparisons."""

import os
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "harm"), os.path.join(HERE, "campaign")]
import tap

import search_figures as figures


def run(arm, trials, uses, nodes=4, over_t=110, seed=1):
    """`trials`: (state, value, end); the search begins at 100."""
    made = [
        {"number": number, "state": state, "value": value, "ended_t": end}
        for number, (state, value, end) in enumerate(trials)
    ]
    return {
        "arm": arm,
        "seed": seed,
        "nodes": nodes,
        "began_t": 100,
        "over_t": over_t,
        "trials": made,
        "uses": uses,
    }


OURS = run(
    "weights",
    [("complete", 3, 104), ("pruned", 1, 103), ("complete", 2, 102), ("running", None, None)],
    [(102, 1, 2), (106, 2, 2), (110, 4, 0)],
)
PEER = run(
    "peer",
    [("complete", 2.5, 108), ("complete", 4, 104)],
    [(105, 2, 2), (120, 2, 1)],
    over_t=120,
)


class Figures(unittest.TestCase):
    def test_best(self):
        """the best value falls with complete trials, in order of their ends"""
        self.assertEqual(figures.best_over_time(OURS), [(2, 2)])
        self.assertEqual(figures.best_over_time(PEER), [(4, 4), (8, 2.5)])
        self.assertEqual(figures.seconds_to(PEER, 4), 4)
        self.assertIsNone(figures.seconds_to(PEER, 1))

    def test_node_time(self):
        """a look at the nodes counts for the time since the one before"""
        self.assertEqual(figures.lent_until(OURS, 10), 2 * 2 + 4 * 2)
        self.assertEqual(figures.idle_until(OURS, 10), 2 * 3 + 4 * 2 + 0)
        self.assertEqual(figures.lent_until(OURS, 3), 2 * 2 + 1 * 2)
        self.assertEqual(figures.lent_until(PEER, 8), 5 * 2 + 3 * 1)

    def test_compared(self):
        """both are timed for the best value that both have found"""
        pair = figures.compared(OURS, PEER)
        self.assertEqual((pair["value"], pair["seconds"], pair["peer_seconds"]), (2.5, 2, 8))
        self.assertEqual((pair["ratio"], pair["node_s"], pair["peer_node_s"]), (0.25, 4, 13))
        self.assertEqual(pair["all_ratio"], 0.5)
        nothing = run("equal", [("pruned", None, 104)], [(110, 0, 4)])
        self.assertIsNone(figures.compared(nothing, PEER))

    def test_by_arm(self):
        """trials count that ended by themselves, per node-hour without rigid jobs"""
        found = figures.figures([OURS, PEER])
        row = found["weights"]["rows"][0]
        self.assertEqual((row["complete"], row["pruned"]), (2, 1))
        self.assertAlmostEqual(row["ended_per_idle_node_h"], 3600 * 3 / 14)
        self.assertAlmostEqual(
            found["weights"]["rate_ratio"], (3 / 14) / (2 / 40)
        )
        self.assertEqual(found["peer"]["time_ratio"], 1)
        self.assertAlmostEqual(found["weights"]["node_s_ratio"], 4 / 13)
        self.assertEqual(len(figures.table(found)), 3)


if __name__ == "__main__":
    tap.main()
