// SPDX-License-Identifier: Apache-2.0
/// gleaner.h: the C face of Member.  Nothing is thrown across it.
#include <gleaner/gleaner.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "core/log.hh"
#include "runtime/member/member.hh"

struct gleaner_training {
  std::unique_ptr<gleaner::member::Member> member;
  std::string error;
};

namespace {

using namespace gleaner;

thread_local std::string open_error;

/// Runs a call on a member; what it throws becomes a code.
template <class Call>
int guarded(gleaner_training* g, Call call) {
  if (!g) return GLEANER_EINVAL;
  try {
    int const code = call(*g->member);
    if (code < 0) g->error = g->member->error();
    return code;
  } catch (std::bad_alloc const&) {
    g->error = "out of memory";
    return GLEANER_ENOMEM;
  } catch (std::exception const& why) {
    g->error = why.what();
    return GLEANER_EIO;
  }
}

int refuse(gleaner_training* g, char const* why) {
  if (g) g->error = why;
  return GLEANER_EINVAL;
}

int code_of(Errc code) {
  switch (code) {
    case Errc::invalid_argument:
    case Errc::not_found:
      return GLEANER_EINVAL;
    case Errc::denied:
      return GLEANER_EREFUSED;
    case Errc::timed_out:
    case Errc::unavailable:
      return GLEANER_ELOST;
    case Errc::io:
      return GLEANER_EIO;
  }
  return GLEANER_EIO;
}

/// Where the options of version 0.1.0 ended.
constexpr std::size_t first_options_size =
    offsetof(gleaner_options, micro_batch_max);

/// All of them: a program that was compiled before some existed has their
/// defaults.
Result<gleaner_options> whole(gleaner_options const* options) {
  gleaner_options all = GLEANER_OPTIONS_INIT;
  if (!options || options->struct_size < first_options_size ||
      options->struct_size > sizeof all)
    return Error{Errc::invalid_argument,
                 "options are not from GLEANER_OPTIONS_INIT"};
  std::memcpy(&all, options, options->struct_size);
  return all;
}

generation::SamplerOptions sampler_options(gleaner_options const& options) {
  generation::SamplerOptions result;
  result.dataset_size = options.dataset_size;
  result.global_batch = options.global_batch;
  result.passes = options.passes;
  result.seed = options.seed;
  result.drop_last = options.drop_last != 0;
  return result;
}

int open_failed(Error const& why) {
  open_error = why.message;
  return code_of(why.code);
}

int open(gleaner_options const* options, gleaner_training** g) {
  auto chosen = whole(options);
  if (!chosen) return open_failed(chosen.error());
  auto environment = member::MemberEnvironment::read();
  if (!environment) return open_failed(environment.error());
  auto member = member::Member::open(sampler_options(*chosen), *environment,
                                     chosen->micro_batch_max);
  if (!member) return open_failed(member.error());
  *g = new gleaner_training{std::move(*member), ""};
  return GLEANER_OK;
}

state::Blob blob_of(char const* name, gleaner_save_fn save,
                    gleaner_load_fn load, void* ctx) {
  auto failed = [name = std::string(name)](char const* what, int code) {
    return Error{Errc::io, std::string("the program's ") + what + " of blob '" +
                               name + "' returned " + std::to_string(code)};
  };
  state::Blob blob;
  blob.name = name;
  blob.save = [=]() -> Result<std::string> {
    std::size_t size = 0;
    if (int const code = save(ctx, nullptr, &size)) return failed("save", code);
    std::string data(size, '\0');
    if (int const code = save(ctx, data.data(), &size))
      return failed("save", code);
    if (size > data.size()) return failed("save (it grew)", 0);
    data.resize(size);
    return data;
  };
  blob.load = [=](std::string const& data) -> Result<void> {
    if (int const code = load(ctx, data.data(), data.size()))
      return failed("load", code);
    return {};
  };
  return blob;
}

}  // namespace

extern "C" {

int gleaner_open(gleaner_options const* options, gleaner_training** g) {
  if (!g) return GLEANER_EINVAL;
  *g = nullptr;
  try {
    open_error.clear();
    return open(options, g);
  } catch (std::bad_alloc const&) {
    return GLEANER_ENOMEM;
  } catch (std::exception const& why) {
    open_error = why.what();
    return GLEANER_EIO;
  }
}

int gleaner_tensor(gleaner_training* g, char const* name, void* data, int dtype,
                   int64_t const* shape, int ndim, int role) {
  if (!name || ndim < 0 || (ndim > 0 && !shape))
    return refuse(g, "gleaner_tensor(): name or shape is NULL, or ndim < 0");
  return guarded(g, [&](member::Member& member) {
    return member.add(state::Tensor{name,
                                    data,
                                    static_cast<state::Dtype>(dtype),
                                    {shape, shape + ndim},
                                    static_cast<state::Role>(role)});
  });
}

int gleaner_tensor_on(gleaner_training* g, char const* name, void* data,
                      int dtype, int64_t const* shape, int ndim, int role,
                      int device) {
  if (!name || ndim < 0 || (ndim > 0 && !shape))
    return refuse(g, "gleaner_tensor_on(): name or shape is NULL, or ndim < 0");
  return guarded(g, [&](member::Member& member) {
    return member.add_on(state::Tensor{name,
                                       data,
                                       static_cast<state::Dtype>(dtype),
                                       {shape, shape + ndim},
                                       static_cast<state::Role>(role)},
                         device);
  });
}

int gleaner_stream(gleaner_training* g, void* stream) {
  return guarded(
      g, [&](member::Member& member) { return member.set_stream(stream); });
}

void* gleaner_gradient(gleaner_training* g, char const* name) {
  void* at = nullptr;
  guarded(g, [&](member::Member& member) {
    at = name ? member.gradient(name) : nullptr;
    return GLEANER_OK;
  });
  return at;
}

int gleaner_blob(gleaner_training* g, char const* name, gleaner_save_fn save,
                 gleaner_load_fn load, void* ctx) {
  if (!name || !save || !load)
    return refuse(g, "gleaner_blob(): name, save or load is NULL");
  return guarded(g, [&](member::Member& member) {
    return member.add(blob_of(name, save, load, ctx));
  });
}

int gleaner_update(gleaner_training* g, gleaner_update_fn update, void* ctx) {
  if (!update) return refuse(g, "gleaner_update(): update is NULL");
  return guarded(g, [&](member::Member& member) {
    return member.set_update([update, ctx] { return update(ctx); });
  });
}

int gleaner_start(gleaner_training* g) {
  return guarded(g, [](member::Member& member) { return member.start(); });
}

int gleaner_step(gleaner_training* g, gleaner_step_info* step) {
  if (!step) return refuse(g, "gleaner_step(): step is NULL");
  return guarded(g, [&](member::Member& member) { return member.step(*step); });
}

int gleaner_gradient_ready(gleaner_training* g, char const* name) {
  if (!name) return refuse(g, "gleaner_gradient_ready(): name is NULL");
  return guarded(
      g, [&](member::Member& member) { return member.gradient_ready(name); });
}

int gleaner_reduce(gleaner_training* g) {
  return guarded(g, [](member::Member& member) { return member.reduce(); });
}

int gleaner_again(gleaner_training* g, uint64_t micro_batch_max) {
  return guarded(
      g, [&](member::Member& member) { return member.again(micro_batch_max); });
}

int gleaner_apply(gleaner_training* g) {
  return guarded(g, [](member::Member& member) { return member.apply(); });
}

int gleaner_stop(gleaner_training* g) {
  return guarded(g, [](member::Member& member) { return member.stop(); });
}

int gleaner_log(gleaner_training* g, char const* key, double value,
                uint64_t n) {
  if (!key) return refuse(g, "gleaner_log(): key is NULL");
  return guarded(
      g, [&](member::Member& member) { return member.log(key, value, n); });
}

int gleaner_busy(gleaner_training* g, char const* why, double limit_s) {
  return guarded(g, [&](member::Member& member) {
    return member.busy(why ? why : "", limit_s);
  });
}

int gleaner_set_weight(gleaner_training* g, double weight) {
  return guarded(
      g, [&](member::Member& member) { return member.set_weight(weight); });
}

int gleaner_step_now(gleaner_training* g, gleaner_step_info* step) {
  if (!step) return refuse(g, "gleaner_step_now(): step is NULL");
  return guarded(
      g, [&](member::Member& member) { return member.step_now(*step); });
}

int gleaner_samples_ahead(gleaner_training* g, uint32_t ahead,
                          uint64_t* samples, size_t room, size_t* n) {
  if (!n || (room > 0 && !samples))
    return refuse(g, "gleaner_samples_ahead(): samples or n is NULL");
  return guarded(g, [&](member::Member& member) {
    std::vector<std::uint64_t> all;
    auto const code = member.samples_ahead(ahead, all);
    *n = all.size();
    std::copy_n(all.begin(), std::min(room, all.size()), samples);
    return code;
  });
}

int gleaner_loads_ahead(gleaner_training* g, uint32_t shares,
                        gleaner_begins_soon_fn begins_soon, void* ctx) {
  return guarded(g, [&](member::Member& member) {
    std::function<void()> call;
    if (begins_soon) call = [=] { begins_soon(ctx); };
    return member.set_loads_ahead(shares, std::move(call));
  });
}

void gleaner_close(gleaner_training* g) { delete g; }

char const* gleaner_strerror(int code) {
  switch (code) {
    case GLEANER_OK:
      return "success";
    case GLEANER_STEP:
      return "compute this step";
    case GLEANER_DONE:
      return "every pass is finished";
    case GLEANER_LEAVE:
      return "this member is released";
    case GLEANER_MORE:
      return "compute another part of this step";
    case GLEANER_EINVAL:
      return "an argument is wrong";
    case GLEANER_ESTATE:
      return "the call is out of order";
    case GLEANER_ELOST:
      return "the coordinator is gone";
    case GLEANER_EREFUSED:
      return "refused by the coordinator";
    case GLEANER_ESCHEMA:
      return "other members registered other tensors";
    case GLEANER_EIO:
      return "a checkpoint or a connection failed";
    case GLEANER_ENOMEM:
      return "out of memory";
  }
  return "unknown code";
}

char const* gleaner_error(gleaner_training const* g) {
  return g ? g->error.c_str() : open_error.c_str();
}

}  // extern "C"
