// SPDX-License-Identifier: Apache-2.0
/// gleaner-coordinator: what `gleaner run` becomes.
#include <exception>

#include "core/log.hh"
#include "runtime/coordinator/coordinator.hh"

namespace {

int refuse(std::string const& why) {
  log_to_stderr(gleaner::LogLevel::error,
                gleaner::LogLine("gleaner_run").kv("why", why));
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    auto options = gleaner::read_options(argc, argv);
    if (!options) return refuse(options.error().message);
    if (options->argv.empty()) return 0;
    auto coordinator = gleaner::Coordinator::make(std::move(*options));
    if (!coordinator) return refuse(coordinator.error().message);
    return (*coordinator)->run();
  } catch (std::exception const& e) {
    return refuse(e.what());
  }
}
