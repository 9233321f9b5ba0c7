// SPDX-License-Identifier: Apache-2.0
#include "cli/own_program.hh"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace gleaner::cli {

std::vector<std::string> paths_of(OwnProgram const& program,
                                  std::string const& override_dir,
                                  std::string const& own_dir,
                                  std::string const& installed_dir) {
  std::string const name = std::string("/") + program.name;
  if (!override_dir.empty()) return {override_dir + name};
  return {own_dir + name, own_dir + "/../../" + program.folder + name,
          installed_dir + name};
}

int become(OwnProgram const& program,
           std::vector<std::string> const& arguments) {
  char const* libexec = std::getenv("GLEANER_LIBEXEC");
  std::error_code ignored;
  auto const self = std::filesystem::read_symlink("/proc/self/exe", ignored);
  auto const paths = paths_of(program, libexec ? libexec : "",
                              self.parent_path().string(), PKGLIBEXECDIR);

  std::vector<char*> argv = {const_cast<char*>(program.name)};
  for (auto const& argument : arguments)
    argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);

  std::string tried;
  for (auto const& path : paths) {
    execv(path.c_str(), argv.data());
    tried += (tried.empty() ? "" : "; ") + path + ": " + std::strerror(errno);
  }
  std::fprintf(stderr,
               "gleaner: cannot run %s (%s) [set GLEANER_LIBEXEC to its "
               "directory]\n",
               program.name, tried.c_str());
  return 127;
}

}  // namespace gleaner::cli
