// SPDX-License-Identifier: Apache-2.0
/// How Open MPI's processes learn who they are and where the others are: PMIx.
///
/// One server per comm host, for all its jobs.  The calls here block for a
/// moment and come from one thread; PMIx has its own, from which it asks for
/// fences.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/result.hh"

namespace gleaner::comm_host {

/// One set of comm processes: one of each member of a generation.
struct PmixJob {
  std::string name;
  std::vector<std::string> nodes;  ///< of every rank
  std::string dir;                 ///< for its files on this node
};

class PmixServer {
 public:
  /// Everybody's data, one after the other; or none: the job has failed.
  using Answer = std::function<void(Result<std::string> const& all)>;
  /// Each node's server is asked once per fence, when all of the job's
  /// processes on it are there, on PMIx's thread.  Answer from any thread.
  using OnFence = std::function<void(std::string const& job, std::string data,
                                     Answer answer)>;

  /// `node` is this host in PmixJob::nodes; `dir` for the server's files.
  /// Once per process.  Fails with io.
  static Result<std::unique_ptr<PmixServer>> start(std::string const& node,
                                                   std::string const& dir,
                                                   OnFence on_fence);
  ~PmixServer();

  Result<void> add_job(PmixJob const& job);
  void remove_job(std::string const& name);

  /// What a process of the job on this node needs in its environment, beside
  /// `env`.
  Result<std::vector<std::string>> environment_of(
      std::string const& job, std::uint32_t rank,
      std::vector<std::string> const& env);

 private:
  PmixServer(std::string node, OnFence on_fence);
  std::string const node_;
};

}  // namespace gleaner::comm_host
