// SPDX-License-Identifier: Apache-2.0
/// Both sides of the MUNGE handshake.
#include "proto/munge_handshake.hh"

#include <munge.h>

#include <cstdlib>
#include <utility>

#include "proto/handshake.hh"
#include "proto/secret.hh"

namespace gleaner {
namespace {

constexpr std::size_t nonce_bytes = 16;

/// A MUNGE context that talks to the munged of this cluster.
class MungeContext {
 public:
  explicit MungeContext(std::string const& socket)
      : context_(munge_ctx_create()) {
    if (context_ && !socket.empty())
      munge_ctx_set(context_, MUNGE_OPT_SOCKET, socket.c_str());
  }
  ~MungeContext() { munge_ctx_destroy(context_); }
  MungeContext(MungeContext const&) = delete;
  MungeContext& operator=(MungeContext const&) = delete;

  Error error(char const* doing, munge_err_t code) const {
    char const* text = context_ ? munge_ctx_strerror(context_) : nullptr;
    return {Errc::denied, std::string("MUNGE cannot ") + doing + " (" +
                              (text ? text : munge_strerror(code)) + ")"};
  }
  munge_ctx_t get() const { return context_; }

 private:
  munge_ctx_t context_;
};

Result<std::string> encode(std::string const& socket, std::string const& text) {
  MungeContext const context(socket);
  char* credential = nullptr;
  auto const code = munge_encode(&credential, context.get(), text.data(),
                                 static_cast<int>(text.size()));
  std::unique_ptr<char, decltype(&std::free)> const owner(credential,
                                                          &std::free);
  if (code != EMUNGE_SUCCESS) return context.error("sign", code);
  return std::string(credential);
}

/// The uid of whoever signed `text`.
Result<Uid> decode(std::string const& socket, std::string const& credential,
                   std::string const& text) {
  MungeContext const context(socket);
  void* payload = nullptr;
  int size = 0;
  uid_t uid = 0;
  gid_t gid = 0;
  auto const code = munge_decode(credential.c_str(), context.get(), &payload,
                                 &size, &uid, &gid);
  std::unique_ptr<void, decltype(&std::free)> const owner(payload, &std::free);
  if (code != EMUNGE_SUCCESS) return context.error("verify", code);
  if (std::string_view(static_cast<char const*>(payload),
                       static_cast<std::size_t>(size)) != text)
    return Error{Errc::denied,
                 "the MUNGE credential is for another connection"};
  return static_cast<Uid>(uid);
}

}  // namespace

void munge_server(std::shared_ptr<Channel> channel, std::string munge_socket,
                  double timeout_s, Channel::OnClose on_close,
                  std::function<void(Result<Uid>)> done) {
  auto const nonce = random_hex(nonce_bytes);
  auto const handshake = Handshake<Uid>::make(
      channel, timeout_s, std::move(on_close), std::move(done));
  handshake->start([=](nlohmann::json const& message) {
    if (text_field(message, "type") != "munge")
      return handshake->refuse("expected a MUNGE credential");
    auto const uid =
        decode(munge_socket, text_field(message, "credential"), nonce);
    if (!uid) return handshake->refuse(uid.error().message);
    channel->send({{"type", "accepted"}});
    handshake->accept(*uid);
  });
  channel->send(
      {{"type", "challenge"}, {"version", protocol_version}, {"nonce", nonce}});
}

void munge_client(std::shared_ptr<Channel> channel, std::string munge_socket,
                  double timeout_s, Channel::OnClose on_close,
                  std::function<void(Result<void>)> done) {
  auto const handshake = Handshake<void>::make(
      channel, timeout_s, std::move(on_close), std::move(done));
  handshake->start([=](nlohmann::json const& message) {
    auto const type = text_field(message, "type");
    if (type == "accepted") return handshake->accept();
    if (type != "challenge")
      return handshake->refuse("expected a challenge, got '" + type + "'");
    if (auto const why = version_refusal(message); !why.empty())
      return handshake->refuse(why);
    auto const credential = encode(munge_socket, text_field(message, "nonce"));
    if (!credential) return handshake->refuse(credential.error().message);
    channel->send({{"type", "munge"}, {"credential", *credential}});
  });
}

}  // namespace gleaner
