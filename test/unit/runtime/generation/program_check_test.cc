// SPDX-License-Identifier: Apache-2.0
/// Which members run another program than the first.
#include "runtime/generation/program_check.hh"

#include "test/unit/catch.hh"

namespace gleaner::generation {

namespace {

msg::Loaded loaded(msg::MemberId member, std::string const& schema,
                   std::string const& fingerprint) {
  msg::Loaded message;
  message.member = member;
  message.schema = schema;
  message.dataset_size = 40;
  message.fingerprint = fingerprint;
  return message;
}

}  // namespace

TEST_CASE("all members register the same tensors, options and data") {
  ProgramCheck check(ProgramCheck::Computing::anyhow);
  check.set_first(loaded(3, "w[4]", "avx2"));
  CHECK(check.objection(4, loaded(4, "w[4]", "avx512")).empty());
  auto const why =
      "member 4 registered other tensors or options than member 3 (all must "
      "run the same program on the same data)";
  CHECK(check.objection(4, loaded(4, "w[5]", "avx2")) == why);
  auto other_data = loaded(4, "w[4]", "avx2");
  other_data.dataset_size = 41;
  CHECK(check.objection(4, other_data) == why);
}

TEST_CASE("in deterministic mode all members compute alike") {
  ProgramCheck check(ProgramCheck::Computing::alike);
  check.set_first(loaded(3, "w[4]", "avx2"));
  CHECK(check.objection(4, loaded(4, "w[4]", "avx2")).empty());
  CHECK(check.objection(4, loaded(4, "w[4]", "avx512")) ==
        "member 4 computes with 'avx512', member 3 with 'avx2' (in "
        "deterministic mode all must be the same) [leave such nodes out, or "
        "set OMP_NUM_THREADS]");
}

}  // namespace gleaner::generation
