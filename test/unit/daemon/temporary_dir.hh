// SPDX-License-Identifier: Apache-2.0
/// A directory that is gone after the test.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

namespace gleaner::daemon {

class TemporaryDir {
 public:
  TemporaryDir() {
    std::string pattern =
        std::filesystem::temp_directory_path() / "gleaner-test-XXXXXX";
    if (::mkdtemp(pattern.data())) path_ = pattern;
  }
  ~TemporaryDir() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  TemporaryDir(TemporaryDir const&) = delete;
  TemporaryDir& operator=(TemporaryDir const&) = delete;

  std::string const& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace gleaner::daemon
