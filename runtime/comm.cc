// SPDX-License-Identifier: Apache-2.0
/// Which data planes this build has.
#include "runtime/comm.hh"

#include "runtime/comm_self.hh"
#ifdef HAVE_GLOO
#include "runtime/comm_gloo.hh"
#endif

namespace gleaner {

Result<std::unique_ptr<Plane>> make_plane(std::string_view kind,
                                          PlaneOptions const& options) {
  assert(options.rank >= 0 && options.rank < options.size);
  if (options.size == 1) return std::unique_ptr<Plane>(new SelfPlane);
#ifdef HAVE_GLOO
  if (kind == "gloo" || kind == "auto") return make_gloo_plane(options);
#endif
  return Error{Errc::not_found, "no data plane '" + std::string(kind) +
                                    "' for " + std::to_string(options.size) +
                                    " members (built: " + planes_available() +
                                    ")"};
}

std::string planes_available() {
#ifdef HAVE_GLOO
  return "gloo,self";
#else
  return "self";
#endif
}

}  // namespace gleaner
