// SPDX-License-Identifier: Apache-2.0
/// How long does MPI_Allreduce take, out of place, with nothing of ours?
///
///     mpirun -n 2 mpi_raw REPETITIONS
///
/// Prints the median of rank 0, in ms, for the sizes of mpi_bench.cc.
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int const times = argc > 1 ? std::atoi(argv[1]) : 20;
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (std::size_t const bytes : {1u << 10, 1u << 20, 64u << 20}) {
    auto const n = bytes / sizeof(float);
    std::vector<float> local(n), sum(n);
    std::vector<double> took;
    for (int k = 0; k < times + 2; ++k) {
      double const begun = MPI_Wtime();
      MPI_Allreduce(local.data(), sum.data(), int(n), MPI_FLOAT, MPI_SUM,
                    MPI_COMM_WORLD);
      if (k >= 2) took.push_back((MPI_Wtime() - begun) * 1e3);
    }
    std::sort(took.begin(), took.end());
    if (rank == 0)
      std::printf("raw sum %zu KiB: %.3f\n", bytes >> 10,
                  took[took.size() / 2]);
  }
  MPI_Finalize();
}
