// SPDX-License-Identifier: Apache-2.0
/// What needs CUDA and NCCL, loaded when a program has memory of a GPU.
///
/// It is a library of its own, libgleaner_gpu.so, so that libgleaner runs where
/// there is neither.  It is looked for in $GLEANER_MODULES, else where `make
/// install` put it, and must be of the same version.
#pragma once

#include <memory>
#include <string>

#include "core/result.hh"
#include "runtime/comm/comm.hh"
#include "runtime/comm/device.hh"

namespace gleaner::comm {

/// The one symbol of the library, gleaner_gpu_module.
struct GpuModule {
  char const* version = "";  ///< of Gleaner

  /// Fails with not_found when there is no such GPU.
  Result<std::shared_ptr<Device>> (*open_device)(int index) = nullptr;

  /// A plane over NCCL, between buffers on options.device.
  Result<std::unique_ptr<Plane>> (*make_plane)(PlaneOptions const& options) =
      nullptr;
};

/// Loads it once and for all.  Fails with not_found, saying where it looked
/// and what is wrong with what is there.
Result<GpuModule const*> gpu_module();

/// Load the module from this file, again each time; for tests.
Result<GpuModule const*> load_gpu_module(std::string const& path);

}  // namespace gleaner::comm
