// SPDX-License-Identifier: Apache-2.0
/// What the program tells a member before it trains: state, updates, its GPU.
#include <unistd.h>

#include <utility>

#include "core/clock.hh"
#include "runtime/comm/comm.hh"
#include "runtime/member/fingerprint.hh"
#include "runtime/member/member.hh"

namespace gleaner::member {
namespace {

double seconds_now() { return SystemClock().monotonic_s(); }

std::string text_of(generation::SamplerOptions const& options,
                    generation::ShareRules const& rules) {
  auto const shards =
      rules.shards ? " shards " + std::to_string(rules.shards) : "";
  return std::to_string(options.dataset_size) + ' ' +
         std::to_string(options.global_batch) + ' ' +
         std::to_string(options.passes) + ' ' + std::to_string(options.seed) +
         ' ' + std::to_string(options.drop_last) + shards;
}

}  // namespace

Result<std::shared_ptr<comm::Device>> Member::device(int index) {
  if (index < 0) return std::shared_ptr<comm::Device>();
  if (device_ && device_->index() == index) return device_;
  if (device_)
    return Error{Errc::invalid_argument,
                 "device " + std::to_string(index) + " after device " +
                     std::to_string(device_->index()) +
                     " (a member has one GPU) [start a member for each]"};
  auto const module = comm::gpu_module();
  if (!module) return module.error();
  auto opened = (*module)->open_device(index);
  if (opened) device_ = *opened;
  return opened;
}

int Member::add_on(state::Tensor tensor, int index) {
  auto found = device(index);
  if (!found) return fail(GLEANER_EINVAL, found.error().message);
  if (*found) tensor.on_device = std::exchange(tensor.data, nullptr);
  tensor.device = *found;
  return add(std::move(tensor));
}

int Member::set_stream(void* stream) {
  stream_ = stream;
  return GLEANER_OK;
}

int Member::register_failed(Error const& why) {
  return fail(why.code == Errc::io ? GLEANER_ENOMEM : GLEANER_EINVAL,
              why.message);
}

int Member::add(state::Tensor tensor) {
  if (phase_ != Phase::registering)
    return fail(GLEANER_ESTATE, "tensor '" + tensor.name +
                                    "' is registered after gleaner_start()");
  auto const parameter = tensor.role == state::Role::param;
  if (auto registered = registry_.add(tensor); !registered)
    return register_failed(registered.error());
  if (!parameter) return GLEANER_OK;
  auto const& added = *registry_.find(tensor.name);
  auto gradient = gradients_.add(added);
  if (!gradient) return register_failed(gradient.error());
  if (!shard_sums_) return GLEANER_OK;
  auto summed = shard_sums_->add(added, *gradient);
  return summed ? GLEANER_OK : register_failed(summed.error());
}

int Member::add(state::Blob blob) {
  if (phase_ != Phase::registering)
    return fail(GLEANER_ESTATE,
                "blob '" + blob.name + "' is registered after gleaner_start()");
  // While it runs the program's code, the user's thread is in the program.
  using At = Whereabouts::At;
  auto const inside = [this](auto call) {
    auto const was = whereabouts_.swap(At::program, seconds_now());
    auto result = call();
    whereabouts_.enter(was, seconds_now());
    return result;
  };
  state::Blob watched;
  watched.name = blob.name;
  watched.save = [=] { return inside(blob.save); };
  watched.load = [=](std::string const& data) {
    return inside([&] { return blob.load(data); });
  };
  auto added = registry_.add(std::move(watched));
  return added ? GLEANER_OK : register_failed(added.error());
}

int Member::set_update(std::function<int()> update) {
  update_ = std::move(update);
  return GLEANER_OK;
}

int Member::set_loads_ahead(std::uint32_t shares,
                            std::function<void()> begins_soon) {
  if (phase_ != Phase::registering)
    return fail(GLEANER_ESTATE, "gleaner_loads_ahead() after gleaner_start()");
  loads_ahead_ = shares;
  begins_soon_ = std::move(begins_soon);
  return GLEANER_OK;
}

void* Member::gradient(std::string const& name) const {
  return gradients_.find(name);
}

int Member::start() {
  if (phase_ != Phase::registering)
    return fail(GLEANER_ESTATE, "gleaner_start() was called before");
  auto const sealed = shard_sums_ ? shard_sums_->seal() : gradients_.seal();
  if (!sealed) return register_failed(sealed.error());
  if (auto joined = join(); !joined) return device_failed(joined.error());
  schema_ = registry_.schema(text_of(options_, environment_.rules));
  msg::Loaded loaded;
  loaded.member = environment_.member;
  loaded.schema = schema_;
  loaded.state_bytes = registry_.bytes();
  loaded.dataset_size = options_.dataset_size;
  loaded.fingerprint = fingerprint();
  loaded.loads_ahead = loads_ahead_;
  loaded.gradient_bytes = sums().result_bytes();
  loaded.global_batch = options_.global_batch;
  loaded.shapes = registry_.schema("");
  loaded.must_copy = why_copy();
  loaded.samples_total = options_.dataset_size * options_.passes;
  Lock lock(mutex_);
  ready_.lay_out(sums().buckets(), sums().parts());
  planes_.set_device(gradients_.device());
  planes_.share(gradients_.regions());
  post(loaded);
  loaded_ = true;
  perform(session_.want_start());
  auto const code = wait(lock, Inside::start);
  if (!lock.owns_lock()) lock.lock();
  changed_.wait(lock, [this] { return foretelling_ == 0; });
  last_end_s_ = seconds_now();
  return code;
}

}  // namespace gleaner::member
