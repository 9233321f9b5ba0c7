// SPDX-License-Identifier: Apache-2.0
#include "runtime/comm/tcp/handshake.hh"

#include <algorithm>
#include <cassert>
#include <cstring>

#include "proto/secret.hh"

namespace gleaner::comm::tcp {
namespace {

std::string signed_by(std::string const& key, char const* side,
                      Hello const& hello, std::string_view nonce) {
  return proto::hmac_hex(key, side + hello.bytes() + std::string(nonce));
}

}  // namespace

std::string Hello::bytes() const {
  static_assert(sizeof(Hello) == 64, "without padding");
  return {reinterpret_cast<char const*>(this), sizeof *this};
}

Hello Hello::of(std::string_view bytes) {
  assert(bytes.size() == sizeof(Hello));
  Hello hello;
  std::memcpy(&hello, bytes.data(), sizeof hello);
  return hello;
}

std::string key_of_plane(std::string const& secret, std::uint64_t generation,
                         std::vector<std::string> const& contacts) {
  auto text = "plane " + std::to_string(generation);
  for (auto const& contact : contacts)
    text += '\n' + std::to_string(contact.size()) + ' ' + contact;
  return proto::hmac_hex(secret, text);
}

std::array<char, nonce_bytes> new_nonce() {
  auto const text = proto::random_hex(nonce_bytes / 2);
  std::array<char, nonce_bytes> nonce;
  std::copy(text.begin(), text.end(), nonce.begin());
  return nonce;
}

std::string answer_to(std::string const& key, Hello const& hello,
                      std::array<char, nonce_bytes> const& nonce) {
  std::string const text(nonce.data(), nonce.size());
  return text + signed_by(key, "called", hello, text);
}

bool is_answer(std::string const& key, Hello const& hello,
               std::string_view answer) {
  return answer.size() == answer_bytes &&
         proto::equal_secret(
             answer.substr(nonce_bytes),
             signed_by(key, "called", hello, answer.substr(0, nonce_bytes)));
}

std::string proof_for(std::string const& key, Hello const& hello,
                      std::string_view answer) {
  return signed_by(key, "caller", hello, answer.substr(0, nonce_bytes));
}

bool is_proof(std::string const& key, Hello const& hello,
              std::string_view answer, std::string_view proof) {
  return proto::equal_secret(proof, proof_for(key, hello, answer));
}

}  // namespace gleaner::comm::tcp
