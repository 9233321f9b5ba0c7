// SPDX-License-Identifier: Apache-2.0
/// Which hardware threads is a GPU near?
///
/// Read from files of the driver and of Linux, so that the agent needs no
/// CUDA.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gleaner::agent {

/// A GPU of this machine that may be used.
struct GpuPlace {
  std::string uuid;  ///< "GPU-6f..."
  std::string cpus;  ///< near it, as Linux lists them: "0-15,32-47"
};

/// In the order of their PCI addresses, in which CUDA counts GPUs of one
/// model.  `root` is "" but in tests.
std::vector<GpuPlace> gpu_places(std::string const& root = "");

/// The hardware threads near all of what CUDA_VISIBLE_DEVICES names; "" when
/// they differ or are not known.
std::string cpus_near(std::vector<GpuPlace> const& places,
                      std::string_view visible);

}  // namespace gleaner::agent
