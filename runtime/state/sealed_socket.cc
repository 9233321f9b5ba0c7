// SPDX-License-Identifier: Apache-2.0
#include "runtime/state/sealed_socket.hh"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string>

#include "proto/libcrypto_use.hh"
#include "proto/secret.hh"

namespace gleaner::state {
namespace {

constexpr std::size_t key_bytes = 16;
constexpr std::size_t nonce_bytes = 12;
constexpr std::size_t room_bytes = SealedSocket::length_bytes +
                                   SealedSocket::record_bytes_max +
                                   SealedSocket::tag_bytes;

/// The first bytes of H(frame key, "bulk").
std::array<unsigned char, key_bytes> bulk_key(std::string const& frame_key) {
  auto const hex = proto::hmac_hex(frame_key, "bulk");
  std::array<unsigned char, key_bytes> key{};
  for (std::size_t i = 0; i < key.size(); ++i)
    key[i] = static_cast<unsigned char>(
        std::stoi(hex.substr(2 * i, 2), nullptr, 16));
  return key;
}

}  // namespace

/// The tags of one direction.
class SealedSocket::Tagger {
 public:
  explicit Tagger(std::string const& frame_key) {
    auto const key = bulk_key(frame_key);
    proto::LibcryptoUse const use;
    if (!use) return;
    context_ = EVP_CIPHER_CTX_new();
    good_ = context_ && EVP_EncryptInit_ex(context_, EVP_aes_128_gcm(), nullptr,
                                           key.data(), nullptr) == 1;
  }
  ~Tagger() {
    if (proto::LibcryptoUse const use; use) EVP_CIPHER_CTX_free(context_);
  }
  Tagger(Tagger const&) = delete;
  Tagger& operator=(Tagger const&) = delete;

  /// Write the tag of the next record.  False: libcrypto cannot.
  bool next(unsigned char const* bytes, std::size_t n, unsigned char* tag) {
    std::array<unsigned char, nonce_bytes> nonce{};
    for (std::size_t i = 0; i < sizeof count_; ++i)
      nonce[nonce_bytes - 1 - i] =
          static_cast<unsigned char>(count_ >> 8 * i & 0xff);
    ++count_;
    int none = 0;
    proto::LibcryptoUse const use;
    return use && good_ &&
           EVP_EncryptInit_ex(context_, nullptr, nullptr, nullptr,
                              nonce.data()) == 1 &&
           EVP_EncryptUpdate(context_, nullptr, &none, bytes, int(n)) == 1 &&
           EVP_EncryptFinal_ex(context_, tag, &none) == 1 &&
           EVP_CIPHER_CTX_ctrl(context_, EVP_CTRL_GCM_GET_TAG, tag_bytes,
                               tag) == 1;
  }

 private:
  EVP_CIPHER_CTX* context_ = nullptr;
  bool good_ = false;
  std::uint64_t count_ = 0;
};

SealedSocket::SealedSocket(int fd, proto::SealKeys const& keys)
    : fd_(fd),
      sent_(std::make_unique<Tagger>(keys.sent)),
      received_(std::make_unique<Tagger>(keys.received)) {}

SealedSocket::SealedSocket(int fd) : fd_(fd) {}
SealedSocket SealedSocket::plain(int fd) { return SealedSocket(fd); }
SealedSocket::~SealedSocket() = default;
SealedSocket::SealedSocket(SealedSocket&&) noexcept = default;

ssize_t SealedSocket::send(void const* data, std::size_t bytes) {
  if (!sent_) return ::send(fd_, data, bytes, MSG_NOSIGNAL | MSG_DONTWAIT);
  if (out_end_ > 0 && push() < 0) return -1;
  out_.resize(room_bytes);
  auto const taken = std::min(bytes, record_bytes_max - filled_);
  std::memcpy(out_.data() + length_bytes + filled_, data, taken);
  filled_ += taken;
  // What cannot be sent now goes with the next call.
  if (filled_ == record_bytes_max && flush() < 0 && errno != EAGAIN) return -1;
  return ssize_t(taken);
}

int SealedSocket::flush() {
  if (filled_ == 0) return 0;
  if (out_end_ == 0) {
    for (std::size_t i = 0; i < length_bytes; ++i)
      out_[i] = static_cast<unsigned char>(
          filled_ >> 8 * (length_bytes - 1 - i) & 0xff);
    auto const before_tag = length_bytes + filled_;
    if (!sent_->next(out_.data(), before_tag, out_.data() + before_tag)) {
      errno = EIO;
      return -1;
    }
    out_end_ = before_tag + tag_bytes;
    out_done_ = 0;
  }
  return push();
}

/// Send the record that is sealed.
int SealedSocket::push() {
  while (out_done_ < out_end_) {
    auto const n = ::send(fd_, out_.data() + out_done_, out_end_ - out_done_,
                          MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EWOULDBLOCK) errno = EAGAIN;
    if (n < 0) return -1;
    out_done_ += std::size_t(n);
  }
  filled_ = out_end_ = 0;
  return 0;
}

/// False: no record has this length.
bool SealedSocket::take_length() {
  in_data_ = 0;
  for (std::size_t i = 0; i < length_bytes; ++i)
    in_data_ = in_data_ << 8 | in_[i];
  return in_data_ > 0 && in_data_ <= record_bytes_max;
}

bool SealedSocket::verify() {
  std::array<unsigned char, tag_bytes> tag{};
  auto const before_tag = length_bytes + in_data_;
  return received_->next(in_.data(), before_tag, tag.data()) &&
         CRYPTO_memcmp(tag.data(), in_.data() + before_tag, tag_bytes) == 0;
}

ssize_t SealedSocket::receive(void* data, std::size_t bytes) {
  if (!received_) return ::recv(fd_, data, bytes, MSG_DONTWAIT);
  in_.resize(room_bytes);
  while (in_ready_ == 0) {
    // Never beyond the record: what follows is still to be waited for.
    auto const end = in_got_ < length_bytes
                         ? length_bytes
                         : length_bytes + in_data_ + tag_bytes;
    auto const n =
        ::recv(fd_, in_.data() + in_got_, end - in_got_, MSG_DONTWAIT);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return n;
    in_got_ += std::size_t(n);
    if (in_got_ < end) continue;
    bool const is_length = end == length_bytes;
    if (!(is_length ? take_length() : verify())) {
      errno = EBADMSG;
      return -1;
    }
    if (!is_length) in_ready_ = in_data_;
  }
  auto const taken = std::min(bytes, in_ready_ - in_taken_);
  std::memcpy(data, in_.data() + length_bytes + in_taken_, taken);
  in_taken_ += taken;
  if (in_taken_ == in_ready_) in_ready_ = in_taken_ = in_got_ = 0;
  return ssize_t(taken);
}

}  // namespace gleaner::state
