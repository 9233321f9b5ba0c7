// SPDX-License-Identifier: Apache-2.0
/// MPI_Allreduce(), as Open MPI's users call it; mpirun has started us.
#include <mpi.h>

#include <cstdlib>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "planes/comm_hosts.hh"
#include "test/bench/runtime/rival.hh"

namespace gleaner::bench {
namespace {

/// What mpirun has told this process must not be told to our comm host.
void forget_mpirun() {
  std::vector<std::string> names;
  for (char** entry = environ; *entry; ++entry) {
    std::string_view const name = *entry;
    if (name.starts_with("OMPI_") || name.starts_with("PMIX_") ||
        name.starts_with("PRTE_"))
      names.emplace_back(name.substr(0, name.find('=')));
  }
  for (auto const& name : names) ::unsetenv(name.c_str());
}

class MpiRival final : public Rival {
 public:
  ~MpiRival() override { MPI_Finalize(); }

  std::string comm_host() override { return comm::test::comm_host_of_node(0); }

  void allreduce(float const* local, float* sum, std::size_t n) override {
    MPI_Allreduce(local, sum, int(n), MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
  }
};

}  // namespace

std::unique_ptr<Rival> make_rival(int rank, int members, std::string const&) {
  int provided = 0, own_rank = -1, size = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &own_rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (own_rank != rank || size != members)
    throw std::runtime_error("mpirun has started other members");
  forget_mpirun();
  return std::make_unique<MpiRival>();
}

}  // namespace gleaner::bench
