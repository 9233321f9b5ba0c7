// SPDX-License-Identifier: Apache-2.0
/// gleanerd's command line, signals and exit status; see gleanerd(8).
#include <CLI/CLI.hpp>
#include <asio.hpp>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <map>
#include <string>

#include "config.h"
#include "core/config.hh"
#include "core/log.hh"
#include "core/slurm_user.hh"
#include "daemon/daemon.hh"
#include "daemon/io/state_dir.hh"
#include "slurm/control.hh"
#include "slurm/load.hh"

namespace gleaner::daemon {
namespace {

constexpr int exit_failed = 1;
constexpr int exit_usage = 2;

struct Arguments {
  std::string config_file = config_path();
  bool check_only = false;
  bool foreground = true;
  std::map<std::string, std::string> overrides;
};

/// One option for each key of gleaner.yaml, beside the program's own.
void describe(CLI::App* app, Arguments* arguments) {
  app->add_option("--config", arguments->config_file,
                  "Configuration file (default: $GLEANER_CONF, gleaner.yaml "
                  "beside $SLURM_CONF, /etc/slurm/gleaner.yaml)")
      ->type_name("FILE");
  app->add_flag("--check-config", arguments->check_only,
                "Print the effective values and exit");
  app->add_flag("--foreground", arguments->foreground,
                "Stay in the foreground, log to standard error (always so)");
  app->set_version_flag("--version", "gleanerd " PACKAGE_VERSION);
  for (auto const& option : option_table()) {
    auto const* choices = option.choices;
    std::string help = option.help;
    help += " Default: " +
            (*option.fallback ? std::string(option.fallback) : "\"\"");
    app->add_option_function<std::string>(
           "--" + std::string(option.key),
           [arguments, key = option.key](std::string const& value) {
             arguments->overrides[key] = value;
           },
           help)
        ->type_name(*choices       ? choices
                    : *option.unit ? option.unit
                                   : "TEXT")
        ->group("Keys of gleaner.yaml");
  }
}

Result<Config> read_config(Arguments const& arguments) {
  return load_config(arguments.config_file, arguments.overrides);
}

void complain(Error const& error) {
  log_to_stderr(LogLevel::error,
                LogLine("cannot_start").kv("why", error.message));
}

class Program {
 public:
  Program(Arguments arguments, Config config)
      : arguments_(std::move(arguments)),
        config_(std::move(config)),
        signals_(io_, SIGTERM, SIGINT, SIGHUP) {}

  int run() {
    if (auto done = start(); !done) {
      complain(done.error());
      return exit_failed;
    }
    wait_for_signal();
    io_.run();
    if (!daemon_->stop()) std::_Exit(0);  // Slurm or munged hangs
    return 0;
  }

 private:
  Result<void> start() {
    if (auto done = check_own_user(config_); !done) return done;
    if (auto done = make_directories(config_); !done) return done;
    auto lock = StateLock::take(config_.state_dir);
    if (!lock) return lock.error();
    lock_ = std::make_unique<StateLock>(std::move(*lock));
    if (auto done = slurm::init_libslurm(); !done) return done;
    auto daemon = Daemon::start(
        io_, config_, clock_,
        {slurm::make_slurm_control(config_),
         slurm::make_slurm_source(slurm::snapshot_options(config_))});
    if (!daemon) return daemon.error();
    daemon_ = std::move(*daemon);
    return {};
  }

  void wait_for_signal() {
    signals_.async_wait([this](asio::error_code error, int number) {
      if (error) return;
      if (number != SIGHUP) return io_.stop();
      auto config = read_config(arguments_);
      if (config)
        daemon_->reconfigure(*config);
      else
        log_to_stderr(
            LogLevel::error,
            LogLine("reconfigure_failed").kv("why", config.error().message));
      wait_for_signal();
    });
  }

  Arguments arguments_;
  Config config_;
  SystemClock clock_;
  asio::io_context io_;
  asio::signal_set signals_;
  std::unique_ptr<StateLock> lock_;
  std::unique_ptr<Daemon> daemon_;
};

int main_guarded(int argc, char** argv) {
  Arguments arguments;
  CLI::App app("gleanerd lends idle Slurm nodes to malleable trainings.",
               "gleanerd");
  describe(&app, &arguments);
  try {
    app.parse(argc, argv);
  } catch (CLI::ParseError const& error) {
    return app.exit(error) == 0 ? 0 : exit_usage;
  }
  auto config = read_config(arguments);
  if (!config) {
    complain(config.error());
    return exit_usage;
  }
  if (arguments.check_only) {
    std::cout << to_yaml(*config);
    return 0;
  }
  set_log_level(log_level(config->log_level));
  std::signal(SIGPIPE, SIG_IGN);
  return Program(std::move(arguments), std::move(*config)).run();
}

}  // namespace
}  // namespace gleaner::daemon

int main(int argc, char** argv) {
  try {
    return gleaner::daemon::main_guarded(argc, argv);
  } catch (std::exception const& error) {
    gleaner::log_to_stderr(gleaner::LogLevel::error,
                           gleaner::LogLine("ended").kv("why", error.what()));
    return gleaner::daemon::exit_failed;
  }
}
