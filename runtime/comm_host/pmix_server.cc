// SPDX-License-Identifier: Apache-2.0
/// How Open MPI's processes learn who they are and where the others are: PMIx.
#include "runtime/comm_host/pmix_server.hh"

#include <pmix.h>
#include <pmix_server.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>

namespace gleaner::comm_host {
namespace {

/// PMIx's callbacks carry no word of ours.
PmixServer::OnFence* asked = nullptr;

Error pmix_error(std::string const& what, pmix_status_t status) {
  return {Errc::io,
          "PMIx cannot " + what + " (" + PMIx_Error_string(status) + ")"};
}
bool good(pmix_status_t status) {
  return status == PMIX_SUCCESS || status == PMIX_OPERATION_SUCCEEDED;
}

/// A list of what PMIx is to be told.
class Infos {
 public:
  Infos() = default;
  ~Infos() {
    for (auto& info : infos_) PMIX_INFO_DESTRUCT(&info);
  }
  Infos(Infos const&) = delete;

  void add(char const* key, void const* value, pmix_data_type_t type) {
    infos_.emplace_back();
    PMIX_INFO_CONSTRUCT(&infos_.back());
    PMIX_INFO_LOAD(&infos_.back(), key, value, type);
  }
  void add(char const* key, std::uint32_t value) {
    add(key, &value, PMIX_UINT32);
  }
  void add(char const* key, std::uint16_t value) {
    add(key, &value, PMIX_UINT16);
  }
  void add(char const* key, std::string const& text) {
    add(key, text.c_str(), PMIX_STRING);
  }
  void add_rank(char const* key, pmix_rank_t rank) {
    add(key, &rank, PMIX_PROC_RANK);
  }
  void add_map(char const* key, char const* map) { add(key, map, PMIX_REGEX); }
  /// As one entry with a list in it; copied.
  void add_list(char const* key, Infos const& list) {
    pmix_data_array_t array{};
    array.type = PMIX_INFO;
    array.size = list.infos_.size();
    array.array = const_cast<pmix_info_t*>(list.infos_.data());
    add(key, &array, PMIX_DATA_ARRAY);
  }

  pmix_info_t* data() { return infos_.data(); }
  std::size_t size() const { return infos_.size(); }

 private:
  std::vector<pmix_info_t> infos_;
};

/// Nodes in the order of their first rank, and the ranks on each.
struct Layout {
  explicit Layout(std::vector<std::string> const& node_of_rank) {
    for (std::uint32_t rank = 0; rank < node_of_rank.size(); ++rank) {
      auto at = std::find(nodes.begin(), nodes.end(), node_of_rank[rank]);
      if (at == nodes.end()) {
        nodes.push_back(node_of_rank[rank]);
        ranks.emplace_back();
        at = nodes.end() - 1;
      }
      auto& here = ranks[std::size_t(at - nodes.begin())];
      node_of.push_back(std::uint32_t(at - nodes.begin()));
      local_rank_of.push_back(std::uint16_t(here.size()));
      here.push_back(rank);
    }
  }
  std::vector<std::string> nodes;
  std::vector<std::vector<std::uint32_t>> ranks;  ///< by node
  std::vector<std::uint32_t> node_of;             ///< by rank
  std::vector<std::uint16_t> local_rank_of;       ///< by rank
};

template <class List, class Text>
std::string joined(List const& list, char separator, Text text) {
  std::string all;
  for (auto const& item : list) {
    if (!all.empty()) all += separator;
    all += text(item);
  }
  return all;
}
std::string ranks_text(std::vector<std::uint32_t> const& ranks) {
  return joined(ranks, ',', [](auto rank) { return std::to_string(rank); });
}

/// What PMIx wants as its own kind of text; freed with it.
class Map {
 public:
  template <class Generate>
  Map(Generate generate, std::string const& text) {
    status = generate(text.c_str(), &text_);
  }
  ~Map() { std::free(text_); }
  Map(Map const&) = delete;
  char const* text() const { return text_; }
  pmix_status_t status;

 private:
  char* text_ = nullptr;
};

pmix_status_t agree(pmix_proc_t const*, void*, pmix_op_cbfunc_t done,
                    void* context) {
  if (done) done(PMIX_SUCCESS, context);
  return PMIX_SUCCESS;
}

/// The process ends by itself right after.
pmix_status_t on_abort(pmix_proc_t const*, void*, int, char const*,
                       pmix_proc_t*, std::size_t, pmix_op_cbfunc_t done,
                       void* context) {
  if (done) done(PMIX_SUCCESS, context);
  return PMIX_SUCCESS;
}

pmix_status_t on_fence(pmix_proc_t const procs[], std::size_t,
                       pmix_info_t const[], std::size_t, char* data,
                       std::size_t bytes, pmix_modex_cbfunc_t done,
                       void* context) {
  std::string mine(data ? data : "", bytes);
  (*asked)(procs[0].nspace, std::move(mine),
           [done, context](Result<std::string> const& all) {
             if (!all)
               return done(PMIX_ERROR, nullptr, 0, context, nullptr, nullptr);
             auto* copy = new std::string(*all);
             done(
                 PMIX_SUCCESS, copy->data(), copy->size(), context,
                 [](void* text) { delete static_cast<std::string*>(text); },
                 copy);
           });
  return PMIX_SUCCESS;
}

/// All that is asked for is in the fence's data.
pmix_status_t on_direct_modex(pmix_proc_t const*, pmix_info_t const[],
                              std::size_t, pmix_modex_cbfunc_t, void*) {
  return PMIX_ERR_NOT_SUPPORTED;
}

void describe_rank(Infos& infos, Layout const& layout, std::uint32_t rank) {
  Infos one;
  one.add_rank(PMIX_RANK, rank);
  one.add(PMIX_LOCAL_RANK, layout.local_rank_of[rank]);
  one.add(PMIX_NODE_RANK, layout.local_rank_of[rank]);
  one.add(PMIX_NODEID, layout.node_of[rank]);
  one.add(PMIX_HOSTNAME, layout.nodes[layout.node_of[rank]]);
  one.add(PMIX_APPNUM, std::uint32_t(0));
  infos.add_list(PMIX_PROC_DATA, one);
}

}  // namespace

PmixServer::PmixServer(std::string node, OnFence on_fence)
    : node_(std::move(node)) {
  asked = new OnFence(std::move(on_fence));
}

Result<std::unique_ptr<PmixServer>> PmixServer::start(std::string const& node,
                                                      std::string const& dir,
                                                      OnFence on_fence) {
  std::unique_ptr<PmixServer> server(new PmixServer(node, std::move(on_fence)));
  static pmix_server_module_t module{};
  module.client_connected = agree;
  module.client_finalized = agree;
  module.abort = on_abort;
  module.fence_nb = comm_host::on_fence;
  module.direct_modex = on_direct_modex;
  Infos infos;
  infos.add(PMIX_SERVER_TMPDIR, dir);
  infos.add(PMIX_SYSTEM_TMPDIR, dir);
  infos.add(PMIX_HOSTNAME, node);
  auto const status = PMIx_server_init(&module, infos.data(), infos.size());
  if (!good(status)) return pmix_error("start its server", status);
  return server;
}

/// PMIx is not finalised: it would wait for processes that were killed.  The
/// function it calls stays, for the same reason.
PmixServer::~PmixServer() = default;

Result<void> PmixServer::add_job(PmixJob const& job) {
  Layout const layout(job.nodes);
  auto const here = std::find(layout.nodes.begin(), layout.nodes.end(), node_);
  if (here == layout.nodes.end())
    return Error{Errc::invalid_argument,
                 "no rank of job " + job.name + " is on node " + node_};
  auto const& local = layout.ranks[std::size_t(here - layout.nodes.begin())];
  Map const nodes(PMIx_generate_regex,
                  joined(layout.nodes, ',', [](auto const& n) { return n; }));
  Map const ranks(PMIx_generate_ppn, joined(layout.ranks, ';', ranks_text));
  if (!good(nodes.status)) return pmix_error("name the nodes", nodes.status);
  if (!good(ranks.status)) return pmix_error("map the ranks", ranks.status);
  auto const size = std::uint32_t(job.nodes.size());
  auto const local_size = std::uint32_t(local.size());
  Infos infos;
  for (auto const* key : {PMIX_UNIV_SIZE, PMIX_JOB_SIZE, PMIX_MAX_PROCS})
    infos.add(key, size);
  infos.add(PMIX_JOB_NUM_APPS, std::uint32_t(1));
  infos.add(PMIX_APPNUM, std::uint32_t(0));
  infos.add(PMIX_NUM_NODES, std::uint32_t(layout.nodes.size()));
  infos.add_map(PMIX_NODE_MAP, nodes.text());
  infos.add_map(PMIX_PROC_MAP, ranks.text());
  infos.add(PMIX_LOCAL_SIZE, local_size);
  infos.add(PMIX_NODE_SIZE, local_size);
  infos.add(PMIX_LOCAL_PEERS, ranks_text(local));
  infos.add_rank(PMIX_LOCALLDR, local.front());
  infos.add(PMIX_JOBID, job.name);
  infos.add(PMIX_TMPDIR, job.dir);
  infos.add(PMIX_NSDIR, job.dir);
  infos.add(PMIX_NODEID, std::uint32_t(here - layout.nodes.begin()));
  for (std::uint32_t rank = 0; rank < size; ++rank)
    describe_rank(infos, layout, rank);
  pmix_nspace_t name;
  PMIX_LOAD_NSPACE(name, job.name.c_str());
  auto const status = PMIx_server_register_nspace(
      name, int(local.size()), infos.data(), infos.size(), nullptr, nullptr);
  if (!good(status)) return pmix_error("register a job", status);
  return {};
}

void PmixServer::remove_job(std::string const& name) {
  pmix_nspace_t space;
  PMIX_LOAD_NSPACE(space, name.c_str());
  PMIx_server_deregister_nspace(space, nullptr, nullptr);
}

Result<std::vector<std::string>> PmixServer::environment_of(
    std::string const& job, std::uint32_t rank,
    std::vector<std::string> const& env) {
  pmix_proc_t process;
  PMIX_LOAD_PROCID(&process, job.c_str(), rank);
  auto status = PMIx_server_register_client(&process, ::geteuid(), ::getegid(),
                                            nullptr, nullptr, nullptr);
  if (!good(status)) return pmix_error("register a process", status);
  char** list = nullptr;
  for (auto const& entry : env) PMIX_ARGV_APPEND(status, list, entry.c_str());
  status = PMIx_server_setup_fork(&process, &list);
  std::vector<std::string> all;
  for (char** entry = list; entry && *entry; ++entry) all.emplace_back(*entry);
  PMIX_ARGV_FREE(list);
  if (!good(status)) return pmix_error("prepare a process", status);
  return all;
}

}  // namespace gleaner::comm_host
