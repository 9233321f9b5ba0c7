// SPDX-License-Identifier: Apache-2.0
/// Finding and opening Slurm's sched_backfill.so.
#include "plugins/sched/stock_backfill.hh"

#include <dlfcn.h>
#include <sys/stat.h>

#include <cstring>

#include "plugins/slurm_log.hh"

namespace gleaner::sched {
namespace {

constexpr char const* file_name = "/sched_backfill.so";

std::string directory_of(std::string const& path) {
  auto const slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash);
}

/// The file that holds `symbol`; "" when the linker does not know.
std::string file_of(void const* symbol) {
  Dl_info info{};
  return dladdr(symbol, &info) && info.dli_fname ? info.dli_fname : "";
}

bool is_this_plugin(std::string const& path) {
  struct stat ours {
  }, theirs{};
  auto const self = file_of(reinterpret_cast<void const*>(&is_this_plugin));
  return stat(self.c_str(), &ours) == 0 && stat(path.c_str(), &theirs) == 0 &&
         ours.st_dev == theirs.st_dev && ours.st_ino == theirs.st_ino;
}

/// The error of `path`, or "" with `handle` open.
std::string try_open(std::string const& path, std::uint32_t version,
                     void** handle) {
  struct stat file {};
  if (stat(path.c_str(), &file) != 0) return "not there";
  if (is_this_plugin(path)) return "is this plugin itself";
  *handle = dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL);
  if (!*handle) return dlerror();
  auto const* name = static_cast<char const*>(dlsym(*handle, "plugin_name"));
  auto const* release =
      static_cast<std::uint32_t const*>(dlsym(*handle, "plugin_version"));
  std::string why;
  if (!name || !release || !dlsym(*handle, "sched_p_reconfig"))
    why = "is no scheduler plugin";
  else if (std::strstr(name, "Gleaner"))
    why = "is a copy of this plugin";
  else if (*release != version)
    why = "belongs to another release of Slurm";
  if (why.empty()) return "";
  dlclose(*handle);
  *handle = nullptr;
  return why;
}

}  // namespace

StockBackfill::~StockBackfill() {
  if (handle_) dlclose(handle_);
}

Result<void> StockBackfill::open(std::vector<std::string> const& candidates,
                                 std::uint32_t version) {
  std::string tried;
  for (auto const& path : candidates) {
    auto const why = try_open(path, version, &handle_);
    if (why.empty()) {
      path_ = path;
      init_ = reinterpret_cast<int (*)()>(dlsym(handle_, "init"));
      fini_ = reinterpret_cast<void (*)()>(dlsym(handle_, "fini"));
      reconfig_ =
          reinterpret_cast<int (*)()>(dlsym(handle_, "sched_p_reconfig"));
      return {};
    }
    tried += (tried.empty() ? "" : "; ") + path + ": " + why;
  }
  return Error{Errc::not_found, "cannot find Slurm's own sched_backfill.so (" +
                                    tried + ") [set stock_backfill]"};
}

int StockBackfill::init() const { return init_ ? init_() : 0; }

void StockBackfill::fini() const {
  if (fini_) fini_();
}

int StockBackfill::reconfig() const { return reconfig_(); }

std::vector<std::string> stock_backfill_candidates(
    std::string const& configured) {
  std::vector<std::string> paths;
  if (!configured.empty()) paths.push_back(configured);
  auto const library = file_of(reinterpret_cast<void const*>(&slurm_info));
  if (!library.empty()) paths.push_back(directory_of(library) + file_name);
  for (char const* directory :
       {"/usr/lib64/slurm", "/usr/lib/slurm", "/usr/local/lib/slurm",
        "/usr/lib/x86_64-linux-gnu/slurm-wlm",
        "/usr/lib/aarch64-linux-gnu/slurm-wlm"})
    paths.push_back(std::string(directory) + file_name);
  return paths;
}

}  // namespace gleaner::sched
