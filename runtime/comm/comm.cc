// SPDX-License-Identifier: Apache-2.0
/// Which data planes this build has.
#include "runtime/comm/comm.hh"

#include "runtime/comm/comm_self.hh"
#include "runtime/comm/comm_slowed.hh"
#include "runtime/comm/comm_staged.hh"
#include "runtime/comm/comm_tcp.hh"
#include "runtime/comm/gpu_module.hh"
#ifdef HAVE_MPI
#include "runtime/comm/comm_mpi.hh"
#endif

namespace gleaner::comm {
namespace {

/// The best plane for buffers of the host, for "auto".
std::string_view resolved(std::string_view kind) {
  return kind == "auto" ? "tcp" : kind;
}

/// Between buffers of the host.
Result<std::unique_ptr<Plane>> make_host_plane(std::string_view kind,
                                               PlaneOptions const& options) {
  auto const plane = resolved(kind);
  if (plane == "tcp") return make_tcp_plane(options);
#ifdef HAVE_MPI
  if (plane == "mpi") return make_mpi_plane(options);
#endif
  return Error{Errc::not_found, "no data plane '" + std::string(kind) +
                                    "' for " + std::to_string(options.size) +
                                    " members (built: " + planes_available() +
                                    ")"};
}

}  // namespace

namespace {

Result<std::unique_ptr<Plane>> make_real_plane(std::string_view kind,
                                               PlaneOptions const& options) {
  if (options.size == 1)
    return std::unique_ptr<Plane>(new SelfPlane(options.device));
  if (!options.device && kind == "nccl")
    return Error{Errc::invalid_argument,
                 "data plane 'nccl' sums on GPUs, and the gradients are in "
                 "memory of the host [register parameters with "
                 "gleaner_tensor_on()]"};
  if (!options.device) return make_host_plane(kind, options);
  if (kind == "nccl" || kind == "auto") {
    auto const module = gpu_module();
    if (!module) return module.error();
    return (*module)->make_plane(options);
  }
  auto plane = make_host_plane(kind, options);
  if (!plane) return plane;
  return make_staged_plane(std::move(*plane), options.device);
}

}  // namespace

Result<std::unique_ptr<Plane>> make_plane(std::string_view kind,
                                          PlaneOptions const& options) {
  assert(options.rank >= 0 && options.rank < options.size);
  auto plane = make_real_plane(kind, options);
  if (!plane || !options.slow_link || options.size == 1) return plane;
  return make_slowed_plane(std::move(*plane), *options.slow_link, options.size);
}

std::string planes_available() {
  std::string planes = "tcp";
#ifdef HAVE_MPI
  planes += ",mpi";
#endif
  return planes + ",self";
}

bool shares_memory(std::string_view kind) { return resolved(kind) == "mpi"; }

}  // namespace gleaner::comm
