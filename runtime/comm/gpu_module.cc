// SPDX-License-Identifier: Apache-2.0
#include "runtime/comm/gpu_module.hh"

#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>

#include "config.h"

namespace gleaner::comm {
namespace {

constexpr char const* file_name = "libgleaner_gpu.so";
constexpr char const* symbol = "gleaner_gpu_module";

std::string module_path() {
  char const* directory = std::getenv("GLEANER_MODULES");
  return std::string(directory ? directory : PKGLIBDIR) + '/' + file_name;
}

Error no_module(std::string const& path, std::string const& why) {
  return {Errc::not_found, "no support for GPUs: '" + path + "' " + why};
}

}  // namespace

Result<GpuModule const*> load_gpu_module(std::string const& path) {
  if (::access(path.c_str(), F_OK) != 0)
    return no_module(path,
                     "is not there [configure --with-cuda and --with-nccl, or "
                     "name its directory in GLEANER_MODULES]");
  // Never closed: CUDA does not survive that.
  void* const library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return no_module(path, std::string("cannot be loaded (") + ::dlerror() +
                               ") [CUDA's and NCCL's libraries must be where "
                               "the system looks for libraries]");
  auto const* module = static_cast<GpuModule const*>(::dlsym(library, symbol));
  if (!module) return no_module(path, "is another library");
  if (std::string(module->version) != PACKAGE_VERSION)
    return no_module(path, std::string("is of version ") + module->version +
                               ", libgleaner of " PACKAGE_VERSION
                               " [install both from one build]");
  return module;
}

Result<GpuModule const*> gpu_module() {
  static auto const module = load_gpu_module(module_path());
  return module;
}

}  // namespace gleaner::comm
