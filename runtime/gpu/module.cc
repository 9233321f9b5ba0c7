// SPDX-License-Identifier: Apache-2.0
/// What libgleaner_gpu.so shows of itself.
#include "config.h"
#include "runtime/comm/gpu_module.hh"
#include "runtime/gpu/comm_nccl.hh"
#include "runtime/gpu/device_cuda.hh"

extern "C" {
extern gleaner::comm::GpuModule const gleaner_gpu_module;
gleaner::comm::GpuModule const gleaner_gpu_module = {
    PACKAGE_VERSION, gleaner::gpu::open_cuda_device,
    gleaner::gpu::make_nccl_plane};
}
