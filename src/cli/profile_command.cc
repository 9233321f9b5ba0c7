// SPDX-License-Identifier: Apache-2.0
#include "cli/profile_command.hh"

#include <cstdio>
#include <fstream>

#include "cli/daemon_query.hh"
#include "cli/profile_view.hh"
#include "core/config.hh"

namespace gleaner::cli {
namespace {

int complain(std::string const& what) {
  std::fprintf(stderr, "gleaner: %s\n", what.c_str());
  return 1;
}

bool write(std::string const& file, std::string const& text) {
  std::ofstream out(file);
  out << text;
  out.close();
  return bool(out);
}

}  // namespace

int run_profile(ProfileOptions const& options) {
  auto const path = options.config.empty() ? config_path() : options.config;
  auto const config = load_config(path);
  if (!config) return complain(config.error().message);
  auto const answer = ask_daemon(*config, msg::ProfileRequest{options.job});
  if (!answer) return complain(unanswered(*config, path, answer.error()));
  auto const* profile = std::get_if<msg::ProfileReply>(&*answer);
  if (!profile) return complain("gleanerd answered something else");
  if (!profile->why.empty()) return complain(profile->why);
  auto const text = options.json ? msg::to_json(*answer).dump(2) + "\n"
                                 : profile_text(*profile);
  std::fputs(text.c_str(), stdout);
  if (options.svg.empty()) return 0;
  if (profile->curve.empty())
    return complain("nothing is measured yet, so there is no picture");
  if (!write(options.svg, profile_svg(*profile)))
    return complain("cannot write '" + options.svg +
                    "' [name a file in a directory that exists and has room]");
  return 0;
}

}  // namespace gleaner::cli
