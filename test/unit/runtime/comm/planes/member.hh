// SPDX-License-Identifier: Apache-2.0
/// A member under test: does to its planes what messages tell it.
///
/// One JSON object per line, from the test to the member:
///
///     {"do":"connect","op":1,"plane":7,"rank":0,"size":2,"timeout_s":20}
///         "then":"vanish": leave when the contact data of all has come
///     {"do":"sum","op":2,"plane":7,"type":0,"n":1000,"seed":5}
///     {"do":"spin","op":3,"plane":7,"n":1000,"tell_after":5}   sums till it
///     fails
///     {"do":"operate","op":9,"plane":7,"what":"broadcast","n":1000,"seed":5}
///         also "reduce_scatter", "all_gather", "pairs" and "groups"
///     {"do":"stop","op":4,"plane":7}     while others are under way
///     {"do":"drop","op":5,"plane":7}     once they are not
///     {"do":"misuse","op":8,"plane":7}   stop a new plane, then use it
///     {"do":"look","op":6}               at the results of what failed
///     {"blobs":["..",".."],"plane":7,"key":"contact"}, {"give_up":7}
///
/// and back: {"op":2,"ok":true,...}, {"told":3}, and
/// {"blob":"..","plane":7,"key":"contact","rank":0,"size":2}.
#pragma once

#include "planes/plane_under_test.hh"

namespace gleaner::comm::test {

/// Serves until the other end is closed; then stops and drops all planes.
void serve_member(PlaneUnderTest const& kind, int member, int fd);

}  // namespace gleaner::comm::test
