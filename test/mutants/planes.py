# SPDX-License-Identifier: Apache-2.0
"""Defects of the data planes: what members sum, and with whom."""

from defect import defects_in

plane = defects_in("test/unit/runtime/comm/test_plane")

DEFECTS = [
    plane(
        "a sum leaves out a chunk",
        "runtime/comm/tcp/ring_sum.cc",
        "auto const last = n * (c + 1) / std::size_t(size);",
        "auto const last = std::max(first, n * (c + 1) / std::size_t(size) - 1);",
        "a sum is right, has the same bits on all members, changes no input",
    ),
    plane(
        "a member adds bytes that have not come yet",
        "runtime/comm/tcp/ring_sum.cc",
        "auto const whole = held_ / element * element;",
        "auto const whole = (held_ + element - 1) / element * element;",
        "a sum is right, has the same bits on all members, changes no input",
    ),
    plane(
        "members that add in another order get other bits",
        "runtime/comm/tcp/doubling_sum.cc",
        "    if (acting < partner)\n      add(type, sum, sum, scratch_.data(), n);",
        "    if (acting < partner)\n      add(type, sum, sum, sum, n);",
        "a sum is right, has the same bits on all members, changes no input",
    ),
    plane(
        "a member beyond a power of two is left out",
        "runtime/comm/tcp/doubling_sum.cc",
        "add(type, sum, scratch_.data(), sum, n);\n  }\n  auto const acting",
        "}\n  auto const acting",
        "a sum is right, has the same bits on all members, changes no input",
    ),
    plane(
        "members of one node do not sit together",
        "runtime/comm/tcp/layout.cc",
        "by_node[contacts[std::size_t(i)].node].push_back(i);",
        "by_node[contacts[std::size_t(i)].node + std::to_string(i)].push_back(i);",
        "members of a node sit together, the lowest rank speaks for it",
    ),
    plane(
        "a ring crosses the switches again and again",
        "runtime/comm/tcp/layout.cc",
        "return std::tie(first.topology, first.node, ranks[0]);",
        "return std::tie(ranks[0], first.topology, first.node);",
        "a ring goes through one switch after the other, whatever ranks are",
    ),
    plane(
        "a stranger's answer is believed",
        "runtime/comm/tcp/handshake.cc",
        "return proto::equal_secret(proof, proof_for(key, hello, answer));",
        "return proof.size() == proof_for(key, hello, answer).size();",
        "without the key nothing is proven",
    ),
    plane(
        "a member of another generation is let in",
        "runtime/comm/tcp/handshake.cc",
        "auto text = \"plane \" + std::to_string(generation);",
        "auto text = std::string(\"plane \"); (void)generation;",
        "secret, generation and contact data make the key",
    ),
    plane(
        "a proof can be used for another connection",
        "runtime/comm/tcp/handshake.cc",
        "return signed_by(key, \"caller\", hello, answer.substr(0, nonce_bytes));",
        "return signed_by(key, \"caller\", hello, \"\");",
        "proofs are of one connection, one side and two ranks",
    ),
    plane(
        "16-bit numbers are cut instead of rounded where AVX2 is",
        "runtime/comm/half_runs.cc",
        "_mm256_cvtps_ph(floats, _MM_FROUND_TO_NEAREST_INT));",
        "_mm256_cvtps_ph(floats, _MM_FROUND_TO_ZERO));",
        "16-bit numbers come out the same on every processor",
    ),
    plane(
        "int64 is summed as float64",
        "runtime/comm/element.cc",
        "return add_numbers<std::uint64_t>(out, a, b, n);",
        "return add_numbers<double>(out, a, b, n);",
        "int64 wraps around, so that its sums are the same in every order",
    ),
]
