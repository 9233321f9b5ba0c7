// SPDX-License-Identifier: Apache-2.0
#include "cli/profile/profile_command.hh"

#include <cstdio>
#include <fstream>

#include "cli/daemon_query.hh"
#include "cli/profile/profile_view.hh"
#include "core/config.hh"

namespace gleaner::cli {
namespace {

struct ProfileOptions {
  JobId job = 0;
  std::string config;  ///< path of gleaner.yaml; "": where it is by default
  bool json = false;
  std::string svg;  ///< file to write the picture to; "": none
};

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

}  // namespace

void profile_command(CLI::App& profile, Run& run) {
  auto const options = std::make_shared<ProfileOptions>();
  profile.add_option("job", options->job, "Job id of the training job")
      ->required()
      ->type_name("JOB");
  profile.add_option("--config", options->config, "gleaner.yaml to read");
  profile.add_flag("--json", options->json, "Write the answer as JSON");
  profile.add_option("--svg", options->svg, "Write a picture")
      ->type_name("FILE");
  profile.callback(
      [options, &run] { run = [options] { return run_profile(*options); }; });
}

}  // namespace gleaner::cli
