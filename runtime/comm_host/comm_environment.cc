// SPDX-License-Identifier: Apache-2.0
/// What is in the environment of a comm process?
#include "runtime/comm_host/comm_environment.hh"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <netinet/in.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>

namespace gleaner::comm_host {
namespace {

std::string_view name_of(std::string_view entry) {
  return entry.substr(0, entry.find('='));
}

/// Said by srun or mpirun to the agent: not true of a comm process.
bool is_anothers(std::string_view entry) {
  static constexpr std::array<std::string_view, 8> prefixes = {
      "PMI_",           "PMI2_",     "PMIX_",          "OMPI_COMM_WORLD_",
      "OMPI_MCA_orte_", "OMPI_APP_", "OMPI_UNIVERSE_", "OMPI_MCA_ess_"};
  auto const name = name_of(entry);
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [&](auto prefix) { return name.starts_with(prefix); });
}

void set_default(std::vector<std::string>& env, std::string const& entry) {
  auto const same = [&](std::string const& other) {
    return name_of(other) == name_of(entry);
  };
  if (std::none_of(env.begin(), env.end(), same)) env.push_back(entry);
}

void set(std::vector<std::string>& env, std::string const& entry) {
  std::erase_if(env, [&](std::string const& other) {
    return name_of(other) == name_of(entry);
  });
  env.push_back(entry);
}

std::string text_of(sockaddr const* address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (address && address->sa_family == AF_INET)
    ::inet_ntop(AF_INET,
                &reinterpret_cast<sockaddr_in const*>(address)->sin_addr,
                text.data(), text.size());
  if (address && address->sa_family == AF_INET6)
    ::inet_ntop(AF_INET6,
                &reinterpret_cast<sockaddr_in6 const*>(address)->sin6_addr,
                text.data(), text.size());
  return text.data();
}

}  // namespace

bool has_fast_network(std::string const& devices) {
  for (auto const* kind : {"infiniband", "cxi"}) {
    std::error_code error;
    auto const found =
        std::filesystem::directory_iterator(devices + '/' + kind, error);
    if (!error && found != std::filesystem::directory_iterator()) return true;
  }
  return false;
}

std::string interface_of(std::string const& address) {
  ifaddrs* all = nullptr;
  if (address.empty() || ::getifaddrs(&all) != 0) return "";
  std::string name;
  for (auto const* one = all; one && name.empty(); one = one->ifa_next)
    if (text_of(one->ifa_addr) == address) name = one->ifa_name;
  ::freeifaddrs(all);
  return name;
}

std::vector<std::string> comm_environment(
    std::vector<std::string> const& inherited, CommEnvironment const& comm) {
  std::vector<std::string> env;
  std::copy_if(inherited.begin(), inherited.end(), std::back_inserter(env),
               [](auto const& entry) { return !is_anothers(entry); });
  // Without these Open MPI 4 takes itself for a job of one process: it asks
  // its PMIx server only when Slurm seems to have started it.
  set_default(env, "SLURM_JOBID=1");
  set_default(env, "SLURM_STEP_ID=0");
  set_default(env, "SLURM_NODELIST=localhost");
  // To try all transports takes seven times as long, which is of use only where
  // there is more than TCP.
  if (!comm.fast_network) {
    set_default(env, "OMPI_MCA_pml=ob1");
    set_default(env, "OMPI_MCA_btl=vader,tcp,self");
  }
  // By name: "10.0.0.7/32" is taken for all interfaces by Open MPI 4.1.
  if (!comm.interface.empty())
    set_default(env, "OMPI_MCA_btl_tcp_if_include=" + comm.interface);
  // It waits inside MPI until the slowest member comes: on a core that the
  // members need.
  set_default(env, "OMPI_MCA_mpi_yield_when_idle=1");
  // Killed processes leave files; the comm host removes the directory.
  set(env, "TMPDIR=" + comm.dir);
  set_default(env, "OMPI_MCA_btl_vader_backing_directory=" + comm.dir);
  if (comm.as_root) {
    set(env, "OMPI_ALLOW_RUN_AS_ROOT=1");
    set(env, "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1");
  }
  return env;
}

}  // namespace gleaner::comm_host
