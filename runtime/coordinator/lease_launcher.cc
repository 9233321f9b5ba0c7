// SPDX-License-Identifier: Apache-2.0
/// The sruns that hold a trainer's leases: started, watched, ended.
#include "runtime/coordinator/lease_launcher.hh"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "core/log_output.hh"
#include "runtime/coordinator/lease_command.hh"
#include "runtime/coordinator/lease_options.hh"
#include "runtime/os/handed_secret.hh"

namespace gleaner::coordinator {
namespace {

constexpr std::chrono::seconds term_time{2};
constexpr std::size_t complaint_bytes_max = 400;

std::vector<std::string> own_environment() {
  std::vector<std::string> env;
  for (char** entry = environ; *entry; ++entry) env.emplace_back(*entry);
  return env;
}

/// What srun and the agent wrote, to where our own log goes, but for a remark
/// that srun makes of --cpu-bind=none on clusters that bind nothing anyway.
void pass_on(std::string_view text) {
  constexpr std::string_view remark =
      "srun: cluster configuration lacks support for cpu binding\n";
  if (text == remark) return;
  write_to_log(std::string(text));
}

}  // namespace

/// One srun.
struct LeaseLauncher::Srun {
  explicit Srun(asio::io_context& io) : errors(io), term(io) {}

  std::string node;
  asio::posix::stream_descriptor errors;  ///< its standard error
  asio::steady_timer term;                ///< from SIGTERM to SIGKILL
  std::array<char, 4096> input{};
  std::string line;       ///< not yet complete
  std::string complaint;  ///< last line that began with "srun: error: "

  void take(std::string_view bytes);
};

/// Keep srun's last complaint of what it writes.
void LeaseLauncher::Srun::take(std::string_view bytes) {
  for (char const c : bytes) {
    if (c != '\n') {
      if (line.size() < complaint_bytes_max) line += c;
      continue;
    }
    if (line.starts_with("srun: error: ")) complaint = line;
    line.clear();
  }
}

LeaseLauncher::LeaseLauncher(asio::io_context& io, Options options,
                             OnEnd on_end)
    : io_(io),
      sigchld_(io, SIGCHLD),
      options_(std::move(options)),
      on_end_(std::move(on_end)) {
  wait_for_children();
}

LeaseLauncher::~LeaseLauncher() {
  // SIGTERM first: srun then gives the node back to Slurm itself.
  for (auto const& [key, srun] : sruns_) children_.signal(key, SIGTERM);
  children_.end_all(
      std::chrono::duration_cast<std::chrono::milliseconds>(term_time));
}

void LeaseLauncher::set_lease_options(std::vector<std::string> options) {
  lease_options_ = std::move(options);
}

Result<void> LeaseLauncher::start(msg::Grant const& grant) {
  // On this machine no srun is asked, and there is no ticket.
  if (options_.via != Via::here)
    if (auto done = check_lease_request(grant, lease_options_); !done)
      return done;
  for (auto const& [key, other] : sruns_)
    if (other->node == grant.node)
      return Error{Errc::invalid_argument,
                   "the last lease of node " + grant.node + " is still ending"};
  auto const secret = os::secret_pipe(options_.secret);
  if (!secret) return secret.error();
  std::array<int, 2> pipe{};
  if (::pipe2(pipe.data(), O_CLOEXEC) != 0)
    return Error{Errc::io, std::string("cannot make a pipe (") +
                               std::strerror(errno) + ")"};
  auto srun = std::make_shared<Srun>(io_);
  srun->node = grant.node;
  srun->errors.assign(pipe[0]);
  auto const environment = own_environment();
  auto options = charge_options(environment);
  options.insert(options.end(), lease_options_.begin(), lease_options_.end());
  os::ChildCommand command;
  command.argv = options_.via == Via::here
                     ? std::vector{options_.agent}
                     : lease_command(grant, options, options_.agent);
  command.env = scrubbed_environment(environment);
  command.env.push_back("GLEANER_COORDINATOR=" + options_.coordinator);
  command.env.push_back("GLEANER_NODE=" + grant.node);
  command.env.insert(command.env.end(), options_.environment.begin(),
                     options_.environment.end());
  if (!options_.munge_socket.empty())
    command.env.push_back("GLEANER_MUNGE_SOCKET=" + options_.munge_socket);
  if (grant.part)
    command.env.push_back("GLEANER_PART_CPUS=" +
                          std::to_string(grant.part->cpus));
  command.cwd = options_.cwd;
  // If we die, srun shall still give the node back.
  command.death_signal = SIGTERM;
  command.stdin_fd = secret->get();
  command.stderr_fd = pipe[1];
  auto const key = next_key_++;
  // Where programs are on a disk that stands still, the training goes on.
  auto const pid = children_.begin(key, command);
  ::close(pipe[1]);
  if (!pid) return pid.error();
  sruns_[key] = srun;
  read_complaints(srun);
  return {};
}

void LeaseLauncher::end(std::string const& node) {
  for (auto const& [key, srun] : sruns_) {
    if (srun->node != node) continue;
    children_.signal(key, SIGTERM);
    srun->term.expires_after(term_time);
    srun->term.async_wait([this, key = key](asio::error_code error) {
      if (!error) children_.signal(key, SIGKILL);
    });
  }
}

void LeaseLauncher::wait_for_children() {
  sigchld_.async_wait([this](asio::error_code error, int) {
    if (error) return;
    children_.reap(
        [this](auto key, int code) { ended(key, code, children_.failure()); });
    wait_for_children();
  });
}

void LeaseLauncher::ended(os::ChildProcesses::Key key, int code,
                          std::string const& not_started) {
  auto const found = sruns_.find(key);
  if (found == sruns_.end()) return;
  auto const srun = std::exchange(found->second, nullptr);
  sruns_.erase(found);
  srun->term.cancel();
  // What it wrote last is still in the pipe; its writers are gone.
  asio::error_code error;
  srun->errors.non_blocking(true, error);
  while (!error) {
    auto const n = srun->errors.read_some(asio::buffer(srun->input), error);
    if (error || n == 0) break;
    srun->take({srun->input.data(), n});
    pass_on({srun->input.data(), n});
  }
  srun->errors.close(error);
  on_end_(srun->node, code,
          not_started.empty() ? srun->complaint : not_started);
}

void LeaseLauncher::read_complaints(std::shared_ptr<Srun> srun) {
  auto& errors = srun->errors;
  auto const input = asio::buffer(srun->input);
  errors.async_read_some(input, [this, srun = std::move(srun)](
                                    asio::error_code error, std::size_t n) {
    if (error) return;
    srun->take({srun->input.data(), n});
    pass_on({srun->input.data(), n});
    read_complaints(srun);
  });
}

}  // namespace gleaner::coordinator
