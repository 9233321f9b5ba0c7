// SPDX-License-Identifier: Apache-2.0
/// What a comm process finds in its environment.
#include "runtime/comm_host/comm_environment.hh"

#include <stdlib.h>

#include <algorithm>
#include <filesystem>

#include "test/unit/catch.hh"

namespace gleaner::comm_host {
namespace {

using Entries = std::vector<std::string>;

std::size_t count(Entries const& env, std::string const& entry) {
  return std::size_t(std::count(env.begin(), env.end(), entry));
}
bool names(Entries const& env, std::string const& name) {
  return std::any_of(env.begin(), env.end(), [&](auto const& entry) {
    return entry.rfind(name + '=', 0) == 0;
  });
}

TEST_CASE("Open MPI takes itself for a part of a job, on one interface") {
  auto const env = comm_environment({"HOME=/home/ada"}, {"ib0", "/run/g"});
  CHECK(count(env, "HOME=/home/ada") == 1);
  for (auto const* name : {"SLURM_JOBID", "SLURM_STEP_ID", "SLURM_NODELIST"})
    CHECK(names(env, name));
  CHECK(count(env, "OMPI_MCA_btl_tcp_if_include=ib0") == 1);
  CHECK(count(env, "TMPDIR=/run/g") == 1);
  CHECK(count(env, "OMPI_MCA_btl_vader_backing_directory=/run/g") == 1);
}

TEST_CASE("what the site or the user has set for Open MPI stays") {
  Entries const set = {"OMPI_MCA_pml=ucx", "OMPI_MCA_btl=^openib",
                       "OMPI_MCA_btl_tcp_if_include=eth1",
                       "OMPI_MCA_mpi_yield_when_idle=0", "SLURM_JOBID=77"};
  auto const env = comm_environment(set, {"ib0", "/run/g"});
  for (auto const& entry : set) CHECK(count(env, entry) == 1);
  CHECK(!names(env, "PMIX_RANK"));
}

TEST_CASE(
    "Open MPI uses the site's fast network, and else is not let try all") {
  CommEnvironment comm{"eth0", "/run/g"};
  auto const slow = comm_environment({}, comm);
  CHECK(count(slow, "OMPI_MCA_pml=ob1") == 1);
  CHECK(count(slow, "OMPI_MCA_btl=vader,tcp,self") == 1);
  comm.fast_network = true;
  auto const fast = comm_environment({}, comm);
  CHECK(!names(fast, "OMPI_MCA_pml"));
  CHECK(!names(fast, "OMPI_MCA_btl"));
}

TEST_CASE("a fast network is a device that Linux lists") {
  struct Row {
    char const* device;
    bool fast;
  } const rows[] = {{"infiniband/mlx5_0", true}, {"infiniband", false},
                    {"cxi/cxi0", true},          {"cxi", false},
                    {"net/eth0", false},         {"", false}};
  for (auto const& row : rows) {
    CAPTURE(row.device);
    char dir[] = "/tmp/gleaner-devices-XXXXXX";
    REQUIRE(::mkdtemp(dir));
    std::filesystem::create_directories(std::string(dir) + '/' + row.device);
    CHECK(has_fast_network(dir) == row.fast);
    std::filesystem::remove_all(dir);
  }
  CHECK(!has_fast_network("/nowhere"));
}

TEST_CASE("what another launcher said of the agent is not said again") {
  auto const env =
      comm_environment({"PMIX_RANK=3", "PMI_RANK=3", "PMI2_RANK=3",
                        "OMPI_COMM_WORLD_SIZE=9", "OMPI_MCA_ess_base_jobid=1",
                        "OMPI_MCA_orte_precondition=1", "TMPDIR=/tmp"},
                       {"", "/run/g"});
  for (auto const* name :
       {"PMIX_RANK", "PMI_RANK", "PMI2_RANK", "OMPI_COMM_WORLD_SIZE",
        "OMPI_MCA_ess_base_jobid", "OMPI_MCA_orte_precondition"})
    CHECK(!names(env, name));
  CHECK(count(env, "TMPDIR=/tmp") == 0);
  CHECK(!names(env, "OMPI_MCA_btl_tcp_if_include"));
}

TEST_CASE("root must say twice that it means it, others need not") {
  for (bool as_root : {true, false}) {
    auto const env = comm_environment({}, {"", "/run/g", as_root});
    CHECK(names(env, "OMPI_ALLOW_RUN_AS_ROOT") == as_root);
    CHECK(names(env, "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM") == as_root);
  }
}

TEST_CASE("an interface is found by its address") {
  CHECK(interface_of("127.0.0.1") == "lo");
  CHECK(interface_of("192.0.2.254") == "");
  CHECK(interface_of("") == "");
}

}  // namespace
}  // namespace gleaner::comm_host
