// SPDX-License-Identifier: Apache-2.0
/// Both sides of the MUNGE handshake.
#include "proto/munge_handshake.hh"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <utility>

#include "proto/handshake.hh"
#include "proto/munge_credential.hh"
#include "proto/secret.hh"

namespace gleaner::proto {
namespace {

constexpr std::size_t nonce_bytes = 16;
constexpr std::size_t secret_bytes = 32;

/// What either end signs.
struct Contribution {
  std::string server_nonce, client_nonce, secret;

  std::string text_of(char const* end) const {
    return std::string("gleaner ") + end + ' ' + server_nonce + ' ' +
           client_nonce + ' ' + secret;
  }
};

/// The contribution of the other end, for the connection with these nonces; an
/// empty `client_nonce` is one that is not known yet.
std::optional<Contribution> read_contribution(std::string_view text,
                                              std::string_view end,
                                              std::string_view server_nonce,
                                              std::string_view client_nonce) {
  auto const head =
      "gleaner " + std::string(end) + ' ' + std::string(server_nonce) + ' ';
  auto const size = head.size() + 2 * nonce_bytes + 1 + 2 * secret_bytes;
  if (text.size() != size || !text.starts_with(head)) return std::nullopt;
  auto const nonce = text.substr(head.size(), 2 * nonce_bytes);
  auto const secret = text.substr(size - 2 * secret_bytes);
  if (!is_hex_of(nonce, nonce_bytes) || !is_hex_of(secret, secret_bytes) ||
      (!client_nonce.empty() && nonce != client_nonce))
    return std::nullopt;
  return Contribution{std::string(server_nonce), std::string(nonce),
                      std::string(secret)};
}

constexpr char const* another_connection =
    "the MUNGE credential is for another connection";

std::string key_of(Contribution const& client, Contribution const& server,
                   char const* sender) {
  return hmac_hex(client.secret + server.secret, std::string(sender) + ' ' +
                                                     client.server_nonce + ' ' +
                                                     client.client_nonce);
}

SealKeys keys_of_server(Contribution const& client,
                        Contribution const& server) {
  return {key_of(client, server, "server"), key_of(client, server, "client")};
}

SealKeys keys_of_client(Contribution const& client,
                        Contribution const& server) {
  auto keys = keys_of_server(client, server);
  std::swap(keys.sent, keys.received);
  return keys;
}

std::string list_of(std::vector<Uid> const& uids) {
  std::string text;
  for (auto const uid : uids)
    text += (text.empty() ? "" : " or ") + std::to_string(uid);
  return text;
}

/// The uid that the challenge names; none: not one of a trusted server.
Result<Uid> server_uid(nlohmann::json const& challenge,
                       std::vector<Uid> const& trusted) {
  auto const named = challenge.find("uid");
  if (named == challenge.end() || !named->is_number_unsigned())
    return Error{Errc::denied, "the challenge names no uid"};
  for (auto const uid : trusted)
    if (*named == uid) return uid;
  return Error{Errc::denied,
               "uid " + named->dump() +
                   " answers in place of gleanerd, which "
                   "runs as uid " +
                   list_of(trusted) +
                   " [slurm_user in gleaner.yaml must be SlurmUser]"};
}

/// The client's half of the handshake, after the challenge.
struct Approach {
  Uid server = 0;
  Contribution own;
};

Result<Approach> approach(nlohmann::json const& challenge,
                          std::vector<Uid> const& trusted) {
  if (auto const why = version_refusal(challenge, daemon_protocol_version);
      !why.empty())
    return Error{Errc::denied, why};
  auto const server = server_uid(challenge, trusted);
  if (!server) return server.error();
  auto const nonce = text_field(challenge, "nonce");
  // Nothing that a stranger chose is signed.
  if (!is_hex_of(nonce, nonce_bytes))
    return Error{Errc::denied, "the challenge has no nonce of " +
                                   std::to_string(nonce_bytes) + " bytes"};
  return Approach{*server,
                  {nonce, random_hex(nonce_bytes), random_hex(secret_bytes)}};
}

/// What the server signed, if it is the one that was approached.
Result<Contribution> verify_server(std::string const& munge_socket,
                                   Approach const& approach,
                                   std::string const& credential) {
  auto const answer = munge_open(munge_socket, credential);
  if (!answer) return answer.error();
  if (answer->uid != approach.server)
    return Error{Errc::denied, "uid " + std::to_string(answer->uid) +
                                   " signed for gleanerd, which runs as uid " +
                                   std::to_string(approach.server)};
  auto const contribution =
      read_contribution(answer->text, "server", approach.own.server_nonce,
                        approach.own.client_nonce);
  if (!contribution) return Error{Errc::denied, another_connection};
  return *contribution;
}

/// What the server makes of a client's credential.
struct Answer {
  Uid uid = 0;
  std::string credential;
  SealKeys keys;
};

/// Asks munged twice, and waits for it.
Result<Answer> answer_client(std::string const& munge_socket,
                             std::string const& nonce,
                             std::string const& credential) {
  auto const theirs = munge_open(munge_socket, credential);
  if (!theirs) return theirs.error();
  auto const client = read_contribution(theirs->text, "client", nonce, "");
  if (!client) return Error{Errc::denied, another_connection};
  Contribution const own{nonce, client->client_nonce, random_hex(secret_bytes)};
  auto signed_text =
      munge_seal(munge_socket, theirs->uid, own.text_of("server"));
  if (!signed_text) return signed_text.error();
  return Answer{theirs->uid, std::move(*signed_text),
                keys_of_server(*client, own)};
}

/// How far a client has come.
struct ClientStage {
  std::optional<Approach> approach;  ///< once there was a challenge
  bool asks = false;                 ///< munged; no message is due
};

// What remains to do in the event loop; null pointers: the handshake is over.

void send_credential(std::shared_ptr<Handshake<void>> const& handshake,
                     std::shared_ptr<Channel> const& channel,
                     ClientStage* stage,
                     Result<std::string> const& credential) {
  if (!handshake || !channel) return;
  if (!credential) return handshake->refuse(credential.error().message);
  stage->asks = false;
  channel->send({{"type", "munge"}, {"credential", *credential}});
}

void accept_server(std::shared_ptr<Handshake<void>> const& handshake,
                   std::shared_ptr<Channel> const& channel,
                   ClientStage const& stage,
                   Result<Contribution> const& server) {
  if (!handshake || !channel) return;
  if (!server) return handshake->refuse(server.error().message);
  channel->seal(keys_of_client(stage.approach->own, *server));
  handshake->accept();
}

}  // namespace

void munge_server(std::shared_ptr<Channel> channel, std::string munge_socket,
                  double timeout_s, Elsewhere elsewhere,
                  Channel::OnClose on_close,
                  std::function<void(Result<Uid>)> done) {
  auto const nonce = random_hex(nonce_bytes);
  auto const handshake = Handshake<Uid>::make(
      channel, timeout_s, std::move(on_close), std::move(done));
  auto const asked = std::make_shared<bool>(false);
  handshake->start([=](nlohmann::json const& message) {
    if (*asked || text_field(message, "type") != "munge")
      return handshake->refuse("expected a MUNGE credential");
    *asked = true;
    // By the time munged answers the handshake may be over.  The waiting
    // thread does not own it; only the event loop locks it again.
    auto finish = [waiting = std::weak_ptr(handshake),
                   link =
                       std::weak_ptr(channel)](Result<Answer> const& answer) {
      auto const still = waiting.lock();
      auto const to = link.lock();
      if (!still || !to) return;
      if (!answer) return still->refuse(answer.error().message);
      to->send({{"type", "accepted"}, {"credential", answer->credential}});
      to->seal(answer->keys);
      still->accept(answer->uid);
    };
    bool const taken =
        elsewhere([=, waiting = std::weak_ptr(handshake),
                   credential = text_field(message, "credential")]() -> Finish {
          if (waiting.expired()) return nullptr;
          return [finish,
                  answer = answer_client(munge_socket, nonce, credential)] {
            finish(answer);
          };
        });
    if (!taken) handshake->refuse("too many wait for MUNGE");
  });
  channel->send({{"type", "challenge"},
                 {"version", daemon_protocol_version},
                 {"nonce", nonce},
                 {"uid", static_cast<Uid>(::geteuid())}});
}

Elsewhere wait_here() {
  return [](std::function<Finish()> const& work) {
    if (auto const finish = work()) finish();
    return true;
  };
}

void munge_client(std::shared_ptr<Channel> channel, std::string munge_socket,
                  std::vector<Uid> trusted, double timeout_s,
                  Elsewhere elsewhere, Channel::OnClose on_close,
                  std::function<void(Result<void>)> done) {
  auto const handshake = Handshake<void>::make(
      channel, timeout_s, std::move(on_close), std::move(done));
  // As on the server's side: the thread that waits for munged owns neither.
  auto const waiting = std::weak_ptr(handshake);
  auto const link = std::weak_ptr(channel);
  auto const ask = [=](std::function<Finish()> work) {
    if (elsewhere([=]() -> Finish {
          if (waiting.expired()) return nullptr;
          return work();
        }))
      return;
    if (auto const still = waiting.lock())
      still->refuse("too many wait for MUNGE");
  };
  auto const stage = std::make_shared<ClientStage>();
  handshake->start([=](nlohmann::json const& message) {
    auto const type = text_field(message, "type");
    auto const still = waiting.lock();
    if (!still) return;
    if (stage->asks || type != (stage->approach ? "accepted" : "challenge"))
      return still->refuse("unexpected answer '" + type.substr(0, 60) + "'");
    stage->asks = true;
    if (stage->approach)
      return ask(
          [=, credential = text_field(message, "credential")]() -> Finish {
            return [=, server = verify_server(munge_socket, *stage->approach,
                                              credential)] {
              accept_server(waiting.lock(), link.lock(), *stage, server);
            };
          });
    auto const next = approach(message, trusted);
    if (!next) return still->refuse(next.error().message);
    stage->approach = *next;
    ask([=, next = *next]() -> Finish {
      return [=, credential = munge_seal(munge_socket, next.server,
                                         next.own.text_of("client"))] {
        send_credential(waiting.lock(), link.lock(), stage.get(), credential);
      };
    });
  });
}

}  // namespace gleaner::proto
