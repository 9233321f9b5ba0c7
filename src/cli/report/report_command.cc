// SPDX-License-Identifier: Apache-2.0
#include "cli/report/report_command.hh"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "cli/report/event_log.hh"
#include "cli/report/journal.hh"
#include "cli/report/observed.hh"
#include "cli/report/rigid_log.hh"
#include "cli/report/sacct.hh"
#include "cli/report/summary.hh"
#include "cli/report/timeline.hh"
#include "core/config.hh"
#include "core/event_log_parts.hh"
#include "core/place.hh"

namespace gleaner::cli {
namespace {

struct ReportOptions {
  std::string journal;                ///< gleanerd's journal.sqlite
  std::vector<std::string> trainers;  ///< run directories, or events.jsonl
  std::string rigid;                  ///< record of the rigid jobs; may be ""
  std::string sacct;                  ///< what sacct printed, saved; "": ask it
  std::string config;                 ///< gleaner.yaml; "": where it usually is
  std::string rigid_without;          ///< of the same jobs without Gleaner
  std::string nodes;                  ///< "n[1-8]"; "": those in the logs
  double from_s = 0;                  ///< 0: first event of the logs
  double to_s = 0;                    ///< 0: last event of the logs
  std::string timeline;               ///< file to write; "": none
  std::string summary;                ///< file to write; "": none
  std::vector<std::string> failures;  ///< that the logs do not tell of
  bool check = false;                 ///< fail unless everything was shown
  int resizes_min = 2;                ///< what --check demands, both ways
};

constexpr double sacct_s_max = 60;

Result<std::string> read_file(std::string const& path) {
  std::ifstream in(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  if (!in.is_open() || in.bad())
    return Error{Errc::io, "cannot read '" + path + "'"};
  return text;
}

Result<void> write_file(std::string const& path, std::string const& text) {
  std::ofstream out(path, std::ios::binary);
  out << text;
  out.close();
  if (!out) return Error{Errc::io, "cannot write '" + path + "'"};
  return {};
}

Error in_file(std::string const& path, Error const& error) {
  return {error.code, path + ": " + error.message};
}

Result<std::vector<RigidJob>> read_rigid(std::string const& path) {
  if (path.empty()) return std::vector<RigidJob>{};
  auto const text = read_file(path);
  if (!text) return text.error();
  auto jobs = parse_rigid_log(*text);
  if (!jobs) return in_file(path, jobs.error());
  return jobs;
}

Result<TrainerHistory> read_trainer(std::string const& path, double until_s) {
  std::filesystem::path const file(path);
  auto const is_directory = std::filesystem::is_directory(file);
  auto const is_log = !is_directory && file.filename() == "events.jsonl";
  auto const dir = is_directory ? path : file.parent_path().string();
  auto const text = is_directory || is_log
                        ? read_event_log(dir.empty() ? "." : dir)
                        : read_file(path);
  if (!text) return text.error();
  auto trainer = parse_event_log(*text, until_s);
  if (!trainer) return in_file(path, trainer.error());
  return trainer;
}

/// What sacct told before, saved in a file.
Result<std::vector<RigidJob>> read_sacct(std::string const& path,
                                         std::string const& lease_partition) {
  auto const text = read_file(path);
  if (!text) return text.error();
  auto jobs = parse_sacct(*text, lease_partition);
  if (!jobs) return in_file(path, jobs.error());
  return jobs;
}

/// The rigid jobs from Slurm's accounting.  A cluster that has none is no
/// error: then they stay unknown, and the report says why.
Result<void> add_accounting(ReportOptions const& options, History& history) {
  auto const config =
      load_config(options.config.empty() ? config_path() : options.config);
  auto const lease_partition =
      config ? config->lease_partition : parse_config("", "")->lease_partition;
  if (!options.sacct.empty()) {
    auto jobs = read_sacct(options.sacct, lease_partition);
    if (!jobs) return jobs.error();
    history.rigid = std::move(*jobs);
    return {};
  }
  SacctQuery query{history.window.from_s, history.window.to_s, {}};
  for (auto const& node : history.nodes) query.nodes.insert(node_of(node));
  auto jobs = ask_sacct(query, lease_partition, sacct_s_max);
  if (jobs)
    history.rigid = std::move(*jobs);
  else
    std::fprintf(stderr, "gleaner: other jobs are unknown: %s\n",
                 jobs.error().message.c_str());
  return {};
}

Result<History> read_history(ReportOptions const& options) {
  History history;
  history.failures = options.failures;
  history.window = {options.from_s, options.to_s};
  auto const nodes = NodeSet::parse(options.nodes);
  if (!nodes) return nodes.error();
  history.nodes.assign(nodes->begin(), nodes->end());

  auto without = read_rigid(options.rigid_without);
  if (!without) return without.error();
  history.rigid_without = std::move(*without);
  for (auto const& path : options.trainers) {
    auto trainer = read_trainer(path, options.to_s);
    if (!trainer) return trainer.error();
    history.trainers.push_back(std::move(*trainer));
  }
  if (!options.journal.empty()) {
    auto leases = read_journal(options.journal, options.to_s);
    if (!leases) return leases.error();
    history.leases = std::move(*leases);
  }
  if (!options.rigid.empty()) {
    auto rigid = read_rigid(options.rigid);
    if (!rigid) return rigid.error();
    history.rigid = std::move(*rigid);
  }
  complete(history);
  if (!history.rigid)
    if (auto ok = add_accounting(options, history); !ok) return ok.error();
  if (!(history.window.from_s < history.window.to_s))
    return Error{Errc::invalid_argument,
                 "nothing happened between the beginning and the end of the "
                 "time to report on"};
  return history;
}

/// What was observed while nothing was lent; "" if that never was.
Result<std::string> observed_text(ReportOptions const& options) {
  ObservedLedger ledger(options.from_s, options.to_s);
  if (options.journal.empty()) return ledger.text();
  auto const done = for_each_event(
      options.journal,
      [&](double t_s, std::string const& event, nlohmann::json const& data) {
        ledger.event(t_s, event, data);
      });
  if (!done) return done.error();
  return ledger.text();
}

int complain(Error const& error) {
  std::fprintf(stderr, "gleaner: %s\n", error.message.c_str());
  return 2;
}

int run_report(ReportOptions const& options) {
  auto const observed = observed_text(options);
  if (!observed) return complain(observed.error());
  auto const history = read_history(options);
  if (!history && !observed->empty() && options.trainers.empty() &&
      options.rigid.empty()) {
    // Nothing was lent, and nothing else is to be reported on.
    std::fputs(observed->c_str(), stdout);
    return 0;
  }
  if (!history) return complain(history.error());
  auto const summary = summarise(*history);
  auto json = to_json(summary);
  auto const missed = unmet(summary, options.resizes_min);
  if (options.check) json["unmet"] = missed;

  if (!options.timeline.empty()) {
    auto ok = write_file(options.timeline, timeline_svg(*history, summary));
    if (!ok) return complain(ok.error());
  }
  if (!options.summary.empty()) {
    auto ok = write_file(options.summary, json.dump(2) + "\n");
    if (!ok) return complain(ok.error());
  }
  std::fputs((to_text(summary) + *observed).c_str(), stdout);
  if (!options.check) return 0;
  for (auto const& what : missed)
    std::fprintf(stderr, "gleaner: %s\n", what.c_str());
  return missed.empty() ? 0 : 1;
}

}  // namespace

void report_command(CLI::App& report, Run& run) {
  auto const options = std::make_shared<ReportOptions>();
  report.add_option("--journal", options->journal,
                    "gleanerd's STATE_DIR/journal.sqlite");
  report.add_option("--trainer", options->trainers,
                    "Run directory of a training job (may be repeated)");
  report.add_option("--rigid", options->rigid,
                    "Record of the rigid jobs (JSON lines); without it, "
                    "ask sacct");
  report.add_option("--sacct", options->sacct,
                    "Read this saved answer of sacct instead of asking");
  report.add_option("--config", options->config, "gleaner.yaml to read");
  report.add_option("--rigid-without", options->rigid_without,
                    "Record of the same jobs from a run without Gleaner");
  report.add_option("--nodes", options->nodes, "Nodes to report on");
  report.add_option("--from", options->from_s, "Begin, seconds since 1970");
  report.add_option("--to", options->to_s, "End, seconds since 1970");
  report.add_option("--timeline", options->timeline, "Write an SVG picture");
  report.add_option("--summary", options->summary, "Write the figures as JSON");
  report.add_option("--failure", options->failures,
                    "A failure that the logs do not show (may be repeated)");
  report.add_flag(
      "--check", options->check,
      "Fail unless every training job learned, grew and shrank, and "
      "nothing failed");
  report.add_option("--resizes-min", options->resizes_min,
                    "Resizes in each direction that --check requires");
  report.callback(
      [options, &run] { run = [options] { return run_report(*options); }; });
}

}  // namespace gleaner::cli
