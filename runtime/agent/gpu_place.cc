// SPDX-License-Identifier: Apache-2.0
#include "runtime/agent/gpu_place.hh"

#include <fcntl.h>

#include <charconv>
#include <filesystem>
#include <fstream>
#include <map>

#include "runtime/agent/gpu_share.hh"
#include "runtime/os/fd.hh"

namespace gleaner::agent {
namespace {

namespace fs = std::filesystem;

std::string first_line(std::string const& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

/// "GPU UUID: \t GPU-6f..": the values of the driver's file, by key.
std::map<std::string, std::string> information(std::string const& path) {
  std::map<std::string, std::string> values;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    auto const colon = line.find(':');
    if (colon == std::string::npos) continue;
    auto const value = line.find_first_not_of(" \t", colon + 1);
    if (value != std::string::npos)
      values[line.substr(0, colon)] = line.substr(value);
  }
  return values;
}

/// Slurm may keep a job from opening other jobs' GPUs; CUDA does not count
/// those.
bool may_open(std::string const& device) {
  return bool(os::Fd(::open(device.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC)));
}

GpuPlace const* find(std::vector<GpuPlace> const& places,
                     std::string const& name) {
  std::size_t index = 0;
  auto const [end, error] =
      std::from_chars(name.data(), name.data() + name.size(), index);
  if (error == std::errc() && end == name.data() + name.size())
    return index < places.size() ? &places[index] : nullptr;
  for (auto const& place : places)
    if (!name.empty() && place.uuid.rfind(name, 0) == 0) return &place;
  return nullptr;
}

}  // namespace

std::vector<GpuPlace> gpu_places(std::string const& root) {
  std::map<std::string, GpuPlace> by_address;
  std::error_code none;
  for (auto const& entry :
       fs::directory_iterator(root + "/proc/driver/nvidia/gpus", none)) {
    auto const address = entry.path().filename().string();
    auto const values = information(entry.path() / "information");
    auto const minor = values.find("Device Minor"),
               uuid = values.find("GPU UUID");
    if (minor == values.end() || uuid == values.end() ||
        !may_open(root + "/dev/nvidia" + minor->second))
      continue;
    by_address[address] = {uuid->second,
                           first_line(root + "/sys/bus/pci/devices/" + address +
                                      "/local_cpulist")};
  }
  std::vector<GpuPlace> places;
  for (auto const& [address, place] : by_address) places.push_back(place);
  return places;
}

std::string cpus_near(std::vector<GpuPlace> const& places,
                      std::string_view visible) {
  std::string cpus;
  for (auto const& gpu : visible_gpus(visible)) {
    auto const* place = find(places, gpu);
    if (!place || (!cpus.empty() && cpus != place->cpus)) return "";
    cpus = place->cpus;
  }
  return cpus;
}

}  // namespace gleaner::agent
