// SPDX-License-Identifier: Apache-2.0
/// job_submit plugin: what happens to a job between sbatch and Slurm's queue.
///
/// - `sbatch --malleable` becomes a base job, or is refused with a reason.
/// - What names the lease partition, reservation, licence, account or QOS is a
///   lease with a valid ticket, or is refused; by update it is always refused.
/// - Of every other job gleanerd is told.  With arrival_notice_s one that
/// cannot
///   start without leased nodes begins a moment later (arrival_notice.hh); else
///   it passes untouched.
///
/// When something goes wrong here (no memory, say), the first two are refused
/// and the third passes.
///
/// Called under slurmctld's read locks, since 23.02 by several threads at once:
/// no waiting here, and each part of Plugin guards what it changes.
#include <slurm/slurm_errno.h>

#include <ctime>
#include <fstream>
#include <limits>
#include <memory>
#include <sstream>

#include "core/importance.hh"
#include "core/local_disk.hh"
#include "plugins/c_guard.hh"
#include "plugins/hint.hh"
#include "plugins/job_submit/arrival_notice.hh"
#include "plugins/job_submit/job_desc.hh"
#include "plugins/job_submit/lease_guard.hh"
#include "plugins/job_submit/lease_template.hh"
#include "plugins/settings.hh"
#include "plugins/slurm_log.hh"
#include "plugins/slurm_symbols.hh"
#include "slurm/compat.hh"

extern "C" {
// A const at file scope is private to the file in C++, unless declared first.
extern char const plugin_name[];
extern char const plugin_type[];
extern std::uint32_t const plugin_version;
char const plugin_name[] = "Gleaner job submission";
char const plugin_type[] = "job_submit/gleaner";
std::uint32_t const plugin_version = SLURM_VERSION_NUMBER;
}

namespace gleaner::job_submit {
namespace {

/// Where slurmctld keeps its own state: the one place that does not depend on
/// gleaner.yaml, and that a backup controller sees too.
plugins::LastGood last_good_of_slurmctld() {
  if (!slurm_conf.state_save_location) return plugins::LastGood("");
  return plugins::LastGood(std::string(slurm_conf.state_save_location) +
                           "/gleaner.yaml.last_good");
}

struct Plugin {
  plugins::Settings settings{last_good_of_slurmctld()};
  LocalDiskChecks disks;
  plugins::HintSender hints;
  // A ticket from before now may have been used before.
  proto::TicketLedger ledger{std::time(nullptr)};
};
std::unique_ptr<Plugin> plugin;

/// What one call of job_submit or job_modify is about; making one throws
/// nothing.
struct Call {
  explicit Call(job_desc_msg_t* desc, Uid uid, char** tell_user) noexcept
      : desc(desc),
        uid(uid),
        tell_user(tell_user),
        known(plugin->settings.now()),
        found(find_ours(places_of(*desc), names_of(known->config))) {}

  Config const& config() const { return known->config; }

  job_desc_msg_t* desc;
  Uid uid;  ///< who asks, as MUNGE says
  char** tell_user;
  std::shared_ptr<plugins::Settings::Known const> known;
  std::optional<FoundName> found;  ///< the first of our names in it
};

int tell(Call const& call, int code, char const* message) noexcept {
  if (call.tell_user) {
    slurm_xfree(reinterpret_cast<void**>(call.tell_user));
    *call.tell_user = slurm_xstrdup(message);
  }
  return code;
}

int refuse(Call const& call, int code, std::string const& message) {
  return tell(call, code, ("gleaner: " + message).c_str());
}

/// The answer when on_submit() or on_modify() could give none.
int when_broken(Call const& call, bool closed) noexcept {
  if (!closed) return SLURM_SUCCESS;
  return tell(call, ESLURM_ACCESS_DENIED,
              "gleaner: the request could not be checked (internal error, see "
              "slurmctld's log) [try again, or ask the administrator]");
}

int code_of(Errc code) {
  return code == Errc::denied ? ESLURM_ACCESS_DENIED : ESLURM_NOT_SUPPORTED;
}

/// What the job's mark says of it; fails with the user's error.
Result<slurm::TrainerMark> make_mark(JobRequest const& request,
                                     plugins::MalleableRange const& range) {
  slurm::TrainerMark mark;
  mark.nodes_min = range.nodes_min;
  mark.nodes_max = range.nodes_max;
  if (request.weight) {
    auto const weight = parse_weight("--malleable-weight", *request.weight);
    if (!weight) return weight.error();
    mark.weight = *weight;
  }
  if (request.deadline) {
    auto const deadline_s = parse_deadline_s(*request.deadline);
    if (!deadline_s)
      return Error{deadline_s.error().code,
                   "--malleable-deadline: " + deadline_s.error().message};
    mark.deadline_s = *deadline_s;
  }
  auto lease_template = make_lease_template(request, range);
  if (!lease_template) return lease_template.error();
  mark.lease_template = std::move(*lease_template);
  return mark;
}

int on_malleable(Call const& call, JobRequest request) {
  if (!call.known->error.empty())
    return refuse(call, ESLURM_NOT_SUPPORTED,
                  "--malleable is not possible now (" + call.known->error +
                      ") [ask the administrator]");
  auto const range = plugins::parse_malleable_range(*request.malleable);
  if (!range)
    return refuse(call, ESLURM_INVALID_NODE_COUNT, range.error().message);
  // Where it would go in any case says nothing about the training nodes.
  if (request.partition == call.config().head_partition)
    request.partition.clear();
  auto const mark = make_mark(request, *range);
  if (!mark)
    return refuse(call, code_of(mark.error().code), mark.error().message);
  make_base_job(call.desc, *mark, call.config());
  plugin->hints.send(plugins::HintSender::Kind::training,
                     call.config().run_dir);
  return SLURM_SUCCESS;
}

Result<std::string> ticket_key(Config const& config) {
  auto const path = config.state_dir + "/ticket.key";
  if (auto local = plugin->disks.check(path); !local) return local.error();
  return proto::load_ticket_key(path, proto::KeyFile::must_exist);
}

int on_lease(Call const& call, JobRequest const& request) {
  auto const ticket = admit_lease(request, *call.found, call.config(),
                                  ticket_key(call.config()), &plugin->ledger,
                                  std::time(nullptr));
  if (!ticket) {
    plugins::log_to_slurm(LogLevel::info,
                          LogLine("lease_refused")
                              .kv("uid", request.submitter)
                              .kv("node", request.required)
                              .kv("why", ticket.error().message));
    return refuse(call, ESLURM_ACCESS_DENIED, ticket.error().message);
  }
  make_lease(call.desc, *ticket, call.config());
  return SLURM_SUCCESS;
}

/// What gleanerd last said of the nodes; nothing when it has not.
FreeNodes free_nodes(Config const& config) {
  std::ifstream file(free_nodes_path(config.run_dir));
  std::ostringstream text;
  text << file.rdbuf();
  auto free = parse_free_nodes(text.str());
  return free ? *free : FreeNodes{};
}

double now_s() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return static_cast<double>(now.tv_sec) +
         static_cast<double>(now.tv_nsec) / 1e9;
}

void on_arrival(Call const& call, JobRequest const& request) {
  auto const& config = call.config();
  if (config.arrival_notice_s > 0)
    if (auto const until_s =
            notice_until(request, free_nodes(config), config, now_s()))
      give_notice(call.desc, *until_s);
  plugin->hints.send(plugins::HintSender::Kind::arrival, config.run_dir);
}

int on_submit(Call const& call) {
  auto const request = read_request(*call.desc, call.uid);
  if (call.found) return on_lease(call, request);
  // srun and salloc inside a base job inherit the option without meaning it.
  if (request.malleable && request.is_batch) return on_malleable(call, request);
  if (request.is_batch && (request.weight || request.deadline))
    return refuse(call, ESLURM_NOT_SUPPORTED,
                  std::string(request.weight ? "--malleable-weight"
                                             : "--malleable-deadline") +
                      " is about a training job [add --malleable=MIN-MAX]");
  on_arrival(call, request);
  return SLURM_SUCCESS;
}

int on_modify(Call const& call) {
  if (call.found) {
    auto const error = for_leases_only(*call.found);
    plugins::log_to_slurm(LogLevel::info,
                          LogLine("update_refused")
                              .kv("uid", call.uid)
                              .kv("what", call.found->to_string()));
    return refuse(call, ESLURM_ACCESS_DENIED, error.message);
  }
  // It may have become eligible, or want other nodes.
  plugin->hints.send(plugins::HintSender::Kind::arrival, call.config().run_dir);
  return SLURM_SUCCESS;
}

/// Not a code of Slurm's: `handle` threw.
constexpr int broken = std::numeric_limits<int>::min();

template <class Handle>
int answer(Call const& call, bool closed, Handle&& handle) noexcept {
  int const code = plugins::guard(broken, plugins::log_exception,
                                  [&] { return handle(call); });
  return code == broken ? when_broken(call, closed) : code;
}

int modify(job_desc_msg_t* desc, Uid uid, char** tell_user) noexcept {
  Call const call(desc, uid, tell_user);
  return answer(call, call.found.has_value(), on_modify);
}

}  // namespace
}  // namespace gleaner::job_submit

extern "C" {

int init(void) {
  return gleaner::plugins::guard(
      SLURM_ERROR, gleaner::plugins::log_exception, [] {
        gleaner::job_submit::plugin =
            std::make_unique<gleaner::job_submit::Plugin>();
        slurm_info("gleaner: job_submit loaded");
        return SLURM_SUCCESS;
      });
}

void fini(void) { gleaner::job_submit::plugin.reset(); }

int job_submit(job_desc_msg_t* desc, std::uint32_t submit_uid, char** err_msg) {
  using namespace gleaner;
  job_submit::Call const call(desc, submit_uid, err_msg);
  bool const closed =
      call.found || (desc->script && job_submit::is_malleable(*desc));
  return job_submit::answer(call, closed, job_submit::on_submit);
}

#if GLEANER_JOB_MODIFY_TELLS_USER
int job_modify(job_desc_msg_t* desc, struct job_record*,
               std::uint32_t submit_uid, char** err_msg) {
  return gleaner::job_submit::modify(desc, submit_uid, err_msg);
}
#else
int job_modify(job_desc_msg_t* desc, struct job_record*,
               std::uint32_t submit_uid) {
  return gleaner::job_submit::modify(desc, submit_uid, nullptr);
}
#endif

}  // extern "C"
