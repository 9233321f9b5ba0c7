// SPDX-License-Identifier: Apache-2.0
/// Both sides of the handshake inside one training.
#include "proto/secret_handshake.hh"

#include <chrono>
#include <utility>

#include "proto/handshake.hh"
#include "proto/secret.hh"

namespace gleaner::proto {
namespace {

constexpr std::size_t nonce_bytes = 16;

std::string client_proof(std::string const& secret, std::string const& a,
                         std::string const& b, PeerRole const& self) {
  return hmac_hex(secret, "c:" + a + ":" + b + ":" + self.role + ":" + self.id);
}

std::string server_proof(std::string const& secret, std::string const& a,
                         std::string const& b) {
  return hmac_hex(secret, "s:" + b + ":" + a);
}

std::string key_of(std::string const& secret, std::string const& a,
                   std::string const& b, char const* sender) {
  return hmac_hex(secret, std::string("key of ") + sender + ":" + a + ":" + b);
}

SealKeys keys_of_server(std::string const& secret, std::string const& a,
                        std::string const& b) {
  return {key_of(secret, a, b, "server"), key_of(secret, a, b, "client")};
}

SealKeys keys_of_client(std::string const& secret, std::string const& a,
                        std::string const& b) {
  return {key_of(secret, a, b, "client"), key_of(secret, a, b, "server")};
}

constexpr char const* no_nonce = "the peer's nonce is not one of 16 bytes";

}  // namespace

void secret_server(std::shared_ptr<Channel> channel, std::string secret,
                   double timeout_s, Channel::OnClose on_close,
                   std::function<void(Result<PeerRole>)> done) {
  auto const nonce = random_hex(nonce_bytes);
  auto const handshake = Handshake<PeerRole>::make(
      channel, timeout_s, std::move(on_close), std::move(done));
  handshake->start([=](nlohmann::json const& message) {
    PeerRole const peer{text_field(message, "role"), text_field(message, "id")};
    auto const theirs = text_field(message, "nonce");
    auto const proof = text_field(message, "hmac");
    auto const refuse = [&](char const* why) {
      channel->send({{"type", "refused"}, {"why", why}});
      handshake->refuse(why);
    };
    // Nonces of one length leave no doubt where a field of a proof ends.
    if (!is_hex_of(theirs, nonce_bytes)) return refuse(no_nonce);
    if (text_field(message, "type") != "answer" ||
        !equal_secret(proof, client_proof(secret, nonce, theirs, peer)))
      return refuse("wrong secret");
    channel->send(
        {{"type", "accepted"}, {"hmac", server_proof(secret, nonce, theirs)}});
    channel->seal(keys_of_server(secret, nonce, theirs));
    handshake->accept(peer);
  });
  channel->send({{"type", "challenge"},
                 {"version", training_protocol_version},
                 {"nonce", nonce}});
}

void secret_client(std::shared_ptr<Channel> channel, std::string secret,
                   PeerRole self, double timeout_s, Channel::OnClose on_close,
                   std::function<void(Result<void>)> done) {
  auto const nonce = random_hex(nonce_bytes);
  auto const challenge = std::make_shared<std::string>();
  auto const handshake = Handshake<void>::make(
      channel, timeout_s, std::move(on_close), std::move(done));
  handshake->start([=](nlohmann::json const& message) {
    auto const type = text_field(message, "type");
    if (type == "challenge" && challenge->empty()) {
      if (auto const why = version_refusal(message, training_protocol_version);
          !why.empty())
        return handshake->refuse(why);
      *challenge = text_field(message, "nonce");
      if (!is_hex_of(*challenge, nonce_bytes))
        return handshake->refuse(no_nonce);
      channel->send({{"type", "answer"},
                     {"role", self.role},
                     {"id", self.id},
                     {"nonce", nonce},
                     {"hmac", client_proof(secret, *challenge, nonce, self)}});
    } else if (type == "accepted" && !challenge->empty() &&
               equal_secret(text_field(message, "hmac"),
                            server_proof(secret, *challenge, nonce))) {
      channel->seal(keys_of_client(secret, *challenge, nonce));
      handshake->accept();
    } else if (type == "refused") {
      handshake->refuse("refused: " + text_field(message, "why"));
    } else {
      handshake->refuse("the server does not know the secret");
    }
  });
}

}  // namespace gleaner::proto
