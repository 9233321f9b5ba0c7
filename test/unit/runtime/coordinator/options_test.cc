// SPDX-License-Identifier: Apache-2.0
/// What `gleaner run` takes from its command line and its environment.
#include "runtime/coordinator/options.hh"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "test/unit/catch.hh"

namespace gleaner::coordinator {
namespace {

/// What options look at; unset where a test does not say otherwise.
constexpr char const* variables[] = {"SLURM_JOB_ID",        "SLURM_SUBMIT_DIR",
                                     "SLURM_RESTART_COUNT", "GLEANER_FOLLOW",
                                     "GLEANER_SECRET_FILE", "GLEANER_CONF",
                                     "SLURM_CONF",          "GLEANER_LIBEXEC"};

using Environment = std::map<std::string, std::string>;

/// "--local=2 -- ./train" in this environment.
Result<CoordinatorOptions> read(std::string const& line,
                                Environment const& environment = {}) {
  for (auto const* name : variables) ::unsetenv(name);
  for (auto const& [name, value] : environment)
    ::setenv(name.c_str(), value.c_str(), 1);
  std::vector<std::string> words = {"gleaner-coordinator"};
  std::istringstream text(line);
  for (std::string word; text >> word;) words.push_back(word);
  std::vector<char*> argv;
  for (auto& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  auto options = read_options(static_cast<int>(words.size()), argv.data());
  for (auto const* name : variables) ::unsetenv(name);
  return options;
}

CoordinatorOptions good(std::string const& line,
                        Environment const& environment = {}) {
  auto options = read(line, environment);
  INFO(line);
  if (!options) FAIL(options.error().message);
  return *options;
}

std::string why_not(std::string const& line,
                    Environment const& environment = {}) {
  auto const options = read(line, environment);
  return options ? "" : options.error().message;
}

/// A file that lasts as long as this.
struct File {
  std::filesystem::path path =
      std::filesystem::temp_directory_path() /
      ("gleaner-options-test-" + std::to_string(::getpid()));
  explicit File(std::string const& text) {
    std::ofstream(path) << text;
    std::filesystem::permissions(path, std::filesystem::perms::owner_read |
                                           std::filesystem::perms::owner_write);
  }
  ~File() { std::filesystem::remove(path); }
};

TEST_CASE("what stands behind -- is the program's, whatever it looks like") {
  auto const options = good("--local=2 -- python3 train.py --dir=x --help");
  CHECK(options.argv ==
        std::vector<std::string>{"python3", "train.py", "--dir=x", "--help"});
  CHECK(options.local_nodes == 2);
}

TEST_CASE("without options a training runs as documented") {
  auto const options = good("--local=0 -- ./train");
  CHECK(options.comm == "auto");
  CHECK(options.on_loss == "recompute");
  CHECK(options.shards == 0);
  CHECK(options.members_per_node == 0);
  CHECK(options.checkpoint_interval_s == 60);
  CHECK(options.failure_timeout_s == 5);
  CHECK(options.finish_timeout_s == 300);
  CHECK(!options.resume);
  CHECK(options.follow == generation::membership::Options::Follow::automatic);
}

TEST_CASE("deterministic mode has 16 shards, and losses are recomputed") {
  CHECK(good("--local=1 --deterministic -- ./train").shards == 16);
  auto const options =
      good("--local=1 --deterministic=8 --on-loss=short -- ./train");
  CHECK(options.shards == 8);
  CHECK(options.on_loss == "recompute");
}

TEST_CASE("the run directory is the job's, where it was submitted") {
  CHECK(good("--local=1 -- ./train", {{"SLURM_SUBMIT_DIR", "/home/u"}}).dir ==
        "/home/u/gleaner-local");
  File const config("mode: on\n");
  CHECK(good("-- ./train", {{"SLURM_SUBMIT_DIR", "/home/u"},
                            {"SLURM_JOB_ID", "17"},
                            {"GLEANER_CONF", config.path}})
            .dir == "/home/u/gleaner-17");
  CHECK(good("--local=1 --dir=/tmp/mine -- ./train").dir == "/tmp/mine");
}

TEST_CASE("a relative run directory is that of the current directory") {
  auto const here = std::filesystem::current_path().string();
  CHECK(good("--local=1 --dir=mine -- ./train").dir == here + "/mine");
  CHECK(good("--local=1 -- ./train").cwd == here);
}

TEST_CASE("a job that Slurm started again resumes, and one that asks to") {
  CHECK(good("--local=1 --resume -- ./train").resume);
  CHECK(good("--local=1 -- ./train", {{"SLURM_RESTART_COUNT", "1"}}).resume);
}

TEST_CASE("in a job the settings are gleaner.yaml's, without Slurm defaults") {
  File const config("mode: on\nlease_partition: borrowed\n");
  Environment const job = {{"SLURM_JOB_ID", "17"},
                           {"GLEANER_CONF", config.path}};
  auto const options = good("-- ./train", job);
  CHECK(options.job == 17);
  CHECK(options.config.lease_partition == "borrowed");
  CHECK(!options.address_chosen);
  CHECK(good("--address=head -- ./train", job).address_chosen);
  auto const local = good("--local=1 -- ./train", job);
  CHECK(local.config.lease_partition == default_config().lease_partition);
  CHECK(local.address == "127.0.0.1");
}

TEST_CASE("the secret of a file is read, and a file that others may read not") {
  File const secret(std::string(64, 'a') + "\n");
  Environment const with = {{"GLEANER_SECRET_FILE", secret.path}};
  CHECK(!good("--local=1 -- ./train", with).secret.empty());
  std::filesystem::permissions(secret.path, std::filesystem::perms::others_read,
                               std::filesystem::perm_options::add);
  CHECK_THAT(why_not("--local=1 -- ./train", with),
             Catch::StartsWith("GLEANER_SECRET_FILE: "));
}

TEST_CASE("what cannot be meant is refused by name, with its value") {
  struct Row {
    char const* line;
    char const* part;
    Environment environment = {};
  };
  for (auto const& [line, part, environment] : {
           Row{"--local=1", "program"},
           Row{"-- ./train", "SLURM_JOB_ID is not set"},
           Row{"--local=1 --comm=pigeon -- ./train", "pigeon"},
           Row{"--local=1 --on-loss=cry -- ./train", "cry"},
           Row{"--local=-1 -- ./train", "--local"},
           Row{"--local=many -- ./train", "many"},
           Row{"--local=1 --deterministic=0 -- ./train", "--deterministic"},
           Row{"--local=1 --failure-timeout=0.1 -- ./train",
               "--failure-timeout"},
           Row{"--local=1 --members-per-node=0 -- ./train",
               "--members-per-node"},
           Row{"--local=1 --checkpoint-interval=-1 -- ./train",
               "--checkpoint-interval"},
           Row{"--local=1 --nodes-min=0 -- ./train", "--nodes-min"},
           Row{"--local=1 --log-level=loud -- ./train", "loud"},
           Row{"--local=1 --speed=9 -- ./train", "--speed=9"},
           Row{"--local=1 -- ./train",
               "GLEANER_FOLLOW is 'perhaps', expected auto, on or off",
               {{"GLEANER_FOLLOW", "perhaps"}}},
           Row{"-- ./train",
               "/nowhere/gleaner.yaml",
               {{"SLURM_JOB_ID", "17"},
                {"GLEANER_CONF", "/nowhere/gleaner.yaml"}}},
       }) {
    INFO(line);
    CHECK_THAT(why_not(line, environment), Catch::Contains(part));
  }
}

TEST_CASE("GLEANER_FOLLOW chooses how joiners get the state") {
  using Follow = generation::membership::Options::Follow;
  auto const with = [](char const* value) {
    return good("--local=1 -- ./train", {{"GLEANER_FOLLOW", value}}).follow;
  };
  CHECK(with("auto") == Follow::automatic);
  CHECK(with("on") == Follow::on);
  CHECK(with("off") == Follow::off);
}

TEST_CASE("sizes are written with their unit") {
  CHECK(good("--local=1 -- x").events_bytes_max == 256u << 20);
  CHECK(good("--local=1 --events-max=100M -- x").events_bytes_max == 100u
                                                                         << 20);
  CHECK(good("--local=1 --events-max=0 -- x").events_bytes_max == 0);
  CHECK(why_not("--local=1 --events-max=much -- x") != "");
}

TEST_CASE("patterns of output get the job; nodes fill in the rest") {
  auto const here = good("--local=1 --output=/tmp/%j-%t-%N%% --error=e -- x");
  CHECK(here.output == "/tmp/local-%t-%N%%");
  CHECK(here.errors == "e");
  CHECK_FALSE(here.labels);
  CHECK(good("--local=1 --label -- x").labels);
}

TEST_CASE("patterns that cannot work are refused at once") {
  CHECK(why_not("--local=1 --output=%x -- x").find("--output: '%x'") == 0);
  CHECK(why_not("--local=1 --error=/no/where/%t -- x").find("'/no/where'") !=
        std::string::npos);
  CHECK(why_not("--local=1 --label --output=x -- x") != "");
}

}  // namespace
}  // namespace gleaner::coordinator
