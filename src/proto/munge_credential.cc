// SPDX-License-Identifier: Apache-2.0
/// Texts that one uid can open, and that say whose they are; libmunge's only
/// user.
#include "proto/munge_credential.hh"

#include <munge.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>

namespace gleaner::proto {
namespace {

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

  /// Make credentials that only `reader` can open, whatever munged.conf or its
  /// defaults say of encryption.
  munge_err_t restrict_to(Uid reader) {
    auto const code =
        munge_ctx_set(context_, MUNGE_OPT_CIPHER_TYPE, MUNGE_CIPHER_AES128);
    if (code != EMUNGE_SUCCESS) return code;
    return munge_ctx_set(context_, MUNGE_OPT_UID_RESTRICTION,
                         static_cast<uid_t>(reader));
  }

  Error error(char const* doing, munge_err_t code) const {
    char const* text = context_ ? munge_ctx_strerror(context_) : nullptr;
    return {Errc::denied, std::string("MUNGE cannot ") + doing + " (" +
                              (text ? text : munge_strerror(code)) + ")"};
  }
  munge_ctx_t get() const { return context_; }

 private:
  munge_ctx_t context_;
};

}  // namespace

Result<std::string> munge_seal(std::string const& socket, Uid reader,
                               std::string const& text) {
  MungeContext context(socket);
  if (auto const code = context.restrict_to(reader); code != EMUNGE_SUCCESS)
    return context.error("sign", code);
  char* credential = nullptr;
  auto const code = munge_encode(&credential, context.get(), text.data(),
                                 static_cast<int>(text.size()));
  std::unique_ptr<char, decltype(&std::free)> const owner(credential,
                                                          &std::free);
  if (code != EMUNGE_SUCCESS) return context.error("sign", code);
  return std::string(credential);
}

Result<MungeText> munge_open(std::string const& socket,
                             std::string const& credential) {
  MungeContext const context(socket);
  void* payload = nullptr;
  int size = 0;
  uid_t uid = 0;
  gid_t gid = 0;
  auto const code = munge_decode(credential.c_str(), context.get(), &payload,
                                 &size, &uid, &gid);
  std::unique_ptr<void, decltype(&std::free)> const owner(payload, &std::free);
  if (code != EMUNGE_SUCCESS) return context.error("verify", code);
  return MungeText{static_cast<Uid>(uid),
                   payload && size > 0
                       ? std::string(static_cast<char const*>(payload),
                                     static_cast<std::size_t>(size))
                       : std::string()};
}

}  // namespace gleaner::proto
