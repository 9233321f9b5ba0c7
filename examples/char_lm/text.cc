// SPDX-License-Identifier: Apache-2.0
#include "text.hh"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace char_lm {
namespace {

namespace fs = std::filesystem;

std::string read_file(fs::path const& path) {
  std::ifstream in(path, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(in), {}};
  if (!in.is_open() || in.bad())
    throw std::runtime_error("cannot read text '" + path.string() + "'");
  return bytes;
}

/// A folder's links are left out: they would repeat what they point to.
std::string read_folder(fs::path const& path) {
  std::vector<fs::path> files;
  for (auto const& entry : fs::directory_iterator(path))
    if (entry.is_regular_file() && !entry.is_symlink())
      files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::string bytes;
  for (auto const& file : files) bytes += read_file(file);
  return bytes;
}

}  // namespace

Text Text::read(std::string const& path, std::size_t context) {
  std::string const bytes =
      fs::is_directory(path) ? read_folder(path) : read_file(path);
  if (bytes.size() < context + 1)
    throw std::runtime_error(
        "text '" + path + "' has " + std::to_string(bytes.size()) +
        " characters (one sample needs " + std::to_string(context + 1) + ")");
  Text text;
  text.context_ = context;
  std::array<std::int64_t, 256> token_of{};
  std::array<bool, 256> occurs{};
  for (unsigned char c : bytes) occurs[c] = true;
  for (std::size_t c = 0; c < occurs.size(); ++c) {
    if (!occurs[c]) continue;
    token_of[c] = static_cast<std::int64_t>(text.characters_.size());
    text.characters_.push_back(static_cast<char>(c));
  }
  text.tokens_.reserve(bytes.size());
  for (unsigned char c : bytes) text.tokens_.push_back(token_of[c]);
  return text;
}

}  // namespace char_lm
