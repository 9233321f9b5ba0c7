// SPDX-License-Identifier: Apache-2.0
#include "cli/status/status_command.hh"

#include <pwd.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <thread>
#include <vector>

#include "cli/daemon_query.hh"
#include "cli/status/status_view.hh"
#include "core/config.hh"

namespace gleaner::cli {
namespace {

struct StatusOptions {
  std::string config;  ///< path of gleaner.yaml; "": where it is by default
  enum class Form { table, json, strip } form = Form::table;
  bool watch = false;       ///< again every second, until interrupted
  std::string strip_nodes;  ///< for the strip: "n[1-8]"
};

std::string user_name(Uid uid) {
  passwd const* entry = getpwuid(uid);
  return entry ? entry->pw_name : std::to_string(uid);
}

class View {
 public:
  View(StatusOptions const& options, std::vector<std::string> nodes)
      : options_(options),
        nodes_(std::move(nodes)),
        terminal_(isatty(STDOUT_FILENO) == 1) {}

  void show(msg::StatusReply const& status) {
    using Form = StatusOptions::Form;
    if (since_s_ == 0) since_s_ = status.time_s;
    std::string text;
    switch (options_.form) {
      case Form::json:
        text =
            msg::to_json(msg::ToClient(status)).dump(options_.watch ? -1 : 2) +
            "\n";
        break;
      case Form::strip:
        text = status_strip(status, nodes_, since_s_,
                            terminal_ ? Ink::colour : Ink::plain, &widths_) +
               "\n";
        break;
      case Form::table:
        // Home and clear, so that the table stays in its place.
        if (options_.watch && terminal_) text = "\033[H\033[2J";
        text += status_table(status, user_name);
        if (options_.watch && !terminal_) text += "\n";
    }
    std::fputs(text.c_str(), stdout);
    std::fflush(stdout);
  }

 private:
  StatusOptions const& options_;
  std::vector<std::string> nodes_;
  bool terminal_;
  double since_s_ = 0;
  StripWidths widths_;
};

int complain(std::string const& what) {
  std::fprintf(stderr, "gleaner: %s\n", what.c_str());
  return 1;
}

int run_status(StatusOptions const& options) {
  auto const path = options.config.empty() ? config_path() : options.config;
  auto const config = load_config(path);
  if (!config) return complain(config.error().message);
  auto const nodes = NodeSet::parse(options.strip_nodes);
  if (!nodes) return complain(nodes.error().message);

  View view(options, {nodes->begin(), nodes->end()});
  for (;;) {
    auto const next =
        std::chrono::steady_clock::now() + std::chrono::seconds(1);
    auto const answer = ask_daemon(*config, msg::StatusRequest{});
    auto const* status =
        answer ? std::get_if<msg::StatusReply>(&*answer) : nullptr;
    if (status)
      view.show(*status);
    else if (answer)
      complain("gleanerd answered something else");
    else
      complain(unanswered(*config, path, answer.error()));
    if (!options.watch) return status ? 0 : 1;
    std::this_thread::sleep_until(next);
  }
}

}  // namespace

void status_command(CLI::App& status, Run& run) {
  auto const options = std::make_shared<StatusOptions>();
  status.add_option("--config", options->config, "gleaner.yaml to read");
  auto* json = status.add_flag_callback(
      "--json", [options] { options->form = StatusOptions::Form::json; },
      "Write the answer as JSON");
  status.add_flag("--watch", options->watch, "Ask again every second");
  status
      .add_option_function<std::string>(
          "--strip",
          [options](std::string const& nodes) {
            options->form = StatusOptions::Form::strip;
            options->strip_nodes = nodes;
          },
          "One line, with a column for each of these nodes")
      ->type_name("NODES")
      ->excludes(json);
  status.callback(
      [options, &run] { run = [options] { return run_status(*options); }; });
}

}  // namespace gleaner::cli
