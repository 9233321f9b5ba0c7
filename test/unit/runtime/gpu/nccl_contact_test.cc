// SPDX-License-Identifier: Apache-2.0
/// What members of an NCCL communicator must have in common, and what not.
#include "runtime/gpu/nccl_contact.hh"

#include "runtime/gpu/nccl_version.hh"
#include "test/unit/catch.hh"

namespace gleaner::gpu {

namespace {

NcclContact member(std::string const& host, std::string const& gpu,
                   int version = 22809) {
  return {version, host, "node-" + host, gpu};
}

std::string refusal(std::vector<NcclContact> const& contacts) {
  auto const good = check_contacts(contacts);
  return good ? "" : good.error().message;
}

std::string version_refusal(int loaded, int built_with) {
  auto const good = check_nccl_version(loaded, built_with);
  return good ? "" : good.error().message;
}

bool has(std::string const& text, std::string const& part) {
  INFO(text);
  CHECK(text.find(part) != std::string::npos);
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("each member needs a GPU of its own") {
  CHECK(refusal({member("a", "0000:01:00.0"), member("a", "0000:02:00.0"),
                 member("b", "0000:01:00.0")})
            .empty());
  auto const same =
      refusal({member("a", "0000:01:00.0"), member("b", "0000:01:00.0"),
               member("b", "0000:01:00.0")});
  CHECK(has(same,
            "ranks 1 and 2 have the same GPU (0000:01:00.0 of node "
            "'node-b')"));
  CHECK(has(same, "--members-per-node"));
  CHECK(has(same, "--comm=tcp"));
}

TEST_CASE("members need the same NCCL") {
  auto const other =
      refusal({member("a", "1"), member("b", "1"), member("c", "1", 22105)});
  CHECK(has(other, "rank 0 on node 'node-a' has 2.28.9"));
  CHECK(has(other, "rank 2 on node 'node-c' has 2.21.5"));
}

TEST_CASE("contact data comes back as it was sent") {
  auto const back =
      NcclContact::parse(member("host id", "0000:01:00.0").text());
  REQUIRE(back);
  CHECK(back->version == 22809);
  CHECK(back->host == "host id");
  CHECK(back->node == "node-host id");
  CHECK(back->gpu == "0000:01:00.0");
  for (auto const* bad : {"", "gpu1", "gpu1\nx\na\nb\nc", "gpu2\n1\na\nb\nc",
                          "gpu1\n1\na\nb\nc\nd", "gpu1\n1x\na\nb\nc"})
    CHECK(!NcclContact::parse(bad));
}

TEST_CASE("an NCCL too old, or of another major version, is refused by name") {
  CHECK(nccl_version_text(22809) == "2.28.9");
  CHECK(nccl_version_text(21005) == "2.10.5");
  CHECK(nccl_version_text(2804) == "2.8.4");
  CHECK(version_refusal(22809, 22809).empty());
  CHECK(version_refusal(21403, 22809).empty());
  CHECK(version_refusal(23004, 22809).empty());
  auto const old = version_refusal(21003, 22809);
  CHECK(has(old, "NCCL 2.10.3 is loaded, and 2.14 or newer is needed"));
  CHECK(has(old, "built with NCCL 2.28.9"));
  CHECK(has(old, "PyTorch"));
  CHECK(has(version_refusal(2804, 22809), "NCCL 2.8.4 is loaded"));
  CHECK(has(version_refusal(30100, 22809), "another major version"));
}

TEST_CASE("no more than 64 members call in with one id") {
  using List = std::vector<int>;
  CHECK(id_makers(2, Ids::several) == List{0});
  CHECK(id_makers(64, Ids::several) == List{0});
  CHECK(id_makers(65, Ids::several) == List{0, 32});
  CHECK(id_makers(200, Ids::several) == List{0, 50, 100, 150});
  CHECK(id_makers(200, Ids::one) == List{0});
}

}  // namespace gleaner::gpu
