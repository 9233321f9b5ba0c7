// SPDX-License-Identifier: Apache-2.0
/// gloo::allreduce(), as Gloo's users call it.
#include <gloo/allreduce.h>
#include <gloo/math.h>
#include <gloo/rendezvous/context.h>
#include <gloo/rendezvous/file_store.h>
#include <gloo/transport/tcp/device.h>

#include "test/bench/runtime/rival.hh"

namespace gleaner::bench {
namespace {

class GlooRival final : public Rival {
 public:
  explicit GlooRival(std::shared_ptr<gloo::Context> context)
      : context_(std::move(context)) {}

  void allreduce(float const* local, float* sum, std::size_t n) override {
    gloo::AllreduceOptions options(context_);
    options.setInput(const_cast<float*>(local), n);  // it is only read
    options.setOutput(sum, n);
    options.setReduceFunction(
        static_cast<void (*)(void*, void const*, void const*, std::size_t)>(
            &gloo::sum<float>));
    gloo::allreduce(options);
  }

 private:
  std::shared_ptr<gloo::Context> const context_;
};

/// Gloo takes a shared store since 2025.
template <class Context, class Store, class Device>
void connect(Context& context, std::shared_ptr<Store> store, Device device) {
  if constexpr (requires { context.connectFullMesh(store, device); })
    context.connectFullMesh(store, device);
  else
    context.connectFullMesh(*store, device);
}

}  // namespace

std::unique_ptr<Rival> make_rival(int rank, int members,
                                  std::string const& dir) {
  auto store = std::make_shared<gloo::rendezvous::FileStore>(dir);
  auto device = gloo::transport::tcp::CreateDevice({"127.0.0.1"});
  auto context = std::make_shared<gloo::rendezvous::Context>(rank, members);
  connect(*context, store, device);
  return std::make_unique<GlooRival>(context);
}

}  // namespace gleaner::bench
