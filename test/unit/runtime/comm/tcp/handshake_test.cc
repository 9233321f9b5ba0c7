// SPDX-License-Identifier: Apache-2.0
/// What proves the two ends of a connection, and what does not?
#include "runtime/comm/tcp/handshake.hh"

#include "test/unit/catch.hh"

namespace gleaner::comm {

using namespace tcp;

namespace {

Hello some_hello() {
  Hello hello;
  hello.generation = 7;
  hello.from = 1;
  hello.to = 2;
  hello.nonce = new_nonce();
  return hello;
}

std::string const key = key_of_plane("secret", 7, {"contact of 0", "of 1"});

}  // namespace

TEST_CASE("both sides prove that they know the key") {
  auto const hello = some_hello();
  auto const answer = answer_to(key, hello, new_nonce());
  CHECK(answer.size() == answer_bytes);
  CHECK(is_answer(key, hello, answer));
  auto const proof = proof_for(key, hello, answer);
  CHECK(proof.size() == proof_bytes);
  CHECK(is_proof(key, hello, answer, proof));
  CHECK(Hello::of(hello.bytes()).bytes() == hello.bytes());
}

TEST_CASE("secret, generation and contact data make the key") {
  CHECK(key != key_of_plane("other", 7, {"contact of 0", "of 1"}));
  CHECK(key != key_of_plane("secret", 8, {"contact of 0", "of 1"}));
  CHECK(key != key_of_plane("secret", 7, {"contact of 0", "of 2"}));
  CHECK(key != key_of_plane("secret", 7, {"contact of 0of 1"}));
}

TEST_CASE("proofs are of one connection, one side and two ranks") {
  auto const hello = some_hello();
  auto const answer = answer_to(key, hello, new_nonce());
  auto const proof = proof_for(key, hello, answer);
  CHECK(!is_answer(key, some_hello(), answer));  // another nonce
  CHECK(!is_proof(key, hello, answer_to(key, hello, new_nonce()), proof));
  CHECK(!is_proof(key, hello, answer, answer.substr(nonce_bytes)));
  auto other = hello;
  other.from = 3;
  CHECK(!is_answer(key, other, answer));
  CHECK(!is_proof(key, other, answer, proof));
  other = hello;
  other.purpose = Purpose::node;
  CHECK(!is_proof(key, other, answer, proof));
}

TEST_CASE("without the key nothing is proven") {
  auto const hello = some_hello();
  auto const answer = answer_to("guess", hello, new_nonce());
  CHECK(!is_answer(key, hello, answer));
  CHECK(!is_answer(key, hello, ""));
  CHECK(!is_proof(key, hello, answer, proof_for("guess", hello, answer)));
  CHECK(!is_proof(key, hello, answer, ""));
}

}  // namespace gleaner::comm
